"""How much a tree of processes uses, sampled from outside."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from mlebench.sandbox.budget import Budget, OverBudgetError

MEASURING_SECONDS = 30.0  # for one measurement of a tree; one that takes longer counts as a tree that is too large
_MOST_DESCRIPTORS = 2_000_000


@dataclass
class TreeMeter:
    """Measures everything below one process, which itself does not count.

    Pages that several processes share are counted once. That is slow to find out, so it is asked only when the plain
    sum could raise the peak; and a process that was larger between two measurements than at either is known by its own
    peak. `held` is what they keep in files without a name, and `container_process` a process that is not below the root
    and holds such files, too: the first one of a container. A measurement that does not end within its budget, since
    somebody has made it hard, is `unfinished`: what is known is then a part of what there is.
    """

    root: int
    shared_memory: str | None = None  # a folder of the tree's own for shared memory, as seen by its processes
    container_process: Callable[[], int | None] = lambda: None
    peak_memory: int = 0
    memory: int = 0
    cpu_seconds: float = 0.0
    processes: int = 0
    unfinished: bool = False
    seen: dict[int, float] = field(default_factory=dict)  # the processes last measured, with their start times
    held: HeldFiles = field(default_factory=lambda: HeldFiles())
    _handles: dict[int, psutil.Process] = field(default_factory=dict)

    def measure(self) -> None:
        """Measure now."""
        try:
            self._measure(Budget(MEASURING_SECONDS))
        except OverBudgetError:
            self.unfinished = True
        else:
            self.unfinished = self.held.unfinished

    def _measure(self, budget: Budget) -> None:
        try:
            found = psutil.Process(self.root).children(recursive=True)
        except psutil.Error:
            self.processes = self.memory = 0
            self.held = HeldFiles()
            return
        alive = {process.pid: self._handles.get(process.pid, process) for process in found}
        self._handles = alive
        largest = 0
        cpu = 0.0
        resident: dict[int, int] = {}
        seen: dict[int, float] = {}
        self.processes = len(alive)
        for pid, process in alive.items():
            budget.spend()
            try:
                resident[pid] = process.memory_info().rss
                times = process.cpu_times()
                seen[pid] = process.create_time()
            except psutil.Error:
                continue
            cpu += times.user + times.system + getattr(times, "children_user", 0.0)
            cpu += getattr(times, "children_system", 0.0)
            largest = max(largest, _own_peak(pid))
        self.seen = seen
        self.cpu_seconds = max(self.cpu_seconds, cpu)
        self.held.measure(lambda: [*alive, *_with_children(self.container_process())])
        extra = self._shared_bytes(alive) + self.held.memory
        self.memory = sum(resident.values()) + extra
        if self.memory > self.peak_memory and (len(alive) > 1 or extra):
            self.memory = _without_doubles(resident, extra, budget)
        self.peak_memory = max(self.peak_memory, self.memory, largest)

    def _shared_bytes(self, alive: dict[int, psutil.Process]) -> int:
        """What is in the tree's own folder for shared memory, whether a process has mapped it or not."""
        if self.shared_memory is None:
            return 0
        for pid in reversed(alive):  # the last ones are inside for sure
            with contextlib.suppress(OSError):
                found = os.statvfs(f"/proc/{pid}/root{self.shared_memory}")
                return (found.f_blocks - found.f_bfree) * found.f_frsize
        return 0


def _with_children(pid: int | None) -> list[int]:
    with contextlib.suppress(psutil.Error):
        if pid is not None:
            return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]
    return []


@dataclass
class HeldFiles:
    """Files without a name that processes have open: in memory (memfd), or on a disk and removed."""

    memory: int = 0
    disk: int = 0
    unfinished: bool = False
    _next: float = 0.0

    def measure(self, processes: Callable[[], Iterable[int]]) -> None:
        """Measure now, unless measuring takes long and was done not long ago."""
        now = time.monotonic()
        if now < self._next:
            return
        sizes: dict[tuple[int, int], tuple[str, int]] = {}
        budget = Budget(MEASURING_SECONDS, _MOST_DESCRIPTORS)
        try:
            for pid in processes():
                _add_held_by(pid, sizes, budget)
            self.unfinished = False
        except OverBudgetError:
            self.unfinished = True
        self.memory = sum(size for name, size in sizes.values() if name.startswith("/memfd:"))
        # What is in /dev/shm is memory, and measured where it is the tree's own.
        self.disk = sum(size for name, size in sizes.values() if not name.startswith(("/memfd:", "/dev/")))
        taken = time.monotonic() - now
        self._next = now + min(60.0, 20 * taken)


def _add_held_by(pid: int, sizes: dict[tuple[int, int], tuple[str, int]], budget: Budget) -> None:
    """Add (what Linux calls it, its size) of each file without a name that a process has open, by device and inode."""
    with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:  # it may have ended, or hide them
        for entry in entries:
            budget.spend()
            with contextlib.suppress(OSError):
                if (name := os.readlink(entry.path)).endswith(" (deleted)"):  # noqa: PTH115 (there may be a million)
                    status = entry.stat()
                    if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                        sizes[status.st_dev, status.st_ino] = name, status.st_blocks * 512


def _own_peak(pid: int) -> int:
    """The most memory that a process has had at one time, as Linux remembers it."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def _without_doubles(resident: dict[int, int], extra: int, budget: Budget) -> int:
    """The memory of some processes, shared pages counted once; all pages of a process where that cannot be known."""
    proportional = mapped = 0
    for pid, pages in resident.items():
        budget.spend()
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except ProcessLookupError:  # it has ended
            continue
        except OSError:
            if psutil.pid_exists(pid):  # else it has ended and nothing is left of it
                proportional += pages
            continue
        fields = dict(line.split(":", 1) for line in text.splitlines()[1:])
        proportional += int(fields.get("Pss", "0 kB").split()[0]) * 1024
        mapped += int(fields.get("Pss_Shmem", "0 kB").split()[0]) * 1024
    return proportional - mapped + max(mapped, extra) if extra else proportional
