"""The display of a run group: a live table on a terminal, plain lines elsewhere, JSON events for machines."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

import click

from mlebench.base.wording import counted, plain
from mlebench.cli.output import STATUS_STYLES, in_bytes, rich_table
from mlebench.cli.quantities import in_time
from mlebench.cli.tables import columns_of, fitted

if TYPE_CHECKING:
    from rich.table import Table

    from mlebench.results.events import Board, RunState
    from mlebench.runs.running import OnState

_HEADER = ("competition", "seed", "state", "elapsed", "memory", "submission", "last line")
_FEWEST, _MOST = 3, 30  # runs in the live table, those under way first: what the terminal has room for
_AROUND = 6  # lines of the terminal that hold no run


@contextmanager
def run_display(*, as_json: bool) -> Iterator[tuple[OnState, Callable[[Board], None]]]:
    """(what is given every change, what is given the board once): one of three displays."""
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


def _cells(state: RunState) -> list[str]:
    """One run in the live table."""
    handed_in = {True: "yes", False: "none", None: ""}[state.has_submission]
    return [
        state.planned.competition_id,
        str(state.planned.seed),
        state.status,
        in_time(state.seconds),
        in_bytes(state.memory_bytes) if state.memory_bytes else "",
        "sample" if state.sample_handed_in else handed_in,
        f"waiting for {state.waiting_for}" if state.waiting_for else plain(state.last_line),
    ]


def live_tables(rows: list[list[str]], width: int) -> list[Table]:
    """The live table in a width; in a very narrow one, several."""
    from rich.cells import cell_len

    columns = columns_of(_HEADER, rows, right=("seed", "elapsed", "memory"), shorten={"last line": 16})
    layouts = fitted(columns, width, drop=("memory", "last line", "submission"), measure=cell_len)
    return [rich_table(layout, {"state": STATUS_STYLES}) for layout in layouts]


def _live_table() -> AbstractContextManager[Callable[[Board], None]]:
    """The live table: a block that is given what shows a board until the block ends."""
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)

    def view(board: Board) -> Group:
        states = board.states()
        done = sum(state.status not in ("planned", "running") for state in states)
        order = sorted(states, key=lambda state: (state.status != "running", state.status == "planned"))
        room = max(_FEWEST, min(_MOST, console.height - _AROUND))
        title = f"{done} of {counted(len(states), 'run')}"
        tables = live_tables([_cells(state) for state in order[:room]], console.width)
        return Group(Text(title, style="bold"), *tables)

    @contextmanager
    def shown() -> Iterator[Callable[[Board], None]]:
        stop = threading.Event()
        with Live(console=console, refresh_per_second=4) as live:

            def follow(board: Board) -> None:
                while not stop.wait(0.25):
                    live.update(view(board))
                live.update(view(board))

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
