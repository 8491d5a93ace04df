"""Grading many submissions under attack: whatever happens to one line is that line's error, and nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE, wait_for

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.grade import grade_jsonl
from mlebench.grade.batch import grade_lines


@pytest.fixture
def titanic(prepared_twin: Callable[[str], LocalCompetition]) -> LocalCompetition:
    return prepared_twin("spaceship-titanic")


def line(competition: LocalCompetition, path: object = None) -> str:
    path = str(path if path is not None else competition.sample_submission)
    return json.dumps({"competition_id": competition.id, "submission_path": path})


HOSTILE = {
    "a number beyond all bounds": '{"competition_id": ' + "9" * 5000 + ', "submission_path": "x"}',
    "brackets beyond all bounds": "[" * 100_000,
    "a lone surrogate as a path": '{"competition_id": "spaceship-titanic", "submission_path": "\\ud800"}',
    "a lone surrogate as an id": '{"competition_id": "\\ud800", "submission_path": "x"}',
    "a path that is no text": '{"competition_id": "spaceship-titanic", "submission_path": "\\udc80.csv"}',
    "a null character": '{"competition_id": "spaceship-titanic", "submission_path": "a\\u0000b"}',
    "a path beyond all bounds": '{"competition_id": "spaceship-titanic", "submission_path": "' + "x" * 5000 + '"}',
    "an id beyond all bounds": '{"competition_id": "' + "x" * 5000 + '", "submission_path": "x"}',
    "an id that is a path": '{"competition_id": "../../etc", "submission_path": "x"}',
    "an escape sequence": '{"competition_id": "\\u001b[31m", "submission_path": "\\u001b[31m"}',
    "a device": '{"competition_id": "spaceship-titanic", "submission_path": "/dev/zero"}',
    "a number as a path": '{"competition_id": "spaceship-titanic", "submission_path": 3}',
    "nothing": "null",
}


@pytest.mark.parametrize("workers", [None, 2])
def test_hostile_lines(titanic: LocalCompetition, tmp_path: Path, workers: int | None) -> None:
    good = line(titanic)
    (tmp_path / "list.jsonl").write_text("\n".join([good, *HOSTILE.values(), good]) + "\n")
    report = grade_jsonl(tmp_path / "list.jsonl", tmp_path, Registry(titanic.data_dir), workers=workers)
    graded = report["competition_reports"]
    assert [each["score"] for each in graded].count(0.375) == 2
    assert len(graded) + len(report["errors"]) == len(HOSTILE) + 2
    sentences = [each["reason"] for each in report["errors"]] + [each["refusal"] or "" for each in graded]
    assert all(len(each) < 2100 and each.isprintable() for each in sentences)
    (written,) = tmp_path.glob("*_grading_report.json")
    assert json.loads(written.read_text())["total_valid_submissions"] == 2


def test_gradings_of_one_second_write_reports_of_their_own(titanic: LocalCompetition, tmp_path: Path) -> None:
    registry = Registry(titanic.data_dir)
    with ThreadPoolExecutor(8) as pool:
        reports = list(pool.map(lambda _: grade_lines([], [], tmp_path / "reports", registry), range(40)))
    assert {each["report_path"] for each in reports} == {str(path) for path in (tmp_path / "reports").iterdir()}
    assert len(list((tmp_path / "reports").iterdir())) == 40


@pytest.mark.parametrize("content", ["", "\n\n", "# a comment\n"])
def test_an_empty_list_is_an_error(content: str, tmp_path: Path) -> None:
    (tmp_path / "list.jsonl").write_text(content)
    with pytest.raises(MlebenchError, match="lists no submissions"):
        grade_jsonl(tmp_path / "list.jsonl", tmp_path)


OWN = '''
import os, signal, time
from pathlib import Path
from mlebench.kit import Competition, Output, Raw, Table

competition = Competition("{id}", "Odd", category="Tabular", metric="accuracy", group="own", better="higher")


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Nothing."""


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """As the file says."""
    word = submission["word"][0]
    if word == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "wait":
        time.sleep(600)
    return 1.0
'''


@pytest.fixture
def odd(tmp_path: Path) -> Callable[[list[str]], Path]:
    """A competition whose grader does what a submission says; a function that writes a list of submissions."""
    folder = tmp_path / "own" / "odd"
    folder.mkdir(parents=True)
    (folder / "competition.py").write_text(OWN.replace("{id}", "odd"))
    (folder / "description.md").write_text("# Odd\n")
    prepared = tmp_path / "data" / "odd" / "prepared"
    for part in ("public", "private"):
        (prepared / part).mkdir(parents=True)
        for name in ("test.csv", "sample_submission.csv", "answers.csv"):
            (prepared / part / name).write_text("word\nfine\n")

    def write(words: list[str]) -> Path:
        lines = []
        for number, word in enumerate(words):
            (tmp_path / f"{number}.csv").write_text(f"word\n{word}\n")
            lines.append(json.dumps({"competition_id": "odd", "submission_path": str(tmp_path / f"{number}.csv")}))
        (tmp_path / "list.jsonl").write_text("\n".join(lines) + "\n")
        return tmp_path / "list.jsonl"

    return write


def begin(listed: Path, workers: int) -> subprocess.Popen[str]:
    folder = listed.parent
    options = ["--data-dir", "data", "--competitions-dir", "own", "--output-dir", "reports", "--workers", str(workers)]
    return subprocess.Popen(
        [sys.executable, "-m", "mlebench", "grade", "--submission", listed, *options],
        cwd=folder,
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def written(folder: Path) -> dict[str, Any]:
    reports = [path.read_text() for path in (folder / "reports").glob("*_grading_report.json")]
    loaded: dict[str, Any] = json.loads(reports[0]) if any(reports) else {"competition_reports": []}
    return loaded


def test_a_worker_that_is_killed_costs_its_own_line(odd: Callable[[list[str]], Path], tmp_path: Path) -> None:
    process = begin(odd(["fine", "die", "fine", "fine"]), 2)
    _, errors = process.communicate(timeout=PATIENCE)
    report = written(tmp_path)
    assert process.returncode == 1, errors
    assert report["total_valid_submissions"] == 3
    assert [each["line"] for each in report["errors"]] == [2]
    assert "list.jsonl:2: Its process was ended by SIGKILL" in errors


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_keeps_what_was_graded(odd: Callable[[list[str]], Path], tmp_path: Path, workers: int) -> None:
    """The report is there while the grading goes on, and Ctrl-C ends it at once."""
    process = begin(odd(["fine", "fine", "wait", "wait"]), workers)
    wait_for(lambda: len(written(tmp_path)["competition_reports"]) == 2 or process.poll() is not None)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)  # which is much less than the submissions take that wait
    assert process.returncode == 130, errors
    assert "Interrupted. What was graded is in " in errors
    report = written(tmp_path)
    assert report["total_valid_submissions"] == 2
    assert report["not_graded"] == 2


LATE = """
import os, signal, sys, time
from multiprocessing.context import SpawnProcess
from mlebench.base.processes import run_tasks

begin = SpawnProcess.start

def start(self):
    os.kill(os.getpid(), signal.SIGINT)
    begin(self)

def work(task, send):
    time.sleep(600)

if __name__ == "__main__":
    SpawnProcess.start = start
    try:
        list(run_tasks(work, [1, 2], workers=2))
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_an_interrupt_while_a_process_begins_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(LATE)
    done = subprocess.run(
        [sys.executable, "late.py"], cwd=tmp_path, timeout=PATIENCE, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (130, "")
