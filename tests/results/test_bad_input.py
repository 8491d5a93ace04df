"""What a user can get wrong is reported in one sentence, by every command that reads run groups and reports."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from graded import report, write_grading_report, write_group

from mlebench.cli import cli
from mlebench.competition.registry import registry
from mlebench.errors import MlebenchError
from mlebench.results.records import RunRecord

LOW = registry.split("low")
DAMAGED = "run.json is damaged or was written by another version of mlebench."


def change(path: Path, **values: Any) -> None:
    """Change fields of a JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def running(folder: Path) -> Path:
    group = write_group(folder, LOW[:2], (0, 1))
    change(next(group.glob("*/run.json")), status="running")
    return group


def empty(folder: Path) -> Path:
    folder.mkdir()
    return write_group(folder, [], ())


def with_record(text: str | None = None, **values: Any) -> Callable[[Path], Path]:
    """A group in which one run.json has this text, or these values."""

    def make(folder: Path) -> Path:
        group = write_group(folder, LOW[:2])
        path = next(group.glob("*/run.json"))
        change(path, **values) if text is None else path.write_text(text)
        return group

    return make


def with_plan(folder: Path) -> Path:
    group = write_group(folder, LOW[:2])
    plan = json.loads((group / "metadata.json").read_text())["plan"]
    change(group / "metadata.json", plan=[{**plan[0], "seed": "x"}])
    return group


def with_a_run_twice(folder: Path) -> Path:
    group = write_group(folder, LOW[:2])
    plan = json.loads((group / "metadata.json").read_text())["plan"]
    change(group / "metadata.json", plan=[plan[0], *plan])
    return group


GROUPS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "running": (running, "is still running: 1 of 4 runs has not ended."),
    "empty": (empty, "bad has no runs."),
    "unknown": (lambda folder: write_group(folder, ["my-contest"]), "names the unknown competition 'my-contest'."),
    "ungraded": (
        lambda folder: write_group(folder, LOW[:2], graded=False),
        "2 of 2 runs in .* have no grading report.",
    ),
    "half a record": (with_record('{"run_id": '), DAMAGED),
    "an empty record": (with_record("{}"), DAMAGED),
    "a deep record": (with_record("[" * 100_000), DAMAGED),
    "a status that is none": (with_record(status=7), DAMAGED),
    "a seed that is none": (with_record(seed="0"), DAMAGED),
    "amounts that are none": (with_record(usage={"seconds": "long"}), DAMAGED),
    "amounts that are not finite": (with_record(usage={"seconds": float("nan")}), DAMAGED),
    "limits that are none": (with_record(limits=[1]), DAMAGED),
    "amounts that no number is as large as": (with_record(usage={"seconds": 10**400}), DAMAGED),
    "an edition that is none": (with_record(edition=None), DAMAGED),
    "a variant that is none": (with_record(variant=None), DAMAGED),
    "a damaged plan": (with_plan, "metadata.json is damaged"),
    "a run twice": (with_a_run_twice, "metadata.json is damaged"),
}
COMMANDS: dict[str, Callable[[Path, Path], list[object]]] = {
    "score": lambda bad, good: ["score", bad],
    "aggregate": lambda bad, good: ["aggregate", bad],
    "compare": lambda bad, good: ["compare", good, bad],
    "failures": lambda bad, good: ["failures", bad],
    "leaderboard": lambda bad, good: ["leaderboard", "--reports", bad],
    "export": lambda bad, good: ["leaderboard", "export", bad, "--output-dir", bad / "out"],
}


def refusal(*arguments: object) -> MlebenchError:
    """The error that a command ends with, which it prints as one sentence."""
    with pytest.raises(MlebenchError) as caught:
        cli.main([str(each) for each in arguments], standalone_mode=False)
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("kind", GROUPS)
def test_groups(kind: str, tmp_path: Path) -> None:
    make, sentence = GROUPS[kind]
    bad, good = make(tmp_path / "bad"), write_group(tmp_path / "good", LOW[:2])
    for name, arguments in COMMANDS.items():
        error = refusal(*arguments(bad, good))
        assert re.search(sentence, error.sentence), (name, str(error))
        if kind == "running":
            assert ("--partial" in str(error)) == (name not in ("leaderboard", "export")), name


