"""The cores and the memory that this process may use: in a container or a job of a cluster, not all of the machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUP = Path("/proc/self/cgroup")


def available_cores() -> int:
    """How many cores this process may keep busy: those it may run on, and no more than its quota."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([cores, *(int(quota) for quota in _quotas())]))


def available_memory() -> int | None:
    """How many bytes of memory this process may use; None where the system does not tell."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    limits = [*_numbers("memory.max"), *_numbers("memory.limit_in_bytes", controller="memory")]
    return min([memory, *(limit[0] for limit in limits)])


def _quotas() -> Iterator[float]:
    """The cores' worth of time that control groups of both versions grant."""
    for quota, period in _numbers("cpu.max"):
        yield quota / period
    limits = _numbers("cpu.cfs_quota_us", controller="cpu")
    for (quota,), (period,) in zip(limits, _numbers("cpu.cfs_period_us", controller="cpu"), strict=False):
        if quota > 0:  # -1 stands for none
            yield quota / period


def _numbers(name: str, controller: str = "") -> Iterator[list[int]]:
    """What a file says in the control group of this process and in those around it; `max` stands for no limit."""
    for folder in _groups(controller):
        try:
            yield [int(word) for word in (folder / name).read_text(encoding="ascii").split()]
        except (OSError, ValueError):
            continue


def _groups(controller: str) -> Iterator[Path]:
    """The folders of the control groups, the innermost first. In a container the own one is often the top."""
    try:
        lines = _OWN_GROUP.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError):
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            top = _GROUPS / controllers if controllers else _GROUPS
            inner = top / path.lstrip("/")
            yield from (folder for folder in (inner, *inner.parents) if folder.is_relative_to(top))
