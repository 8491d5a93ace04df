"""The time and the cores that the agent has, and work that is spread over the cores and ends in time."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Generic, TypeVar

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_QUOTA = Path("/sys/fs/cgroup/cpu.max")

Item = TypeVar("Item")


@dataclass(frozen=True)
class Budget:
    """The time limit of the run and the cores it may use; times are those of the monotonic clock."""

    started: float
    seconds: float
    cores: int

    def at(self, share: float) -> float:
        """The time at which this share of the limit is used up."""
        return self.started + share * self.seconds

    def is_past(self, share: float) -> bool:
        """Whether this share of the limit is used up."""
        return time.monotonic() > self.at(share)


def cores_of(environment: Mapping[str, str]) -> int:
    """How many cores there are to use: those the process may run on, its quota, and the threads it was allowed."""
    counts = [len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1]
    try:
        quota, period = _QUOTA.read_text(encoding="ascii").split()
        counts.append(max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        pass  # no control group, or one without a quota
    counts += [int(text) for name in _THREADS if (text := environment.get(name, "")).isdecimal() and int(text) > 0]
    return min(counts)


def use_one_thread_per_process() -> None:
    """Before the numeric libraries load: cores are used by processes, so that sums are the same everywhere."""
    for name in _THREADS:
        os.environ[name] = "1"


@dataclass(frozen=True)
class Done(Generic[Item]):
    """An item of work that was done; one that failed has no result but a problem."""

    item: Item
    result: Any
    problem: str = ""


def spread(function: Callable[[Item], Any], items: Sequence[Item], cores: int, deadline: float) -> Iterator[Done[Item]]:
    """Apply a function to items in as many processes as there are cores, and give results as they come.

    At the deadline, work that is under way is ended, and what is not done is not given. A process that dies, as it
    does when memory runs out, costs only the item it was at.
    """
    if not items or time.monotonic() > deadline:  # with many cores, some would be done before anybody looks
        return
    if not sys.platform.startswith("linux"):  # elsewhere a fork is not safe once libraries have loaded
        for item in items:
            if time.monotonic() > deadline:
                return
            yield _apply(function, item)
        return
    context = multiprocessing.get_context("fork")
    waiting = list(range(len(items)))[::-1]
    workers: dict[Connection, tuple[Any, int]] = {}  # process, and the number of the item it is at

    def start_next(connection: Connection | None = None, process: Any = None) -> None:
        if not waiting:
            if connection is not None:
                connection.close()  # the end of its input ends the process
            return
        if connection is None:
            connection, inside = context.Pipe()
            process = context.Process(target=_work, args=(function, items, inside), daemon=True)
            process.start()
            inside.close()
        number = waiting.pop()
        workers[connection] = (process, number)
        connection.send(number)

    try:
        for _ in range(min(cores, len(items))):
            start_next()
        while workers:
            ready = wait(list(workers), timeout=max(0.0, deadline - time.monotonic()))
            if not ready:
                return
            for connection in ready:
                assert isinstance(connection, Connection)
                process, number = workers.pop(connection)
                try:
                    done = connection.recv()
                except (EOFError, OSError):
                    yield Done(items[number], None, "its process died, perhaps because memory ran out")
                    start_next()
                else:
                    start_next(connection, process)
                    yield Done(items[number], *done)
    finally:
        for connection, (process, _) in workers.items():
            process.kill()
            connection.close()


def _work(function: Callable[[Any], Any], items: Sequence[Any], connection: Connection) -> None:
    try:
        while True:
            done = _apply(function, items[connection.recv()])
            connection.send((done.result, done.problem))
    except (EOFError, OSError, KeyboardInterrupt):
        os._exit(0)


def _apply(function: Callable[[Item], Any], item: Item) -> Done[Item]:
    try:
        return Done(item, function(item))
    except Exception as error:  # the problem of one item is none of the others'
        reason = (str(error).strip() or type(error).__name__).split("\n")[0]
        return Done(item, None, reason)
