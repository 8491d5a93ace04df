"""Running a group: all runs that have not ended, at most a number of them at a time, whatever executes them.

The group's record follows every end. Ctrl-C once drains: what runs may finish, nothing new begins. Ctrl-C twice stops
what runs. Where runs outlive this process, they can be left to themselves, and an error here ends none of them.
"""

from __future__ import annotations

import errno
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

from mlebench.errors import MlebenchError, is_disk_full
from mlebench.results.events import Board, RunState, board_of_plan, ended_state
from mlebench.results.names import LOCK_FILE
from mlebench.results.records import GroupRecord, PlannedRun, RunRecord
from mlebench.runs.disk import release_records
from mlebench.runs.endings import RUNNER_LOST, attempt_of_fault
from mlebench.runs.executors import Executor, ExecutorKind, require_executor
from mlebench.runs.group import PlannedGroup
from mlebench.runs.resume import pick_up, plan_again
from mlebench.services.opening import check_services

OnState: TypeAlias = Callable[[RunState], None]
_PATIENCE = 0.5  # seconds; whoever only asks whether a group is being run holds it for an instant
_HEED_EVERY = 0.2  # seconds after which an interrupt is heeded while nothing ends
_NOTING_SHARE = 0.02  # of the time, at most, goes to writing the record of the group, however many runs it has


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
    detach: bool = False,
    on_state: OnState = lambda _: None,
    on_board: Callable[[Board], None] = lambda _: None,
    on_orphans: Callable[[int], None] = lambda _: None,
    on_drain: Callable[[int], None] = lambda _: None,
) -> bool:
    """Run all runs of a group that have not ended, at most `workers` at a time; whether all are complete now.

    A run that fails never stops the group. Faults of the machine are retried as often as the settings say. Of the
    functions, `on_state` is given every begin and end, `on_board` the board that a display reads, `on_orphans` how many
    runs of an earlier process were ended, and `on_drain`, after the first interrupt, how many may still finish. An
    `executor` of the caller's takes the place of the one that the settings name. With `detach` all runs are submitted
    and left to themselves; running the group again later waits for them.
    """
    kind = require_executor(group.settings.executor)
    if detach:
        require_detachable(kind)
    with hold_group(group), counted_interrupts(interrupts) as counted:
        if not group.is_complete:
            check_services(group.settings.services)
        executing = executor or kind(group, workers)
        loop = _Loop(group, executing, kind.outlives, counted, on_state, on_drain)
        try:
            picked_up = pick_up(group, executing)
            if picked_up.ended:
                on_orphans(picked_up.ended)
            on_board(board_of_plan(group.folder, group.record.plan))
            loop.run(picked_up.adopted, detach=detach)
        finally:
            loop.close()
    return group.is_complete


def workers_before(group: PlannedGroup) -> int:
    """How many runs at a time a group has that is resumed, where nothing else is asked for."""
    return require_executor(group.settings.executor).workers_before(group)


def require_detachable(kind: ExecutorKind) -> None:
    """Refuse to leave runs to themselves that end with the process that submitted them."""
    if not kind.outlives:
        raise MlebenchError(
            f"Runs of the executor {kind.name} end with this command, so there is nothing to detach from.",
            hint="--detach is for --executor slurm.",
        )


