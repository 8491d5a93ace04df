"""The executor `local`: runs on this machine, each supervised by a thread.

A few runs are threads of this process. More than that are threads of runners, since in one process they would wait for
each other: only one thread at a time executes Python.
"""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, ClassVar

from mlebench.errors import MlebenchError
from mlebench.files.writing import now
from mlebench.results.events import read_events
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.execute import execute_run
from mlebench.runs.executors.ended import EndedRuns
from mlebench.runs.executors.interface import ExecutorDefaults
from mlebench.runs.executors.pool import RunnerPool
from mlebench.runs.work_folders import discard_shown, hidden_work_folder
from mlebench.sandbox import SANDBOXES
from mlebench.services.opening import SERVICES

if TYPE_CHECKING:
    from mlebench.runs.group import PlannedGroup
    from mlebench.runs.settings import RunSettings

MOST_THREADS = 4  # runs at a time that are executed in this process
_SILENCE = 600.0  # seconds without a sign of life after which a runner on another machine is taken for dead


class LocalExecutor(ExecutorDefaults):
    """Runs on this machine."""

    name: ClassVar[str] = "local"

    def __init__(self, group: PlannedGroup, workers: int) -> None:
        super().__init__(group, workers)
        self._ended = EndedRuns()
        self._workers: _Threads | RunnerPool
        if workers > MOST_THREADS and _is_known_to_runners(group.settings):
            self._workers = RunnerPool(group, self.name, workers, self._ended.add)
        else:
            self._workers = _Threads(group, self.name, workers, self._ended.add)

    def submit(self, runs: Sequence[PlannedRun]) -> None:
        """Begin each run in a thread, here or in a runner."""
        for planned in runs:
            self._workers.submit(planned)

    def wait(self, seconds: float) -> Sequence[PlannedRun]:
        """Wait until a run has ended, at most for `seconds`."""
        return self._ended.wait(seconds)

    def cancel(self, runs: Sequence[PlannedRun]) -> None:
        """Ask runs to stop."""
        for planned in runs:
            self._workers.cancel(planned)

    def collect(self, planned: PlannedRun) -> RunRecord:
        """The record of a run that has ended; what a runner that was killed has left of it is ended first."""
        record = self._workers.collect(planned)
        if not record.has_ended:
            self.end_orphan(planned, record)
            for folder in (self.group.folder_of(planned), hidden_work_folder(self.group.folder, planned.run_id)):
                discard_shown(folder)
        return record

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
        self._workers.close()


def _is_known_to_runners(settings: RunSettings) -> bool:
    """Whether other processes have the sandbox and the services of a group: a program may have its own, for itself."""
    return SANDBOXES.is_known_elsewhere(settings.sandbox) and all(map(SERVICES.is_known_elsewhere, settings.services))


class _Threads:
    """Executes runs in threads of this process; `on_end` is given each run that has ended."""

    def __init__(self, group: PlannedGroup, executor: str, workers: int, on_end: Callable[[PlannedRun], None]) -> None:
        self._group, self._executor, self._on_end = group, executor, on_end
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="run")
        self._futures: dict[PlannedRun, Future[RunRecord]] = {}
        self._stops: dict[PlannedRun, threading.Event] = {}

    def submit(self, planned: PlannedRun) -> None:
        """Begin a run."""
        stop = self._stops[planned] = threading.Event()
        future = self._futures[planned] = self._pool.submit(self._executed, planned, stop)
        future.add_done_callback(lambda _: self._on_end(planned))

    def _executed(self, planned: PlannedRun, stop: threading.Event) -> RunRecord:
        return execute_run(
            self._group, planned, should_stop=stop.is_set, executor=self._executor, job_id=str(os.getpid())
        )

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
