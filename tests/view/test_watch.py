"""`mlebench runs watch` in real terminals, while a group goes on that another process runs."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest
from live_terminal import Terminal
from terminal import seen
from view.groups import end, running_group, say

from mlebench.results.events import RunState
from mlebench.results.records import PlannedRun
from mlebench.view.watching import _sentence


@pytest.mark.parametrize("columns", [80, 120])
def test_a_group_is_watched_and_left_with_ctrl_c(columns: int, tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "live"
    plan = running_group(folder)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as whoever runs a group
        terminal = Terminal("runs", "--runs-dir", tmp_path / "runs", "watch", "live", cwd=tmp_path, columns=columns)
        terminal.wait_until(lambda text: "2 of 4 runs ended, 1 running, 1 waiting" in text)

        def is_drawn(_: str) -> bool:
            """Whether runs and the last line of a log are there; what was read may end in the middle of a drawing."""
            screen = seen(terminal.output)
            expected = zip(plan[1:3], ("failed", "running"), strict=True)
            return "epoch 2" in " ".join(screen) and all(
                any(line.startswith(planned.competition_id[:10]) and status in line for line in screen)
                for planned, status in expected
            )

        terminal.wait_until(is_drawn)
        assert all(len(line) <= columns for line in seen(terminal.output))
        say(folder, plan[2], "usage", seconds=2400.0, memory=5 << 30, submission=True)
        terminal.wait_until(lambda _: any("40 min" in line or "0:40:00" in line for line in seen(terminal.output)))
        end(folder, plan[3], "timeout", code="time-limit")
        terminal.wait_until(lambda _: any("3 of 4 runs ended" in line for line in seen(terminal.output)))
        terminal.press("\x03")
        assert terminal.wait() == 0
    screen = seen(terminal.output)
    assert "The runs go on." in screen, "Ctrl-C ends the watching"
    assert sum("of 4 runs ended" in line for line in screen) == 1, "nothing stays as a ghost"
    assert "Traceback" not in terminal.text


def test_a_group_that_nobody_runs_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "killed"
    plan = running_group(folder)
    log = folder / plan[2].folder / "events.jsonl"
    log.write_text(log.read_text().replace('"time": "20', '"time": "19'), encoding="utf-8")
    log = folder / plan[3].folder / "events.jsonl"
    log.write_text(log.read_text().replace('"time": "20', '"time": "19'), encoding="utf-8")
    terminal = Terminal("runs", "--runs-dir", tmp_path / "runs", "watch", "killed", cwd=tmp_path, columns=80)
    heading = "2 of 4 runs ended. Nobody runs the others now: mlebench run --resume killed"
    terminal.wait_until(lambda _: any(heading in line for line in seen(terminal.output)))
    terminal.press("\x03")
    assert terminal.wait() == 0
    assert "The runs go on." not in seen(terminal.output)


def test_runs_that_wait_in_a_queue_were_not_interrupted() -> None:
    """A group that was submitted and left to itself: nobody on this side waits for it."""
    queued = RunState(PlannedRun("1", "practice-wine", 0), phase="queued", waiting_for="slurm")
    sentence = _sentence([queued], False)
    assert sentence.startswith("0 of 1 run ended, 0 running, 1 waiting.")
    assert "collects what was submitted" in sentence
