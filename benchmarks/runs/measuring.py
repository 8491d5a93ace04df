"""What the benchmarks of run groups share: groups of quick runs on practice data, run as typed, and measured."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import psutil

from mlebench.competition.registry import Registry
from mlebench.data.prepare import is_dataset_prepared, prepare
from mlebench.runs.group import load_group

COMPETITION = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'
_RUNNER = "mlebench.runs.executors.runner"


@dataclass(frozen=True)
class Measured:
    """What a group took; `busy_seconds` are those from the first start of an agent to the last end.

    Processor seconds and peak memory are those of the command, and of its runners where it has some; those of agents
    and of what confines them are not counted.
    """

    executor: str
    runs: int
    workers: int
    succeeded: int
    seconds: float
    busy_seconds: float
    cpu_seconds: float
    runners_cpu_seconds: float
    megabytes: int
    runners_megabytes: int

    @property
    def rate(self) -> float:
        """Runs per second, while there are runs."""
        return self.runs / self.busy_seconds


class _Use:
    """What a process has used so far."""

    def __init__(self) -> None:
        self.cpu, self.memory = 0.0, 0

    def measure(self, process: psutil.Process) -> None:
        with process.oneshot():
            times = process.cpu_times()
            self.cpu = times.user + times.system
            self.memory = max(self.memory, process.memory_info().rss)


@contextmanager
def scratch(prepared: Path | None = None) -> Iterator[Path]:
    """A folder with practice data in `data`, removed afterwards; groups that are planned meanwhile leave no trace.

    `prepared` is a data folder that has it already: preparing needs pandas and scikit-learn, and running does not.
    """
    with tempfile.TemporaryDirectory(prefix="mlebench-benchmark-") as name:
        folder = Path(name)
        os.environ["MLEBENCH_STATE_DIR"] = str(folder / "state")
        if prepared is not None:
            shutil.copytree(prepared / COMPETITION, folder / "data" / COMPETITION)
        competition = Registry(folder / "data").get_competition(COMPETITION)
        if not is_dataset_prepared(competition):
            prepare(competition)
        yield folder


def run_measured(
    folder: Path,
    *,
    executor: str = "local",
    sandbox: str = "process",
    runs: int,
    workers: int,
    seconds: float = 0.0,
    extra: Sequence[str] = (),
) -> Measured:
    """Run a group of agents that hand in the sample, and sleep so long; what it took."""
    runs_dir = Path(tempfile.mkdtemp(dir=folder))
    command = f"{HAND_IN}; sleep {seconds}" if seconds else HAND_IN
    arguments = ["--agent", "command", "--command", command, "-c", COMPETITION, "--json", "--memory-limit", "1G"]
    arguments += ["--seeds", str(runs), "--workers", str(workers), "--sandbox", sandbox, "--executor", executor]
    arguments += ["--time-limit", "10m", "--runs-dir", str(runs_dir), "--data-dir", str(folder / "data"), *extra]
    start = time.monotonic()
    process = subprocess.Popen([sys.executable, "-m", "mlebench", "run", *arguments], stdout=subprocess.PIPE)
    reader = threading.Thread(target=process.stdout.read if process.stdout else lambda: b"")
    reader.start()
    use, runners = _watched(process)
    reader.join()
    taken = time.monotonic() - start
    records = load_group(next(runs_dir.glob("*_run-group_command"))).run_records()
    begun = [datetime.fromisoformat(record.started_at) for record in records if record.started_at]
    ended = [datetime.fromisoformat(record.ended_at) for record in records if record.ended_at]
    return Measured(
        executor=executor,
        runs=runs,
        workers=workers,
        succeeded=sum(record.status == "success" for record in records),
        seconds=taken,
        busy_seconds=(max(ended) - min(begun)).total_seconds(),
        cpu_seconds=use.cpu,
        runners_cpu_seconds=sum(runner.cpu for runner in runners),
        megabytes=use.memory >> 20,
        runners_megabytes=sum(runner.memory for runner in runners) >> 20,
    )


def _watched(process: subprocess.Popen[Any]) -> tuple[_Use, list[_Use]]:
    """What a process, and each of its runners, use until it ends."""
    watched, use = psutil.Process(process.pid), _Use()
    runners: dict[psutil.Process, _Use] = {}
    others: set[psutil.Process] = set()
    while process.poll() is None:
        try:
            use.measure(watched)
            for child in watched.children():
                if child not in others and child not in runners:
                    if _RUNNER in child.cmdline():
                        runners[child] = _Use()
                    else:
                        others.add(child)
        except psutil.Error:  # it has just ended
            continue
        for child, used in runners.items():
            try:
                used.measure(child)
            except psutil.Error:
                continue
        time.sleep(0.1)
    return use, list(runners.values())
