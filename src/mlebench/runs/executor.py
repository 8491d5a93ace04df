"""Where runs take place: an executor starts them, says which have ended, and ends them on demand.

`LocalExecutor` runs them on this machine, each watched by a thread of its own. Another one (a cluster) is one class.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from mlebench.runs.record import PlannedRun, RunRecord

# Makes one run from beginning to end; the second argument says whether it should stop.
MakeRun = Callable[[PlannedRun, Callable[[], bool]], RunRecord]


class Executor(Protocol):
    """Makes runs somewhere."""

    def submit(self, planned: PlannedRun) -> None:
        """Begin a run; there is room for it."""
        ...

    def look(self) -> Sequence[PlannedRun]:
        """The runs that have ended since the last look."""
        ...

    def cancel(self, planned: PlannedRun) -> None:
        """Ask a run to stop; it ends as `cancelled` soon."""
        ...

    def collect(self, planned: PlannedRun) -> RunRecord:
        """The record of a run that has ended."""
        ...

    def close(self) -> None:
        """Wait for what was cancelled and let go of everything."""
        ...


class LocalExecutor:
    """Runs on this machine."""

    def __init__(self, make_run: MakeRun, workers: int) -> None:
        self._make_run = make_run
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="run")
        self._futures: dict[PlannedRun, Future[RunRecord]] = {}
        self._stops: dict[PlannedRun, threading.Event] = {}

    def submit(self, planned: PlannedRun) -> None:
        """Begin a run in a thread."""
        stop = self._stops[planned] = threading.Event()
        self._futures[planned] = self._pool.submit(self._make_run, planned, stop.is_set)

    def look(self) -> Sequence[PlannedRun]:
        """The runs that have ended since the last look."""
        return [planned for planned, future in self._futures.items() if future.done()]

    def cancel(self, planned: PlannedRun) -> None:
        """Ask a run to stop."""
        self._stops[planned].set()

    def collect(self, planned: PlannedRun) -> RunRecord:
        """The record of a run that has ended."""
        del self._stops[planned]
        return self._futures.pop(planned).result()

    def close(self) -> None:
        """Wait for what was cancelled."""
        self._pool.shutdown(wait=True, cancel_futures=True)
