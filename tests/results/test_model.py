"""Runs, run groups, which runs count, kinds of data, and how groups are named."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from graded import report, write_grading_report, write_group

import mlebench
from mlebench.cli import cli
from mlebench.competition.registry import registry
from mlebench.errors import MlebenchError
from mlebench.results.finding import find_all, find_group
from mlebench.results.groups import open_group, require_counted
from mlebench.results.kinds import DataKind, kind_of_data
from mlebench.results.runs import LeftOut
from mlebench.results.sources import read_source

LOW = registry.split("low")


def change(path: Path, **values: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def test_which_runs_count_and_why_not(tmp_path: Path) -> None:
    folder = write_group(tmp_path / "group", LOW[:5])
    group = open_group(folder)
    written = json.loads(next(folder.glob("*grading_report.json")).read_text())["competition_reports"]
    write_grading_report(folder / "2027_grading_report.json", written[2:])  # the first two are not graded
    for run, status in zip(group.runs[1:4], ("cancelled", "cancelled", "running"), strict=True):
        change(run.folder / "run.json", status=status)
    group = open_group(folder)
    reasons = [LeftOut.NOT_GRADED, LeftOut.CANCELLED, None, LeftOut.NOT_ENDED, None]
    assert [run.left_out for run in group.runs] == reasons
    counted = group.counted()
    assert counted.runs == (group.runs[2], group.runs[4])
    assert {reason: len(runs) for reason, runs in counted.left_out.items()} == dict.fromkeys(
        (LeftOut.NOT_ENDED, LeftOut.NOT_GRADED, LeftOut.CANCELLED), 1
    )
    assert [note.rpartition(f"{folder} ")[2] for note in counted.notes] == [
        "has not ended and does not count.",
        "has no grading report and does not count.",
        "was cancelled before it was graded and does not count.",
    ]
    with pytest.raises(MlebenchError, match="is still running: 1 of 5 runs has not ended"):
        require_counted(group, partial=False)
    with pytest.raises(MlebenchError, match=r"2 of 4 runs in .* have no grading report"):
        require_counted(group, partial=True)


def test_an_older_grading_report_can_be_chosen(tmp_path: Path) -> None:
    folder = write_group(tmp_path / "group", LOW[:1])
    run = open_group(folder).runs[0]
    write_grading_report(folder / "2027_grading_report.json", [report(LOW[0], score=0.25, run_id=run.record.run_id)])
    newest, older = open_group(folder), open_group(folder, grading_report=next(folder.glob("2026*")))
    assert [group.runs[0].report.report.score for group in (newest, older) if group.runs[0].report] == [0.25, 0.5]


def test_what_a_run_has(tmp_path: Path) -> None:
    folder = write_group(tmp_path / "group", LOW[:1])
    (run,) = open_group(folder).runs
    for name in ("agent.log", "snapshots/120s/submission.csv", "snapshots/60s/submission.csv", "snapshots/x/a"):
        (run.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (run.folder / name).write_text("")
    assert [path.name for path in run.files] == ["run.json", "agent.log"]
    assert [seconds for seconds, _ in run.snapshot_files] == [60, 120]
    assert run.has_submission
    assert run.planned.folder == run.folder.name
    change(run.folder / "run.json", status="running")
    assert [run.record.status, run.reread().record.status] == ["success", "running"]


@pytest.mark.parametrize(
    ("data", "group", "kind"),
    [
        ("twin (seed 0, scale 1)", None, DataKind.TWIN),
        ("twin (seed 3, scale 10)", "practice", DataKind.TWIN),
        ("built-in", None, DataKind.PRACTICE),
        (None, "practice", DataKind.PRACTICE),
        ("kaggle", "low", DataKind.REAL),
        ("twins.zip", None, DataKind.REAL),
        (None, None, DataKind.REAL),
    ],
)
def test_kinds_of_data(data: str | None, group: str | None, kind: DataKind) -> None:
    assert kind_of_data(data, group) is kind


def test_the_kinds_of_a_group(tmp_path: Path) -> None:
    kinds = {LOW[0]: "twin (seed 0, scale 1)", LOW[1]: "kaggle"}
    folder = write_group(tmp_path / "group", LOW[:2], report_of=lambda name, _: {"data": kinds[name]})
    group = open_group(folder)
    assert [run.kind for run in group.runs] == [DataKind.TWIN, DataKind.REAL]
    assert group.kinds == {DataKind.TWIN, DataKind.REAL}
    others = group.counted().without_twins()
    assert others.runs == (group.runs[1],)
    assert others.left_out == {LeftOut.TWIN: (group.runs[0],)}
    twins = open_group(write_group(tmp_path / "twins", LOW[:1], report_of=lambda *_: {"data": kinds[LOW[0]]}))
    assert twins.counted().without_twins() == twins.counted()


def test_names_of_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = tmp_path / "runs"
    older = write_group(runs / "z_older", LOW[:1])
    newer = write_group(runs / "a_newer", LOW[:1])
    write_group(runs / ".hidden", LOW[:1])
    change(newer / "metadata.json", created_at="2026-02-01T00:00:00+00:00")
    change(runs / ".hidden" / "metadata.json", created_at="2030-02-01T00:00:00+00:00")
    run = next(older.glob("*/run.json")).parent
    assert find_group("a_newer", runs) == newer
    assert find_group(older, runs) == older
    assert find_group(f"z_older/{run.name}", runs) == run
    assert find_group("latest", runs) == newer  # by the time in its record, not by its name
    change(older / "metadata.json", created_at="2026-03-01T00-00-00-GMT")  # as the published runner writes it
    assert find_all(["latest", "a_newer"], runs) == [older, newer]
    (runs / "pipe").mkdir()
    os.mkfifo(runs / "pipe" / "metadata.json")
    assert find_group("latest", runs) == older
    for name in ("nothing", "nothing/at/all", "/nothing", "a\0b", "x" * 5000):
        with pytest.raises(MlebenchError, match="There is no run group"):
            find_group(name, runs)
    with pytest.raises(MlebenchError, match="There is no run group in"):
        find_group("latest", tmp_path / "nowhere")
    monkeypatch.chdir(tmp_path)
    write_group(tmp_path / "latest", LOW[:1])
    assert find_group("latest", runs) == Path("latest")  # what is there by that name


COMMANDS: dict[str, list[str]] = {
    "runs show": ["runs", "show", "GROUP"],
    "runs show, several": ["runs", "show", "first", "second"],
    "runs logs": ["runs", "logs", "GROUP"],
    "score": ["score", "GROUP"],
    "score, several": ["score", "first", "second"],
    "aggregate": ["aggregate", "GROUP"],
    "compare": ["compare", "first", "GROUP"],
    "failures": ["failures", "GROUP"],
    "report": ["report", "GROUP"],
    "leaderboard": ["leaderboard", "--by", "low", "--pad-missing", "--reports", "GROUP"],
    "disclose": ["leaderboard", "disclose", "GROUP", "models=m"],
    "write a list": ["grade", "--run-group", "GROUP", "--write-list", "list.jsonl"],
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("group", ["latest", "second", "runs/second"])
def test_every_command_takes_names(name: str, group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_group(tmp_path / "runs" / "first", LOW[:1], agent="first")
    newer = write_group(tmp_path / "runs" / "second", LOW[:1], agent="second")
    change(newer / "metadata.json", created_at="2026-02-01T00:00:00+00:00")
    monkeypatch.chdir(tmp_path)
    arguments = [group if argument == "GROUP" else argument for argument in COMMANDS[name]]
    cli.main(arguments, standalone_mode=False)
    with pytest.raises(
        MlebenchError, match="There is no run group nothing: it is neither a path nor a name below runs"
    ):
        cli.main([argument.replace(group, "nothing") for argument in arguments], standalone_mode=False) if (
            group in arguments
        ) else find_group("nothing", Path("runs"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["runs", "latest", "--runs-dir", "there"],
        ["runs", "--runs-dir", "elsewhere", "show", "latest", "--runs-dir", "there"],
        ["runs", "watch", "latest", "--runs-dir", "there"],
        ["runs", "logs", "latest", "--runs-dir", "there"],
        ["runs", "--runs-dir", "there", "logs", "latest"],
        ["leaderboard", "disclose", "latest", "models=m", "--runs-dir", "there"],
    ],
)
def test_subcommands_take_the_folder_of_the_runs(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_group(tmp_path / "there" / "only", LOW[:1], settings={"agent": "a"})
    monkeypatch.chdir(tmp_path)
    cli.main(arguments, standalone_mode=False)


def test_several_groups_are_graded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = {"data_dir": str(tmp_path / "data"), "limits": {}, "competition_limits": {}, "agent": "a"}
    settings |= {"network": {"full": False, "allowed": []}}
    groups = [
        write_group(tmp_path / name, LOW[:1], graded=False, settings=settings) for name in ("a_sample", "b_sample")
    ]
    code = cli.main(["grade", "--run-group", *map(str, groups), "--json"], standalone_mode=False)
    found = json.loads(capsys.readouterr().out)
    assert code == 1  # there is no data, so no line could be graded
    assert [Path(summary["report_path"]).parent for summary in found] == groups
    assert [len(list(group.glob("*grading_report.json"))) for group in groups] == [1, 1]


def test_a_name_without_an_option(tmp_path: Path) -> None:
    import click

    with pytest.raises(click.UsageError, match="Say what x is: --run-group x, or --submission x"):
        cli.main(["grade", "x"], standalone_mode=False)
    with pytest.raises(click.UsageError, match="--write-list writes the list of one run group"):
        groups = [write_group(tmp_path / name, LOW[:1]) for name in ("a", "b")]
        cli.main(["grade", "--run-group", *map(str, groups), "--write-list", "x"], standalone_mode=False)


def test_a_link_to_a_report_may_be_named(tmp_path: Path) -> None:
    path = write_grading_report(tmp_path / "grading_report.json", [report(LOW[0])])
    (tmp_path / "link.json").symlink_to(path)
    assert len(read_source(tmp_path / "link.json").reports) == 1


SOURCE = Path(mlebench.__file__).parent
FILE_NAMES = (
    "run_group_experiments.csv metadata.json snapshots.json disclosure.toml disclosure.json report.html run.json "
    "agent.log run.log submission.csv submission/submission.csv metrics.json report.md report.json replay.json "
    "replay.log"
).split()
# Programs that run on their own, inside a sandbox or for other projects, and what a page of instructions says.
APART = re.compile(r"agents/[^/]+/|(competitions|twins|templates|kit)/")


def test_every_file_name_is_defined_once() -> None:
    literal = re.compile(rf"""["'](?:{"|".join(map(re.escape, FILE_NAMES))})["']""")
    found = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.name != "names.py" and not APART.match(path.relative_to(SOURCE).as_posix())
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if literal.search(line)
    ]
    assert not found


def test_no_kind_of_data_is_read_from_a_text_elsewhere() -> None:
    found = [path for path in SOURCE.rglob("*.py") if re.search(r"startswith\(.twin", path.read_text(encoding="utf-8"))]
    assert not found