FILES = {
    "run.json": DAMAGED,
    "replay.json": "replay.json is damaged.",
    "../metadata.json": "metadata.json is damaged",
    "../snapshots.json": "snapshots.json is damaged",
    "../2026-01-01T00-00-00-UTC_grading_report.json": "grading_report.json is not valid JSON.",
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_nest_without_end(name: str, tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", LOW[:1], left=prints_a_result)
    run = next(group.glob("*/run.json")).parent
    (run / name).write_text("[" * 100_000)
    assert FILES[name] in refusal("score", group).sentence
    if name not in ("replay.json", "../metadata.json"):  # grading reports are enough for an average
        refusal("aggregate", group)


def prints_a_result(folder: Path, _: RunRecord) -> None:
    values = {"seed": 0, "runtime_seconds": 1, "peak_memory_mb": 1, "artifacts": [], "tasks": []}
    line = json.dumps(values | {"replay": {"command": "true", "seed": 0}})
    (folder / "agent.log").write_text(f"MLE_BENCH_LITE_RESULT={line}\n")


def test_what_has_not_ended_is_named_when_the_rest_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad, good = running(tmp_path / "bad"), write_group(tmp_path / "good", LOW[:2], (0, 1), agent="good")
    for arguments in (["score", bad], ["aggregate", bad], ["failures", bad], ["compare", bad, good]):
        cli.main([*map(str, arguments), "--partial"], standalone_mode=False)
        assert "1 of 4 runs" in capsys.readouterr().err, arguments


def test_one_run_counts_once(tmp_path: Path) -> None:
    first = write_group(tmp_path / "one", LOW[:2])
    second = Path(shutil.copytree(first, tmp_path / "two"))
    for command in (["aggregate"], ["compare"], ["failures"]):
        assert "have the same id one." in refusal(*command, first, second).sentence
        assert "is given twice." in refusal(*command, first, first).sentence
    assert (
        "have the same id one."
        in refusal("leaderboard", "--by", "low", "--reports", first, "--reports", second).sentence
    )


def test_replays_of_what_has_not_ended(tmp_path: Path) -> None:
    assert "has no runs." in refusal("replay", empty(tmp_path / "empty")).sentence
    group = write_group(tmp_path / "group", LOW[:1])
    change(next(group.glob("*/run.json")), status="running")
    assert "No run of" in refusal("replay", group).sentence


FIELDS: dict[str, tuple[Any, str]] = {
    "score": (10**400, "int too large"),
    "data": (5, "data"),
    "refusal": (["x"], "refusal"),
    "created_at": (None, "created_at"),
    "edition": ("v9", "edition"),
    "human_percentile": (101, "human_percentile"),
    "seed": (1.5, "seed"),
}


@pytest.mark.parametrize("name", FIELDS)
def test_fields_of_reports(name: str, tmp_path: Path) -> None:
    value, why = FIELDS[name]
    bad = write_grading_report(tmp_path / "bad.json", [report(each, **{name: value}) for each in LOW])
    good = write_grading_report(tmp_path / "good.json", [report(each) for each in LOW])
    for command in (["aggregate"], ["compare", good], ["leaderboard", "--reports"]):
        sentence = refusal(*command, bad).sentence
        assert re.fullmatch(rf"Report 1 in .*bad.json does not have the form of a report \(.*{why}.*\).", sentence)


def test_a_report_of_a_run_that_is_empty(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", LOW[:1], graded=False)
    (next(group.glob("*/run.json")).parent / "report.json").write_text("[]")
    assert "1 of 1 run in" in refusal("score", group).sentence


def test_lists_of_experiments(tmp_path: Path) -> None:
    write_group(tmp_path / "group", LOW[:1])
    listed = tmp_path / "list.csv"
    command = ("aggregate", "--experiments", listed, "--runs-dir", tmp_path, "--experiment-id")
    listed.write_bytes(b"\xef\xbb\xbfrun_group, experiment_id,note\r\nother\r\ngroup, mine,a\r\n")
    cli.main([*map(str, command), "mine"], standalone_mode=False)
    assert "no experiment 'yours'" in refusal(*command, "yours").sentence


def test_reports_of_others(tmp_path: Path) -> None:
    nothing = float("nan")
    reports = [report(each, score=nothing, gold_threshold=nothing, valid_submission=False) for each in LOW]
    path = write_grading_report(tmp_path / "grading_report.json", reports)
    assert "NaN" in path.read_text()
    cli.main(["aggregate", str(path)], standalone_mode=False)
    cli.main(["leaderboard", "--reports", str(path), "--mine"], standalone_mode=False)
    (tmp_path / "unknown.json").write_text(json.dumps([report("my-contest")]))
    for command in (["aggregate"], ["compare", path], ["leaderboard", "--reports"]):
        assert "names the unknown competition 'my-contest'." in refusal(*command, tmp_path / "unknown.json").sentence
    (tmp_path / "run_group_experiments.csv").write_text("experiment_id,run_group\nmine\n")
    assert "no experiment 'mine'" in refusal("aggregate", "--experiment-id", "mine", "--runs-dir", tmp_path).sentence
