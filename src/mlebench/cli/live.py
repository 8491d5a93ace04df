"""The display of a run group: a live table on a terminal, plain lines elsewhere, JSON events for machines."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from mlebench.base.amounts import format_bytes, format_clock, format_seconds
from mlebench.base.progress import beside
from mlebench.base.wording import counted, plain
from mlebench.cli.output import STATUS_STYLES, broken_at_words, print_text, rich_table
from mlebench.cli.tables import columns_of, cut, fitted
from mlebench.results.estimates import UNFINISHED, time_left

if TYPE_CHECKING:
    from rich.console import Console, Group, RenderableType
    from rich.table import Table

    from mlebench.results.events import Board, RunState
    from mlebench.runs.running import OnState

_HEADER = ("competition", "seed", "state", "elapsed", "memory", "submission", "last line")
_MOST = 30  # runs in the live table, those under way first
_ECHO = 2  # columns that a key which is pressed takes
_PAUSE = 0.25  # seconds between two looks at the board


@dataclass(frozen=True)
class RunDisplay:
    """What shows a run group: it is given every change, the board once, the first interrupt, and what to print."""

    on_state: OnState
    on_board: Callable[[Board], None]
    on_drain: Callable[[int], None]
    say: Callable[[str], None]


@contextmanager
def run_display(
    *, as_json: bool, workers: int = 1, limit_of: Callable[[str], float | None] = lambda _: None
) -> Iterator[RunDisplay]:
    """Show a run group while this block runs; `limit_of` gives the seconds that a run on a competition may take."""
    if as_json:

        def ignore(_: object) -> None:
            pass

        yield RunDisplay(lambda state: click.echo(json.dumps(state.to_dict())), ignore, ignore, ignore)
    elif not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":

        def say(sentence: str) -> None:
            print_text(sentence, err=True)

        yield RunDisplay(_plain, lambda _: None, lambda count: say(_draining(count)), say)
    else:
        with _live_table(workers, limit_of) as display:
            yield display


def _draining(count: int) -> str:
    """What the first Ctrl-C has done, and what a second one would do."""
    if not count:
        return "Interrupted: nothing new begins."
    what = "it" if count == 1 else "them"
    return (
        f"Interrupted: {counted(count, 'run')} may finish, and nothing new begins. "
        f"Press Ctrl-C again to stop {what} now."
    )


def _plain(state: RunState) -> None:
    """One line when a run begins and one when it ends."""
    click.echo(state_line(state), err=True)


def state_line(state: RunState) -> str:
    """A run that has begun or ended, in a line."""
    name = f"{state.planned.competition_id} seed {state.planned.seed}"
    if state.status in ("running", "planned"):
        return f"{name}: {'started' if state.status == 'running' else 'submitted'}"
    used = "" if state.seconds is None else f" after {format_seconds(state.seconds)}"
    if state.memory_bytes:
        used += f", {format_bytes(state.memory_bytes)}"
    without = ", the sample handed in" if state.sample_handed_in else "" if state.has_submission else ", no submission"
    reason = f": {state.last_line}" if state.last_line else ""
    return f"{name}: {state.status}{used}{without}{reason}"


def _cells(state: RunState) -> list[str]:
    """One run in the live table."""
    handed_in = {True: "yes", False: "none", None: "yes" if state.submission_so_far else ""}[state.has_submission]
    return [
        state.planned.competition_id,
        str(state.planned.seed),
        state.status,
        format_seconds(state.seconds),
        format_bytes(state.memory_bytes) if state.memory_bytes else "",
        "sample" if state.sample_handed_in else handed_in,
        f"waiting for {state.waiting_for}" if state.waiting_for else plain(state.last_line),
    ]


def live_tables(rows: list[list[str]], width: int) -> list[Table]:
    """The live table in a width; in a very narrow one, several."""
    from rich.cells import cell_len

    columns = columns_of(_HEADER, rows, right=("seed", "elapsed", "memory"), shorten={"last line": 16})
    layouts = fitted(columns, width, drop=("memory", "last line", "submission"), measure=cell_len)
    return [rich_table(layout, {"state": STATUS_STYLES}) for layout in layouts]


def _title(states: Sequence[RunState], elapsed: float, left: str) -> str:
    ended = sum(state.status not in UNFINISHED for state in states)
    counts = f"{ended} of {counted(len(states), 'run')} ended, {format_clock(elapsed)}"
    return f"{counts}, {left}" if left else counts


def _not_shown(states: Sequence[RunState]) -> str:
    """The runs for which there is no room, counted by their state."""
    counts = Counter(state.status for state in states)
    return f"and {len(states)} more: " + ", ".join(f"{count} {status}" for status, count in counts.items())


def live_view(states: Sequence[RunState], title: str, console: Console) -> Group:
    """The whole view, never higher than the terminal: what would be cannot be drawn over and leaves ghosts behind."""
    from rich.console import Group
    from rich.text import Text

    order = sorted(states, key=lambda state: (state.status != "running", state.status == "planned"))
    # A key that is pressed, such as ^C, is echoed behind the last line, which must not break for that.
    width = max(1, console.width - _ECHO)
    room = min(_MOST, len(order))
    while True:
        parts: list[RenderableType] = [Text(cut(title, width), style="bold")]
        parts += live_tables([_cells(state) for state in order[:room]], width) if room else []
        if room < len(order):
            parts.append(Text(cut(_not_shown(order[room:]), width), style="dim"))
        view = Group(*parts)
        too_many = len(console.render_lines(view)) - (console.height - 1)
        if too_many <= 0 or room <= 0:
            return view
        room -= 1 if too_many < 4 else too_many // 4


@contextmanager
def _live_table(workers: int, limit_of: Callable[[str], float | None]) -> Iterator[RunDisplay]:
    """The live table, and sentences above it: all of it through one console, which knows what is on the terminal."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True, highlight=False)
    began, drains = time.monotonic(), threading.Event()
    one_at_a_time = threading.Lock()  # each goes back over what the other has drawn

    def view(board: Board, *, is_over: bool) -> Group:
        states = board.states()
        to_come = [state for state in states if not (drains.is_set() and state.status == "planned")]
        left = "" if is_over else time_left(to_come, workers, limit_of)
        return live_view(states, _title(states, time.monotonic() - began, left), console)

    def say(sentence: str) -> None:
        with one_at_a_time:
            console.print(broken_at_words(sentence, sys.stderr), markup=False, soft_wrap=True)

    def drain(count: int) -> None:
        drains.set()
        say(_draining(count))

    with _interrupts_keep_output(), ExitStack() as stack:
        live = stack.enter_context(Live(console=console, auto_refresh=False, redirect_stdout=sys.stdout.isatty()))

        def draw(board: Board, *, is_over: bool) -> None:
            drawn = view(board, is_over=is_over)
            with one_at_a_time:
                live.update(drawn, refresh=True)

        def show(board: Board) -> None:
            def follow(stop: threading.Event) -> None:
                while not stop.wait(_PAUSE):
                    draw(board, is_over=False)
                draw(board, is_over=True)

            stack.enter_context(beside(follow))

        with _logged_by(console):
            yield RunDisplay(lambda _: None, show, drain, say)


