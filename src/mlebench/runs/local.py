"""Running a group on this machine: the executor, the board of states and the interrupts put together."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mlebench.runs.events import Board, OnState
from mlebench.runs.executor import Executor, LocalExecutor
from mlebench.runs.group import Interrupts, PlannedGroup, end_orphans, orchestrating, run_group
from mlebench.runs.work import make_run


def run_locally(
    group: PlannedGroup,
    *,
    workers: int,
    on_state: OnState = lambda _: None,
    on_board: Callable[[Board], None] = lambda _: None,
    on_orphans: Callable[[int], None] = lambda _: None,
    on_drain: Callable[[int], None] = lambda _: None,
) -> bool:
    """Make all runs of a group that have not ended, on this machine; whether all are complete now."""

    def executor(board: Board) -> Executor:
        sandbox = group.settings.make_sandbox()
        return LocalExecutor(
            lambda planned, should_stop: make_run(group, planned, should_stop, board.sample),
            lambda record: sandbox.end_orphan(record.identity),
            workers,
        )

    return orchestrate(
        group,
        executor,
        workers=workers,
        on_state=on_state,
        on_board=on_board,
        on_orphans=on_orphans,
        on_drain=on_drain,
    )


def orchestrate(
    group: PlannedGroup,
    make_executor: Callable[[Board], Executor],
    *,
    workers: int,
    on_state: OnState = lambda _: None,
    on_board: Callable[[Board], None] = lambda _: None,
    on_orphans: Callable[[int], None] = lambda _: None,
    on_drain: Callable[[int], None] = lambda _: None,
) -> bool:
    """Make all runs of a group that have not ended, so many at a time; whether all are complete now.

    Ctrl-C once drains: what runs may finish, nothing new begins, and `on_drain` is told how many runs that are. Ctrl-C
    twice stops what runs.
    """
    with orchestrating(group), counted_interrupts() as interrupts:
        board = Board(group.record.plan, on_state)
        executor = make_executor(board)
        if orphans := end_orphans(group, executor):
            on_orphans(orphans)
        on_board(board)
        run_group(group, executor, workers=workers, interrupts=interrupts, on_change=board.change, on_drain=on_drain)
    return all(record.is_complete for record in group.run_records())


@contextmanager
def counted_interrupts() -> Iterator[Interrupts]:
    """Within this block Ctrl-C is counted instead of raised."""
    interrupts = Interrupts()
    if threading.current_thread() is not threading.main_thread():  # where Python does not let us
        yield interrupts
        return

    def count(*_: object) -> None:
        interrupts.count += 1

    before = signal.signal(signal.SIGINT, count)
    terminate = signal.signal(signal.SIGTERM, lambda *_: setattr(interrupts, "count", 2))
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
        signal.signal(signal.SIGTERM, terminate)
