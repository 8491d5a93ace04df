"""What the kernel holds a command to, where it can: resource limits, control groups, processors."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Mapping

import psutil

from mlebench.sandbox import cgroup
from mlebench.sandbox.interface import Limits

_turns = itertools.count()


def resource_limits(limits: Limits) -> Mapping[str, int]:
    """Limits that the kernel holds each process to, by their names in the module `resource`."""
    values = {"RLIMIT_CORE": 0}
    if limits.disk_bytes is not None:
        values["RLIMIT_FSIZE"] = limits.disk_bytes
    if limits.processes is not None and os.getuid() != 0:  # for root the kernel does not count
        values["RLIMIT_NPROC"] = limits.processes + _processes_of_this_user()
    return values


def limits_processes() -> bool:
    """Whether the kernel limits the number of processes of a run; sampling is too slow for a fork bomb."""
    return os.getuid() != 0 or cgroup.delegated() is not None or "pids" in cgroup.fences()


def limits_unheld_memory() -> bool:
    """Whether the kernel counts the memory of a run, so that what no process holds counts, too."""
    return cgroup.delegated() is not None or "memory" in cgroup.fences()


def _processes_of_this_user() -> int:
    """How many there are; the kernel counts threads, too, and all of a user's together."""
    count = 0
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.uids().real == os.getuid():
                count += process.num_threads()
    return count


def take_turns(first: int, step: int) -> None:
    """Let commands of this process have every `step`-th turn from the `first` on; other processes have the rest."""
    global _turns
    _turns = itertools.count(first, step)


def processors(cpus: float | None) -> list[int]:
    """The processors for a command that may use this many; the next command gets the next ones."""
    if cpus is None or not hasattr(os, "sched_getaffinity"):
        return []
    available = sorted(os.sched_getaffinity(0))
    count = max(1, min(len(available), -int(-cpus // 1)))
    first = next(_turns) * count
    return sorted({available[(first + offset) % len(available)] for offset in range(count)})
