"""Long work says what it is at, and whoever listens hears of it, from other processes too."""

from __future__ import annotations

import io
import os
import signal
import time
from itertools import groupby
from pathlib import Path

from mlebench.base import progress
from mlebench.base.processes import Died, run_tasks
from mlebench.base.progress import Step
from mlebench.competition.registry import Registry
from mlebench.data.prepare import PrepareOptions, prepare


def test_stages_within_stages() -> None:
    heard: list[Step] = []
    with progress.listening(heard.append), progress.task("a"), progress.stage("prepare"):
        with progress.stage("read", "x.csv", total=10, unit="bytes") as stage:
            stage.advance(4)
        with progress.task("b"):  # part of the task around it
            pass
    # A report of the same stage may come again, where the machine is slow.
    assert [each for each, _ in groupby((step.task, step.stage, step.what) for step in heard)] == [
        ("a", "prepare", ""),
        ("a", "read", "x.csv"),
        ("a", "prepare", ""),
        ("a", None, ""),
    ]


def test_reports_of_a_stage_are_rare() -> None:
    heard: list[Step] = []
    began = time.monotonic()
    with progress.listening(heard.append), progress.stage("place", total=100_000, unit="files") as stage:
        for _ in range(100_000):
            stage.advance()
        time.sleep(0.11)
        stage.advance(0)
    assert heard[-1].done == 100_000
    assert len(heard) <= 3 + (time.monotonic() - began) / progress._EVERY


def test_a_counted_stream_has_the_same_bytes() -> None:
    content = os.urandom(3_000_000)
    heard: list[Step] = []
    with progress.listening(heard.append), progress.stage("read", total=len(content), unit="bytes") as stage:
        assert progress.counted(io.BytesIO(content), stage).read() == content
        stage.tell()
    assert heard[-1].done == len(content)


def test_nobody_listens() -> None:
    with progress.task("a"), progress.stage("read") as stage:
        stage.advance()
        assert not stage.is_heard
        stream = io.BytesIO(b"x")
        assert progress.counted(stream, stage) is stream


def _work(number: int, _: object) -> int:
    with progress.task(f"task {number}"), progress.stage("read", total=2, unit="rows") as stage:
        stage.advance()
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_other_processes_are_heard() -> None:
    """And a task whose process dies is over."""
    heard: list[Step] = []
    with progress.listening(heard.append):
        results = dict(run_tasks(_work, [0, 1], workers=2))
    assert results[0] == 0
    assert isinstance(results[1], Died)
    for task in ("task 0", "task 1"):
        assert [each for each, _ in groupby(step.stage for step in heard if step.task == task)] == ["read", None]


def test_what_a_preparation_says(mirror: Path, tmp_path: Path) -> None:
    heard: list[Step] = []
    competition = Registry(tmp_path).get_competition("spaceship-titanic")
    with progress.listening(heard.append):
        prepare(competition, PrepareOptions(mirror=str(mirror)))
    assert {step.task for step in heard} == {competition.id}
    stages = list(dict.fromkeys(step.stage for step in heard))
    assert [each for each in stages if each in ("read", "split", "write", "verify", "place", None)] == [
        "read",
        "split",
        "write",
        "verify",
        "place",
        None,
    ]
    assert ("read", "train.csv", "bytes") in {(step.stage, step.what, step.unit) for step in heard}