@contextmanager
def _interrupts_keep_output() -> Iterator[None]:
    """Within this block Ctrl-C does not make the terminal throw away what it has not drawn yet.

    With half a view lost, the next one would be drawn over the lines above it.
    """
    try:
        import termios
    except ImportError:  # no such terminal
        yield
        return
    terminal = sys.stderr.fileno()
    before = termios.tcgetattr(terminal)
    _set_terminal(terminal, [*before[:3], before[3] | termios.NOFLSH, *before[4:]])
    try:
        yield
    finally:
        _set_terminal(terminal, before)


def _set_terminal(terminal: int, settings: list[Any]) -> None:
    import termios

    with suppress(OSError, termios.error):
        if os.tcgetpgrp(terminal) == os.getpgrp():  # in the background, changing a terminal would stop us
            termios.tcsetattr(terminal, termios.TCSADRAIN, settings)


@contextmanager
def _logged_by(console: Console) -> Iterator[None]:
    """Within this block what is logged to standard error goes through the console too."""
    handlers = [handler for handler in logging.getLogger("mlebench").handlers if type(handler) is logging.StreamHandler]
    before = [handler.setStream(sys.stderr) for handler in handlers]  # which is the console's while it is live
    try:
        yield
    finally:
        for handler, stream in zip(handlers, before, strict=True):
            handler.setStream(stream or sys.__stderr__)