class _Loop:
    """Submits runs while there is room, and takes note of those that end."""

    def __init__(
        self,
        group: PlannedGroup,
        executor: Executor,
        outlives: bool,
        interrupts: Interrupts,
        on_state: OnState,
        on_drain: Callable[[int], None],
    ) -> None:
        self._group, self._executor, self._outlives = group, executor, outlives
        self._notes = _Notes(group)
        self._interrupts, self._on_state, self._on_drain = interrupts, on_state, on_drain
        self._retries = group.settings.retries
        self._waiting: list[PlannedRun] = []
        self._busy: set[PlannedRun] = set()
        self._cancelled: set[PlannedRun] = set()
        self._drains = False
        self._no_room: OSError | None = None  # nothing new begins on a disk that is full

    def run(self, adopted: tuple[PlannedRun, ...], *, detach: bool = False) -> None:
        """Run everything that has not ended; `adopted` is under way already. With `detach` nothing is waited for."""
        self._busy |= set(adopted)
        others = [planned for planned in self._group.record.plan if planned not in self._busy]
        self._waiting = [planned for planned in others if not self._group.run_record(planned).is_complete]
        if detach:
            self._submit()
            return
        while (self._waiting and self._may_begin) or self._busy:
            self._submit()
            self._heed_interrupts()
            for planned in self._executor.wait(_HEED_EVERY):
                self._note_end(planned)
            self._notes.write_if_due()
        if self._no_room is not None:
            raise self._no_room

    @property
    def _may_begin(self) -> bool:
        return not self._interrupts.count and self._no_room is None

    def _submit(self) -> None:
        room = self._executor.capacity - len(self._busy)
        if not self._waiting or room < 1 or not self._may_begin:
            return
        runs, self._waiting = self._waiting[:room], self._waiting[room:]
        self._executor.submit(runs)
        self._busy |= set(runs)
        for planned in runs:
            state = RunState(planned, phase="queued") if self._outlives else RunState(planned, "running")
            self._on_state(state)

    def _heed_interrupts(self) -> None:
        if self._interrupts.count == 1 and not self._drains:
            self._drains = True
            withdrawn = self._executor.withdraw()
            self._busy -= set(withdrawn)
            self._waiting += withdrawn
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
            self._notes.add(planned, record)
        self._on_state(ended_state(planned, record))

    def _is_retried(self, record: RunRecord) -> bool:
        # What another run has spoilt is made good once, even where nothing is retried.
        retries = self._retries + (record.code == "disk-filled-by-other-run")
        return record.status == "infrastructure" and record.attempt <= retries and not self._interrupts.count

    def _plan_again(self, planned: PlannedRun, record: RunRecord) -> None:
        plan_again(self._group, planned, record)
        self._waiting.append(planned)

    def close(self) -> None:
        """Stop what still runs and would be lost with this process, and let go of the executor."""
        try:
            if not self._outlives:
                self._cancel()
        finally:
            try:
                self._executor.close()
            finally:
                self._notes.write()


class _Notes:
    """Writes results into the group's record: soon, but not at every end, for it grows with the number of runs.

    What is lost with this process, or on a full disk, the records of the runs have, and resuming writes it.
    """

    def __init__(self, group: PlannedGroup) -> None:
        self._group = group
        self._is_written = True
        self._next = 0.0

    def add(self, planned: PlannedRun, record: RunRecord) -> None:
        """Note the result of a run."""
        release_records(self._group.folder_of(planned))
        self._group.record = self._group.record.with_result(planned, record)
        self._is_written = False
        self.write_if_due()

    def write_if_due(self) -> None:
        """Write what was noted, unless that was done a moment ago."""
        if time.monotonic() >= self._next:
            self.write()

    def write(self) -> None:
        """Write what was noted."""
        if self._is_written:
            return
        start = time.monotonic()
        try:
            self._group.record.save(self._group.folder)
            self._is_written = True
        except OSError as error:
            if not is_disk_full(error):
                raise
        took = time.monotonic() - start
        self._next = start + took / _NOTING_SHARE


def _with_end(record: RunRecord, group: PlannedGroup, planned: PlannedRun) -> RunRecord:
    """The record of a run that is over; where whoever executed it was killed, nothing says how it ended."""
    if record.has_ended:
        return record
    record = replace(
        record,
        status=RUNNER_LOST.status,
        code=RUNNER_LOST.code,
        error=RUNNER_LOST.error,
        attempt=attempt_of_fault(record, RUNNER_LOST),
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
