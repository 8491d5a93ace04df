"""Running a group: all runs that have not ended, so many at a time, whatever executes them.

The group's record follows every end. Ctrl-C once drains: what runs may finish, nothing new begins. Ctrl-C twice stops
what runs.
"""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

from mlebench.errors import MlebenchError, is_disk_full
from mlebench.results.events import Board, RunState, board_of_plan, ended_state
from mlebench.results.names import LOCK_FILE
from mlebench.results.records import GroupRecord, PlannedRun, RunRecord
from mlebench.runs.disk import release_records
from mlebench.runs.endings import RUNNER_LOST
from mlebench.runs.executors import Executor, require_executor
from mlebench.runs.group import PlannedGroup
from mlebench.runs.resume import pick_up, plan_again
from mlebench.services.opening import check_services

OnState: TypeAlias = Callable[[RunState], None]
_PATIENCE = 0.5  # seconds; whoever only asks whether a group is being run holds it for an instant
_HEED_EVERY = 0.2  # seconds after which an interrupt is heeded while nothing ends


@dataclass
class Interrupts:
    """How often the user pressed Ctrl-C: once drains (running runs may finish), twice stops them."""

    count: int = 0


def run_group(
    group: PlannedGroup,
    *,
    workers: int,
    executor: Executor | None = None,
    interrupts: Interrupts | None = None,
    on_state: OnState = lambda _: None,
    on_board: Callable[[Board], None] = lambda _: None,
    on_orphans: Callable[[int], None] = lambda _: None,
    on_drain: Callable[[int], None] = lambda _: None,
) -> bool:
    """Run all runs of a group that have not ended, so many at a time; whether all are complete now.

    A run that fails never stops the group. Faults of the machine are retried as often as the settings say. Of the
    functions, `on_state` is given every begin and end, `on_board` the board that a display reads, `on_orphans` how many
    runs of an earlier process were ended, and `on_drain`, after the first interrupt, how many may still finish. An
    `executor` of the caller's takes the place of the one that the settings name.
    """
    with hold_group(group), counted_interrupts(interrupts) as counted:
        if not all(record.is_complete for record in group.run_records()):
            check_services(group.settings.services)
        executing = executor or require_executor(group.settings.executor)(group, workers)
        loop = _Loop(group, executing, workers, counted, on_state, on_drain)
        try:
            picked_up = pick_up(group, executing)
            if picked_up.ended:
                on_orphans(picked_up.ended)
            on_board(board_of_plan(group.folder, group.record.plan))
            loop.run(picked_up.adopted)
        finally:
            loop.close()
    return all(record.is_complete for record in group.run_records())


