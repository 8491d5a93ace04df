"""The live view of a run group, in real terminals: what is printed meanwhile is seen, and nothing is left behind."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from live_terminal import Terminal
from terminal import seen

from mlebench.cli.live import live_view
from mlebench.competition.local import LocalCompetition
from mlebench.results.estimates import time_left
from mlebench.results.events import RunState
from mlebench.results.records import PlannedRun


def state(seed: int, status: str, seconds: float | None = None) -> RunState:
    return RunState(PlannedRun(f"run-{seed}", "leaf-classification", seed), status, seconds)


@pytest.mark.parametrize("columns", [80, 120])
def test_an_interrupt_is_seen(columns: int, titanic: LocalCompetition, tmp_path: Path) -> None:
    command = "touch $HOME/submission/submission.csv; echo at work; sleep 600"
    terminal = Terminal(
        *("run", "-c", titanic.id, "--agent", "command", "--command", command, "--seeds", 40, "--workers", 2),
        *("--sandbox", "process", "--time-limit", "10m", "--runs-dir", tmp_path / "runs"),
        cwd=tmp_path,
        columns=columns,
        MLEBENCH_DATA_DIR=str(titanic.data_dir),
    )
    terminal.wait_until(lambda text: len(re.findall(r" 1 +running .* yes ", text)) > 0)
    terminal.press("\x03")
    terminal.wait_until(lambda text: "Interrupted: 2 runs may finish" in text)
    drawn = len(terminal.output)
    terminal.wait_until(lambda text: "40 runs ended" in terminal.output[drawn:])  # the view has been drawn over since
    screen = seen(terminal.output)
    told = " ".join(screen)
    assert "Interrupted: 2 runs may finish, and nothing new begins. Press Ctrl-C again to stop them now." in told
    terminal.press("\x03")
    assert terminal.wait() == 130
    screen = seen(terminal.output)
    # A busy machine may echo the key after the signal that it sends, which is in front of the answer then.
    assert sum(bool(re.match(r"(\^C)?Interrupted:", line)) for line in screen) == 1, "\n".join(screen)
    assert sum(line.startswith("competition ") for line in screen) == 1, "no header stays as a ghost"
    assert sum(" of 40 runs ended, 0:" in line for line in screen) == 1
    assert any(re.fullmatch(r"and \d+ more: \d+ planned", line) for line in screen)
    assert any(" cancelled " in line for line in screen)
    assert "To go on: mlebench run --resume" in " ".join(screen)


@pytest.mark.parametrize(("width", "height"), [(40, 12), (80, 10), (80, 24), (120, 30)])
def test_the_view_is_never_higher_than_the_terminal(width: int, height: int) -> None:
    from rich.console import Console

    states = [state(seed, "running" if seed < 2 else "planned", 3.0) for seed in range(75)]
    console = Console(width=width, height=height, file=io.StringIO(), force_terminal=True)
    lines = console.render_lines(live_view(states, "0 of 75 runs ended", console), pad=False)
    shown = ["".join(segment.text for segment in line).rstrip() for line in lines]
    assert len(shown) < height
    assert max(map(len, shown)) <= width - 2, "a key that is echoed finds room"
    more = re.fullmatch(r"and (\d+) more: .*", shown[-1])
    assert more, "runs without room are counted"
    assert sum(bool(re.search(r" (running|planned)\b", line)) for line in shown[:-1]) == 75 - int(more[1])


@pytest.mark.parametrize(
    ("states", "left"),
    [
        ([state(0, "success", 60.0), state(1, "running", 20.0), state(2, "planned")], "about 1 min left"),
        ([state(0, "success", 60.0), state(1, "running", 59.9)], "nearly done"),
        ([state(0, "failed", 1.0), state(1, "running", 60.0)], "about 1 min left"),
        ([state(0, "failed", 1.0), state(1, "running", 3000.0)], "about 10 min left"),
        ([state(0, "failed", 1.0), state(1, "success", 99.0), state(2, "running", 60.0)], "about 39 s left"),
        ([state(0, "running", 600.0), state(1, "planned"), state(2, "planned")], "at most 1 h 50 min left"),
        ([state(0, "success", 60.0)], ""),
    ],
)
def test_the_time_that_is_left(states: list[RunState], left: str) -> None:
    assert time_left(states, 2, lambda _: 3600.0) == left


def test_no_limit_no_bound() -> None:
    assert time_left([state(0, "running", 1.0), state(1, "planned")], 1, lambda _: None) == ""
