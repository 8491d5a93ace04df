"""A run group from elsewhere is data: pipes, links and odd values in it neither hold up nor break any reader."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from graded import write_group

from mlebench.cli import cli
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import registry
from mlebench.errors import MlebenchError
from mlebench.files.regular import NotRegularError, is_folder, is_regular, open_regular, read_regular
from mlebench.results.groups import open_group
from mlebench.results.records import RunRecord, hashes_below
from mlebench.results.result_line import result_of_run
from mlebench.results.trust import Named
from mlebench.runs.grading import grade_group
from mlebench.runs.settings import RunSettings

(LEAF,) = registry.split("low")[9:10]
SECRET = "4f1c-secret-of-this-machine"
PATIENCE = 300  # seconds after which a command that should answer at once is taken to wait for ever


@pytest.fixture(autouse=True)
def nothing_waits() -> Iterator[None]:
    """A reader that waits for a pipe fails instead of holding up all tests."""

    def waited(*_: object) -> None:
        raise TimeoutError("a reader waits for something that never comes")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def prints_a_result(folder: Path, _: RunRecord) -> None:
    values = {"seed": 0, "runtime_seconds": 1, "peak_memory_mb": 1, "artifacts": [], "tasks": []}
    line = json.dumps(values | {"replay": {"command": "true", "seed": 0}})
    (folder / "agent.log").write_text(f"MLE_BENCH_LITE_RESULT={line}\n")
    (folder / "code" / "main.py").write_text("print(1)\n")


def pipe(path: Path, _: Path) -> None:
    os.mkfifo(path)


def link(path: Path, elsewhere: Path) -> None:
    path.symlink_to(elsewhere / ("folder" if path.name in ("code", "submission", "snapshots") else "secret.json"))


def commands(group: Path, good: Path, out: Path) -> list[list[object]]:
    return [
        ["runs", "--runs-dir", group.parent],
        ["runs", "show", group],
        ["runs", "logs", group],
        ["score", group],
        ["aggregate", group],
        ["compare", good, group],
        ["failures", group],
        ["report", group, "--output", out / "page.html"],
        ["leaderboard", "--by", "low", "--pad-missing", "--mine", "--reports", group],
        ["leaderboard", "export", group, "--output-dir", out / "export"],
        ["replay", group],
    ]


PLACES = {
    "the record of the group": "metadata.json",
    "the record of a run": "RUN/run.json",
    "the log of an agent": "RUN/agent.log",
    "our log": "RUN/run.log",
    "a grading report": "2027-01-01T00-00-00-UTC_grading_report.json",
    "graded snapshots": "snapshots.json",
    "the report of a run": "RUN/report.json",
    "the record of a replay": "RUN/replay.json",
    "a disclosure": "disclosure.json",
    "another disclosure": "disclosure.toml",
    "a submission": "RUN/submission/submission.csv",
    "metrics": "RUN/submission/metrics.json",
    "a text": "RUN/submission/report.md",
    "code": "RUN/code",
    "a file of the code": "RUN/code/main.py",
    "the folder of a submission": "RUN/submission",
    "the folder of snapshots": "RUN/snapshots",
}


@pytest.mark.parametrize("put", [pipe, link], ids=lambda put: put.__name__)
@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_file_is_not_read(
    place: str, put: Callable[[Path, Path], None], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "folder" / "30s").mkdir(parents=True)
    for name in ("secret.json", "folder/main.py", "folder/submission.csv", "folder/report.md", "folder/metrics.json"):
        (elsewhere / name).write_text(f'{{"{SECRET}": 1}}')
    settings = RunSettings("tester", tmp_path / "no-data").to_dict()
    group = write_group(tmp_path / "runs" / "bad", [LEAF], left=prints_a_result, settings=settings)
    good = write_group(tmp_path / "good", [LEAF], agent="good")
    (run,) = (path.parent for path in group.glob("*/run.json"))
    path = group / PLACES[place].replace("RUN", run.name)
    if path.is_dir():
        path.rename(tmp_path / "away")
    path.unlink(missing_ok=True)
    put(path, elsewhere)
    asked = commands(group, good, tmp_path / "out")
    if "submission" in place or "record" in place:  # what grading reads; its processes take time to start
        asked.append(["grade", "--run-group", group, "--workers", 1])
    for arguments in asked:
        with suppress(MlebenchError):
            cli.main([str(argument) for argument in arguments], standalone_mode=False)
    told = capfd.readouterr()
    written = [file.read_text() for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert not [text for text in (told.out, told.err, *written) if SECRET in text or "Traceback" in text]
    assert put is link or path.is_fifo()


@pytest.mark.parametrize("place", ["submission/submission.csv", "submission"])
def test_a_submission_that_is_a_link_to_the_answers(
    place: str, prepared_twin: Callable[[str], LocalCompetition], tmp_path: Path
) -> None:
    competition = prepared_twin("spaceship-titanic")
    settings = RunSettings("tester", competition.data_dir).to_dict()
    group = write_group(tmp_path / "group", [competition.id], graded=False, settings=settings)
    named = Named(data_dir=competition.data_dir)
    answers = tmp_path / "answers"
    answers.mkdir()
    shutil.copy(competition.answers, answers / "submission.csv")
    (run,) = open_group(group).runs
    shutil.rmtree(run.submission.parent)
    if place == "submission":
        run.submission.parent.symlink_to(answers)
    else:
        run.submission.parent.mkdir()
        run.submission.symlink_to(answers / "submission.csv")
    assert run.submission.read_bytes() == competition.answers.read_bytes()
    (graded,) = grade_group(open_group(group), named=named)["competition_reports"]
    assert (graded["submission_exists"], graded["valid_submission"], graded["score"]) == (False, False, None)
    run.submission.parent.unlink() if place == "submission" else run.submission.unlink()
    run.submission.parent.mkdir(exist_ok=True)
    shutil.copy(competition.answers, run.submission)  # the control: the same bytes as a file
    (graded,) = grade_group(open_group(group), named=named)["competition_reports"]
    assert graded["valid_submission"]


def test_a_run_that_is_a_link(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", [LEAF])
    (run,) = (path.parent for path in group.glob("*/run.json"))
    run.rename(tmp_path / "elsewhere")
    run.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(MlebenchError, match="is a symbolic link; a run is in the folder of its group"):
        open_group(group)


VALUES: list[Any] = [5, -1, 1e300, "x", "2026-01-01T00:00:00", "\x1b[31m", None, True, [], [5], {}, {"a": 5}, [{}]]
FIELDS = [name for name in RunRecord.__dataclass_fields__ if name not in ("run_id", "run_group", "competition_id")]


@pytest.mark.parametrize("name", FIELDS)
def test_no_value_of_a_record_breaks_a_reader(name: str, tmp_path: Path) -> None:
    group = write_group(tmp_path / "runs" / "group", [LEAF])
    (path,) = group.glob("*/run.json")
    sound = json.loads(path.read_text())
    for value in VALUES:
        path.write_text(json.dumps(sound | {name: value}))
        for arguments in (["runs", "show", group], ["report", group, "--output", tmp_path / "page.html"]):
            with suppress(MlebenchError):
                cli.main([str(argument) for argument in arguments], standalone_mode=False)


def test_a_number_among_what_is_not_promised(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", [LEAF], not_promised=(5,))
    with pytest.raises(MlebenchError, match=r"run\.json is damaged"):
        cli.main(["runs", "show", str(group)], standalone_mode=False)


def test_records_beyond_all_bounds(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", [LEAF])
    (path,) = group.glob("*/run.json")
    with path.open("ab") as file:
        file.truncate(33 << 20)
    with pytest.raises(MlebenchError, match=r"run\.json cannot be read: it is larger than 32 MB"):
        open_group(group)


def test_regular_files(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    (tmp_path / "link").symlink_to(path)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    assert read_regular(path, 5) == read_regular(tmp_path / "link", 5, follow=True) == b"12345"
    with pytest.raises(OSError, match="it is larger than 0 MB"):
        read_regular(path, 4)
    for name, kind in {"link": "a symbolic link", "loop": "a symbolic link", "pipe": "a named pipe"}.items():
        with pytest.raises(NotRegularError, match=f"it is {kind}, not a file"):
            open_regular(tmp_path / name)
        assert not is_regular(tmp_path / name)
    with pytest.raises(NotRegularError, match="it is a device, not a file"):
        open_regular(Path("/dev/zero"), follow=True)
    with pytest.raises(NotRegularError, match="it is a folder, not a file"):
        open_regular(tmp_path)
    for name in ("nothing", "a\0b"):
        with pytest.raises(FileNotFoundError):
            open_regular(tmp_path / name)
        assert not is_regular(tmp_path / name)
    (tmp_path / "here").symlink_to(tmp_path)
    assert is_folder(tmp_path)
    assert not is_folder(tmp_path / "here")
    assert hashes_below(tmp_path / "here") == {}


def test_logs_beyond_all_bounds(tmp_path: Path) -> None:
    prints_early, prints_late = tmp_path / "early", tmp_path / "late"
    for folder in (prints_early, prints_late):
        (folder / "code").mkdir(parents=True)
        prints_a_result(folder, RunRecord("1", "g", LEAF, "a", 0))
    line = (prints_late / "agent.log").read_bytes()
    with (prints_early / "agent.log").open("ab") as file:
        file.truncate(1 << 40)
    with (prints_late / "agent.log").open("wb") as file:
        file.seek(1 << 40)
        file.write(b"\n" + line)
    assert result_of_run(prints_early, most=4096).result is None
    assert result_of_run(prints_late, most=4096).result is not None
