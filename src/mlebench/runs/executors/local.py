"""The executor `local`: runs on this machine, each supervised by a thread of this process."""

from __future__ import annotations

import os
import platform
import queue
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, ClassVar

from mlebench.errors import MlebenchError
from mlebench.files.writing import now
from mlebench.results.events import read_events
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.execute import execute_run
from mlebench.runs.executors.interface import ExecutorDefaults

if TYPE_CHECKING:
    from mlebench.runs.group import PlannedGroup

_SILENCE = 600.0  # seconds without a sign of life after which a runner on another machine is taken for dead


class LocalExecutor(ExecutorDefaults):
    """Runs on this machine."""

    name: ClassVar[str] = "local"

    def __init__(self, group: PlannedGroup, workers: int) -> None:
        super().__init__(group, workers)
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="run")
        self._futures: dict[PlannedRun, Future[RunRecord]] = {}
        self._stops: dict[PlannedRun, threading.Event] = {}
        self._ended: queue.SimpleQueue[PlannedRun] = queue.SimpleQueue()

    def submit(self, runs: Sequence[PlannedRun]) -> None:
        """Begin each run in a thread."""
        for planned in runs:
            stop = self._stops[planned] = threading.Event()
            future = self._futures[planned] = self._pool.submit(self._executed, planned, stop)
            future.add_done_callback(lambda _, planned=planned: self._ended.put(planned))  # type: ignore[misc]

    def _executed(self, planned: PlannedRun, stop: threading.Event) -> RunRecord:
        return execute_run(self.group, planned, should_stop=stop.is_set, executor=self.name, job_id=str(os.getpid()))

    def wait(self, seconds: float) -> Sequence[PlannedRun]:
        """Wait until a run has ended, at most so long."""
        ended: list[PlannedRun] = []
        try:
            ended.append(self._ended.get(timeout=seconds))
            while True:
                ended.append(self._ended.get_nowait())
        except queue.Empty:
            return ended

    def cancel(self, runs: Sequence[PlannedRun]) -> None:
        """Ask runs to stop."""
        for planned in runs:
            self._stops[planned].set()

    def collect(self, planned: PlannedRun) -> RunRecord:
        """The record of a run that has ended."""
        del self._stops[planned]
        return self._futures.pop(planned).result()

    def end_orphan(self, planned: PlannedRun, record: RunRecord) -> None:
        """End what a killed process left running on this machine.

        Of a run on another machine nothing can be ended or known but when it last gave a sign of life.
        """
        host = record.node or platform.node()
        if host != platform.node():
            events = read_events(self.group.folder_of(planned))
            silence = (now() - events[-1].time).total_seconds() if events else _SILENCE
            if silence < _SILENCE:
                raise MlebenchError(
                    f"The run {planned.folder} is executed on {host}, which gave a sign of life {silence:.0f} s ago.",
                    hint=f"Resume the group there, or stop it there and wait for {_SILENCE / 60:.0f} minutes.",
                )
            return
        self.group.settings.make_sandbox().end_orphan(record.identity)

    def close(self) -> None:
        """Wait for what was cancelled."""
        self._pool.shutdown(wait=True, cancel_futures=True)
