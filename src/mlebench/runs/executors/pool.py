"""Runners as whoever starts them sees them: one, and a pool of them that shares the runs of a group."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.disk import clear_places, shared_table
from mlebench.runs.executors.order import RunOrder

if TYPE_CHECKING:
    from mlebench.runs.group import PlannedGroup

RUNS_PER_RUNNER = 2  # few enough that threads hardly ever wait for each other


class RunnerProcess:
    """A process that executes runs (see `mlebench.runs.executors.runner`) in a session of its own.

    Ctrl-C in a terminal does not reach it, and it ends with this process, whatever ends this one.
    """

    def __init__(
        self,
        *,
        environment: Mapping[str, str] | None = None,
        place: tuple[int, int] = (0, 1),
        table: int | None = None,
        on_end: Callable[[str, Sequence[Any] | None], None] = lambda *_: None,
        on_exit: Callable[[RunnerProcess], None] = lambda _: None,
    ) -> None:
        shared = [] if table is None else [str(table)]
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "mlebench.runs.executors.runner", *map(str, place), *shared],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            pass_fds=() if table is None else (table,),
            start_new_session=True,
        )
        self._on_end, self._on_exit = on_end, on_exit
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True, name="answers of a runner")
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None and self.process.stdin is not None
        with self.process.stdout as answers:
            for line in answers:
                answer = json.loads(line)
                self._on_end(answer["ended"], answer.get("error"))
        self.process.wait()
        with self._lock, suppress(OSError):
            self.process.stdin.close()
        self._on_exit(self)

    def execute(self, order: RunOrder) -> None:
        """Begin a run."""
        self._send({"execute": asdict(order)})

    def cancel(self, run_id: str) -> None:
        """Ask a run to stop."""
        self._send({"cancel": run_id})

    def finish(self) -> None:
        """Have it end after its last run."""
        self._send({"finish": True})

    def _send(self, values: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        with self._lock, suppress(OSError, ValueError):  # one that is gone tells so by its end
            self.process.stdin.write(f"{json.dumps(values)}\n".encode())
            self.process.stdin.flush()

    def close(self) -> None:
        """Wait for its end."""
        self.finish()
        self._reader.join()


class RunnerPool:
    """Executes runs in a few runners, started as they are needed; `on_end` is given each run that has ended."""

    def __init__(self, group: PlannedGroup, executor: str, workers: int, on_end: Callable[[PlannedRun], None]) -> None:
        self._group, self._executor, self._on_end = group, executor, on_end
        self._most = -(-workers // RUNS_PER_RUNNER)
        self._table = shared_table(self._most)
        self._lock = threading.Lock()
        self._runners: dict[int, RunnerProcess] = {}  # by their place among all
        self._runs: dict[str, tuple[PlannedRun, int]] = {}
        self._errors: dict[PlannedRun, Sequence[Any]] = {}

    def submit(self, planned: PlannedRun) -> None:
        """Begin a run in the runner that has least to do."""
        with self._lock:
            loads = dict.fromkeys(range(self._most), 0)
            for _, place in self._runs.values():
                loads[place] += 1
            place = min(loads, key=lambda place: (loads[place], place not in self._runners, place))
            if place not in self._runners:
                self._runners[place] = self._started(place)
            self._runs[planned.run_id] = planned, place
            order = RunOrder(str(self._group.folder), planned.run_id, self._executor, job_id=str(os.getpid()))
            self._runners[place].execute(order)

    def _started(self, place: int) -> RunnerProcess:
        return RunnerProcess(
            place=(place, self._most),
            table=self._table.fileno(),
            on_end=self._note_end,
            on_exit=lambda runner: self._note_exit(place, runner),
        )

    def _note_end(self, run_id: str, error: Sequence[Any] | None) -> None:
        with self._lock:
            planned, _ = self._runs.pop(run_id)
            if error is not None:
                self._errors[planned] = error
        self._on_end(planned)

    def _note_exit(self, place: int, runner: RunnerProcess) -> None:
        """Give up the runs of a runner that was killed; the next run has another one."""
        with self._lock:
            if self._runners.get(place) is runner:
                del self._runners[place]
                clear_places(self._table, place)
            lost = [planned for planned, where in self._runs.values() if where == place]
            for planned in lost:
                del self._runs[planned.run_id]
        for planned in lost:
            self._on_end(planned)

    def cancel(self, planned: PlannedRun) -> None:
        """Ask a run to stop."""
        with self._lock:
            _, place = self._runs.get(planned.run_id, (None, None))
            runner = None if place is None else self._runners.get(place)
        if runner is not None:
            runner.cancel(planned.run_id)

    def collect(self, planned: PlannedRun) -> RunRecord:
        """The record of a run that has ended, as its runner left it: without an end where that was killed.

        An error that left a run without a record is raised.
        """
        if (error := self._errors.pop(planned, None)) is not None:
            number, text, path = error
            raise OSError(number, text, path) if number is not None else RuntimeError(text)
        return self._group.run_record(planned)

    def close(self) -> None:
        """Wait for what was cancelled, and end all runners."""
        with self._lock:
            runners = list(self._runners.values())
        for runner in runners:
            runner.finish()
        for runner in runners:
            runner.close()
        self._table.close()
