"""Where runs take place: an executor starts them, says which have ended, and ends them on demand.

`LocalExecutor` runs them on this machine, each watched by a thread of its own. Another one (a cluster) is one class: it
has a process somewhere make the run (`mlebench.runs.work`), which needs nothing but the folder of the group.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeAlias

from mlebench.results.records import PlannedRun, RunRecord

# Makes one run from beginning to end; the second argument says whether it should stop.
MakeRun: TypeAlias = Callable[[PlannedRun, Callable[[], bool]], RunRecord]


class Executor(Protocol):
    """Makes runs somewhere."""

    def submit(self, planned: PlannedRun) -> None:
        """Begin a run; there is room for it."""
        ...

    def look(self) -> Sequence[PlannedRun]:
        """The runs that have ended and were not collected yet."""
        ...

    def cancel(self, planned: PlannedRun) -> None:
        """Ask a run to stop; it ends as `cancelled` soon. Each run is asked once."""
        ...

    def collect(self, planned: PlannedRun) -> RunRecord:
        """The record of a run that has ended, as it is in its folder; called once for each."""
        ...

    def end_orphan(self, planned: PlannedRun, record: RunRecord) -> None:
        """End what still goes on of a run that an earlier orchestrator began; its record says what was known of it."""
        ...

    def close(self) -> None:
        """Wait for what was cancelled and let go of everything."""
        ...


class LocalExecutor:
    """Runs on this machine."""

    def __init__(self, make_run: MakeRun, end_orphan: Callable[[RunRecord], object], workers: int) -> None:
        self._make_run, self._end_orphan = make_run, end_orphan
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="run")
        self._futures: dict[PlannedRun, Future[RunRecord]] = {}
        self._stops: dict[PlannedRun, threading.Event] = {}

    def submit(self, planned: PlannedRun) -> None:
        """Begin a run in a thread."""
        stop = self._stops[planned] = threading.Event()
        self._futures[planned] = self._pool.submit(self._make_run, planned, stop.is_set)

    def look(self) -> Sequence[PlannedRun]:
        """The runs that have ended and were not collected yet."""
        return [planned for planned, future in self._futures.items() if future.done()]

    def cancel(self, planned: PlannedRun) -> None:
        """Ask a run to stop."""
        self._stops[planned].set()

    def collect(self, planned: PlannedRun) -> RunRecord:
        """The record of a run that has ended."""
        del self._stops[planned]
        return self._futures.pop(planned).result()

    def end_orphan(self, planned: PlannedRun, record: RunRecord) -> None:
        """End what a killed orchestrator left running on this machine."""
        self._end_orphan(record)

    def close(self) -> None:
        """Wait for what was cancelled."""
        self._pool.shutdown(wait=True, cancel_futures=True)
