"""`mlebench runs watch`: where the runs of a group stand, as it goes on, whoever runs it."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlebench.cli.run import runs_dir_of_subcommand
from mlebench.errors import MlebenchError

if TYPE_CHECKING:
    from mlebench.results.events import RunState
    from mlebench.results.records import GroupRecord

_PAUSE = 0.5  # seconds between two looks


@click.command("watch", short_help="Follow where the runs of a group stand")
@click.argument("name", metavar="GROUP")
@runs_dir_of_subcommand
def command(runs_dir: Path, name: str) -> None:
    """Follow where the runs of GROUP (a folder, a name or `latest`) stand until all have ended.

    It reads what is on disk: the group may be run by another process, user or machine. Ctrl-C ends the watching, not
    the group. Where the output is no terminal, there is a line for every run that begins or ends.
    """
    from mlebench.base.wording import part_of
    from mlebench.results.events import board_of_record
    from mlebench.results.finding import find_group
    from mlebench.results.names import GROUP_FILE
    from mlebench.results.records import GroupRecord
    from mlebench.view.watching import is_being_run

    folder = find_group(name, runs_dir)
    record = GroupRecord.load(folder)
    board = board_of_record(folder, record)

    def states() -> list[RunState]:
        if not (folder / GROUP_FILE).exists():
            raise MlebenchError(f"{folder} was moved or removed while it was watched.")
        return board.states()

    def heading(found: Sequence[RunState]) -> str:
        left = len(_unfinished(found))
        if not left or is_being_run(folder, found):
            return title(found, record)
        if any(state.phase == "queued" for state in found):  # a queue may hold them, though nobody here waits for them
            return f"{title(found, record)}. To collect them: mlebench run --resume {name}"
        ended = part_of(len(found) - left, len(found), "run")
        return f"{ended} ended. Nobody runs the others now: mlebench run --resume {name}"

    try:
        (_follow_on_terminal if sys.stdout.isatty() else _follow_in_lines)(states, heading)
    except KeyboardInterrupt:
        found = board.states()
        click.echo("\nThe runs go on." if _unfinished(found) and is_being_run(folder, found) else "")


def _unfinished(states: Sequence[RunState]) -> list[RunState]:
    from mlebench.results.estimates import UNFINISHED

    return [state for state in states if state.status in UNFINISHED]


def title(states: Sequence[RunState], record: GroupRecord) -> str:
    """Where a group stands, and how long it may take."""
    from mlebench.results.estimates import recorded_limit, standing_in_words, time_left

    counts = Counter(state.status for state in states)
    left = time_left(states, max(1, counts["running"]), partial(recorded_limit, record)) if counts["running"] else ""
    return f"{record.agent}: {standing_in_words(states)}" + (f", {left}" if left else "")


def _follow_on_terminal(states: Callable[[], list[RunState]], heading: Callable[[list[RunState]], str]) -> None:
    from rich.console import Console
    from rich.live import Live

    from mlebench.cli.live import live_view

    console = Console(highlight=False)
    with Live(console=console, auto_refresh=False) as live:
        while True:
            found = states()
            live.update(live_view(found, heading(found), console), refresh=True)
            if not _unfinished(found):
                return
            time.sleep(_PAUSE)


def _follow_in_lines(states: Callable[[], list[RunState]], heading: Callable[[list[RunState]], str]) -> None:
    from mlebench.cli.live import state_line

    seen: dict[str, str] = {}
    while True:
        found = states()
        for state in found:
            run = state.planned.run_id
            if seen.get(run) != state.status and state.status != "planned":
                click.echo(state_line(state))
            seen[run] = state.status
        if not _unfinished(found):
            click.echo(f"{heading(found)}.")
            return
        time.sleep(_PAUSE)