class _Loop:
    """Submits runs while there is room, and takes note of those that end."""

    def __init__(
        self,
        group: PlannedGroup,
        executor: Executor,
        workers: int,
        interrupts: Interrupts,
        on_state: OnState,
        on_drain: Callable[[int], None],
    ) -> None:
        self._group, self._executor, self._workers = group, executor, workers
        self._interrupts, self._on_state, self._on_drain = interrupts, on_state, on_drain
        self._retries = group.settings.retries
        self._waiting: list[PlannedRun] = []
        self._busy: set[PlannedRun] = set()
        self._cancelled: set[PlannedRun] = set()
        self._drains = False
        self._no_room: OSError | None = None  # nothing new begins on a disk that is full

    def run(self, adopted: tuple[PlannedRun, ...]) -> None:
        """Run everything that has not ended; `adopted` is under way already."""
        self._busy |= set(adopted)
        complete = {planned for planned in self._group.record.plan if self._group.run_record(planned).is_complete}
        self._waiting = [run for run in self._group.record.plan if run not in complete and run not in self._busy]
        while (self._waiting and self._may_begin) or self._busy:
            self._submit()
            self._heed_interrupts()
            for planned in self._executor.wait(_HEED_EVERY):
                self._note_end(planned)
        if self._no_room is not None:
            raise self._no_room

    @property
    def _may_begin(self) -> bool:
        return not self._interrupts.count and self._no_room is None

    def _submit(self) -> None:
        room = self._workers - len(self._busy)
        if not self._waiting or room < 1 or not self._may_begin:
            return
        runs, self._waiting = self._waiting[:room], self._waiting[room:]
        self._executor.submit(runs)
        self._busy |= set(runs)
        for planned in runs:
            self._on_state(RunState(planned, "running"))

    def _heed_interrupts(self) -> None:
        if self._interrupts.count == 1 and not self._drains:
            self._drains = True
            self._on_drain(len(self._busy))
        if self._interrupts.count > 1:
            self._cancel()

    def _cancel(self) -> None:
        if asked := self._busy - self._cancelled:
            self._executor.cancel(list(asked))
            self._cancelled |= asked

    def _note_end(self, planned: PlannedRun) -> None:
        self._busy.discard(planned)
        record = _with_end(self._executor.collect(planned), self._group, planned)
        if record.code == "disk-full":  # and no run is to blame: the next ones would find the same
            self._no_room = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._group.folder))
            self._plan_again(planned, replace(record, attempt=record.attempt - 1))
        elif self._is_retried(record):
            self._plan_again(planned, record)
        else:
            _note_result(self._group, planned, record)
        self._on_state(ended_state(planned, record))

    def _is_retried(self, record: RunRecord) -> bool:
        # What another run has spoilt is made good once, even where nothing is retried.
        retries = self._retries + (record.code == "disk-filled-by-other-run")
        return record.status == "infrastructure" and record.attempt <= retries and not self._interrupts.count

    def _plan_again(self, planned: PlannedRun, record: RunRecord) -> None:
        plan_again(self._group, planned, record)
        self._waiting.append(planned)

    def close(self) -> None:
        """Stop what still runs, and let go of the executor."""
        try:
            self._cancel()
        finally:
            self._executor.close()


def _note_result(group: PlannedGroup, planned: PlannedRun, record: RunRecord) -> None:
    """Write a result into the group's record; on a full disk the next one, or the next to resume, writes it too."""
    release_records(group.folder_of(planned))
    try:
        group.note(planned, record)
    except OSError as error:
        if not is_disk_full(error):
            raise


def _with_end(record: RunRecord, group: PlannedGroup, planned: PlannedRun) -> RunRecord:
    """The record of a run that is over; where whoever executed it was killed, nothing says how it ended."""
    if record.has_ended:
        return record
    record = replace(
        record,
        status=RUNNER_LOST.status,
        code=RUNNER_LOST.code,
        error=RUNNER_LOST.error,
        attempt=max(1, record.attempt),
        identity={},
    )
    record.save(group.folder_of(planned))
    return record


@contextmanager
def hold_group(group: PlannedGroup) -> Iterator[None]:
    """Hold the group: a second process that wants to run it is refused."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(group.folder / LOCK_FILE, timeout=_PATIENCE):
            group.record = GroupRecord.load(group.folder)  # as the last one left it
            yield
    except Timeout as error:
        raise MlebenchError(
            f"{group.folder} is being run by another process.", hint="Wait for it, or stop it first."
        ) from error


@contextmanager
def counted_interrupts(interrupts: Interrupts | None = None) -> Iterator[Interrupts]:
    """Within this block Ctrl-C is counted instead of raised."""
    counted = interrupts or Interrupts()
    if threading.current_thread() is not threading.main_thread():  # where Python does not let us
        yield counted
        return

    def count(*_: object) -> None:
        counted.count += 1

    before = signal.signal(signal.SIGINT, count)
    terminate = signal.signal(signal.SIGTERM, lambda *_: setattr(counted, "count", 2))
    try:
        yield counted
    finally:
        signal.signal(signal.SIGINT, before)
        signal.signal(signal.SIGTERM, terminate)
