"""The display of a run group: a live table on a terminal, plain lines elsewhere, JSON events for machines."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

import click

from mlebench.cli.output import in_bytes
from mlebench.cli.quantities import in_time

if TYPE_CHECKING:
    from mlebench.runs.events import Board, OnState, RunState

_SHOWN = 30  # runs in the live table: those under way first
_STYLES = {"success": "green", "running": "cyan", "planned": "dim", "cancelled": "dim"}


@contextmanager
def run_display(*, as_json: bool) -> Iterator[tuple[OnState, Callable[[Board], None]]]:
    """(what is told of every change, what is given the board once): one of three displays."""
    if as_json:
        yield lambda state: click.echo(json.dumps(state.to_dict())), lambda _: None
        return
    if not sys.stderr.isatty():
        yield _plain, lambda _: None
        return
    with _live_table() as show:
        yield lambda _: None, show


def _plain(state: RunState) -> None:
    """One line when a run begins and one when it ends."""
    name = f"{state.planned.competition_id} seed {state.planned.seed}"
    if state.status == "running":
        click.echo(f"{name}: started", err=True)
        return
    used = f"{in_time(state.seconds)}, {in_bytes(state.memory_bytes)}" if state.memory_bytes else in_time(state.seconds)
    without = ", the sample handed in" if state.sample_handed_in else "" if state.has_submission else ", no submission"
    reason = f": {state.last_line}" if state.last_line else ""
    click.echo(f"{name}: {state.status} after {used}{without}{reason}", err=True)


def _live_table() -> AbstractContextManager[Callable[[Board], None]]:
    """The live table: a block that is given what shows a board until the block ends."""
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table

    def table(board: Board) -> Table:
        states = board.states()
        done = sum(state.status not in ("planned", "running") for state in states)
        shown = Table(title=f"{done} of {len(states)} runs", expand=True)
        for name in ("competition", "seed", "state", "elapsed", "memory", "submission", "last line"):
            shown.add_column(name, no_wrap=True, overflow="ellipsis")
        order = sorted(states, key=lambda state: (state.status != "running", state.status == "planned"))
        for state in order[:_SHOWN]:
            handed_in = {True: "yes", False: "none", None: ""}[state.has_submission]
            submission = "sample" if state.sample_handed_in else handed_in
            memory = in_bytes(state.memory_bytes) if state.memory_bytes else ""
            style = _STYLES.get(state.status, "red")
            cells = [state.planned.competition_id, str(state.planned.seed), state.status, in_time(state.seconds)]
            shown.add_row(*cells, memory, submission, state.last_line, style=style)
        return shown

    @contextmanager
    def shown() -> Iterator[Callable[[Board], None]]:
        stop = threading.Event()
        with Live(console=Console(stderr=True), refresh_per_second=4) as live:

            def follow(board: Board) -> None:
                while not stop.wait(0.25):
                    live.update(table(board))
                live.update(table(board))

            threads: list[threading.Thread] = []

            def show(board: Board) -> None:
                threads.append(threading.Thread(target=follow, args=(board,), daemon=True))
                threads[0].start()

            try:
                yield show
            finally:
                stop.set()
                for thread in threads:
                    thread.join()

    return shown()
