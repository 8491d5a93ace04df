"""How much a tree of processes uses, seen from outside by looking at it again and again."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import psutil


@dataclass
class TreeMeter:
    """Measures everything below one process, which itself does not count.

    Pages that several processes share are counted once. That is slow to find out, so it is asked only when the plain
    sum could raise the peak; and a process that was larger between two looks than at either is known by its own peak.
    `held` is what they keep in files without a name, and `elsewhere` a process that is not below the root and holds
    such files, too: the first one of a container.
    """

    root: int
    shared_memory: str | None = None  # a folder of the tree's own for shared memory, as seen by its processes
    elsewhere: Callable[[], int | None] = lambda: None
    peak_memory: int = 0
    memory: int = 0
    cpu_seconds: float = 0.0
    processes: int = 0
    seen: dict[int, float] = field(default_factory=dict)  # every process that was seen, with its start time
    held: HeldFiles = field(default_factory=lambda: HeldFiles())
    _handles: dict[int, psutil.Process] = field(default_factory=dict)

    def look(self) -> None:
        """Measure now."""
        try:
            found = psutil.Process(self.root).children(recursive=True)
        except psutil.Error:
            self.processes = self.memory = 0
            self.held = HeldFiles()
            return
        alive = {each.pid: self._handles.get(each.pid, each) for each in found}
        self._handles = alive
        largest = 0
        cpu = 0.0
        resident: dict[int, int] = {}
        for pid, process in alive.items():
            try:
                resident[pid] = process.memory_info().rss
                times = process.cpu_times()
                self.seen[pid] = process.create_time()
            except psutil.Error:
                continue
            cpu += times.user + times.system + getattr(times, "children_user", 0.0)
            cpu += getattr(times, "children_system", 0.0)
            largest = max(largest, _own_peak(pid))
        self.processes = len(alive)
        self.cpu_seconds = max(self.cpu_seconds, cpu)
        self.held.look(lambda: [*alive, *_with_children(self.elsewhere())])
        extra = self._shared_bytes(alive) + self.held.memory
        self.memory = sum(resident.values()) + extra
        if self.memory > self.peak_memory and (len(alive) > 1 or extra):
            self.memory = _without_doubles(resident, extra)
        self.peak_memory = max(self.peak_memory, self.memory, largest)

    def _shared_bytes(self, alive: dict[int, psutil.Process]) -> int:
        """What lies in the tree's own folder for shared memory, whether a process has mapped it or not."""
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
            return [pid, *(each.pid for each in psutil.Process(pid).children(recursive=True))]
    return []


@dataclass
class HeldFiles:
    """Files without a name that processes have open: in memory (memfd), or on a disk and removed."""

    memory: int = 0
    disk: int = 0
    _next: float = 0.0

    def look(self, processes: Callable[[], Iterable[int]]) -> None:
        """Measure now, unless measuring takes long and was done not long ago."""
        now = time.monotonic()
        if now < self._next:
            return
        sizes: dict[tuple[int, int], tuple[str, int]] = {}
        for pid in processes():
            sizes.update(_held_by(pid))
        self.memory = sum(size for name, size in sizes.values() if name.startswith("/memfd:"))
        # What is in /dev/shm is memory, and measured where it is the tree's own.
        self.disk = sum(size for name, size in sizes.values() if not name.startswith(("/memfd:", "/dev/")))
        taken = time.monotonic() - now
        self._next = now + min(60.0, 20 * taken)


def _held_by(pid: int) -> dict[tuple[int, int], tuple[str, int]]:
    """(what Linux calls it, its size) of each file without a name that a process has open, by device and inode."""
    found: dict[tuple[int, int], tuple[str, int]] = {}
    with contextlib.suppress(OSError):  # it has ended, or hides them
        for path in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if (name := str(path.readlink())).endswith(" (deleted)"):
                    status = path.stat()
                    if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                        found[status.st_dev, status.st_ino] = name, status.st_blocks * 512
    return found


def _own_peak(pid: int) -> int:
    """The most memory that a process has had at one time, as Linux remembers it."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def _without_doubles(resident: dict[int, int], extra: int) -> int:
    """The memory of some processes, shared pages counted once; all pages of a process where that cannot be known."""
    proportional = mapped = 0
    for pid, pages in resident.items():
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


@dataclass
class DiskMeter:
    """The size of a folder that somebody else writes to: blocks on disk, and a little for every entry."""

    folder: Path
    bytes: int = 0
    _next: float = 0.0

    def look(self, *, fresh: bool = False) -> int:
        """Measure now, or give the last size if measuring takes long and was done not long ago."""
        now = time.monotonic()
        if fresh or now >= self._next:
            self.bytes = size_on_disk(self.folder)
            taken = time.monotonic() - now
            self._next = now + min(60.0, max(0.5, 20 * taken))
        return self.bytes


ENTRY_BYTES = 512  # an empty file takes room, too


_LONGEST_PATH = 3000  # the system takes no more than 4,095 bytes at a time
_MOST_OPEN = 100
_TOO_DEEP = 1 << 40  # what counts for something that was put where nobody can look


def size_on_disk(folder: Path) -> int:
    """What a folder takes on disk, following no link and staying on its file system.

    Below a very long path, paths begin at a folder that is kept open.
    """
    try:
        top = os.lstat(folder)
    except OSError:
        return 0
    total = 0
    counted: set[int] = set()
    made_readable: set[int] = set()
    waiting: list[tuple[str, int]] = [(str(folder), top.st_ino)]
    kept_open: list[tuple[int, int]] = []  # (descriptor, how many folders waited when it was opened)
    try:
        while waiting:
            path, inode = waiting.pop()
            while kept_open and len(waiting) < kept_open[-1][1]:
                os.close(kept_open.pop()[0])
            shorter = path
            try:
                if len(os.fsencode(path)) > _LONGEST_PATH:
                    if len(kept_open) == _MOST_OPEN:
                        total += _TOO_DEEP
                        continue
                    descriptor = os.open(path, _FOLDER_ONLY)
                    kept_open.append((descriptor, len(waiting)))
                    shorter = f"/proc/self/fd/{descriptor}"
                entries = list(os.scandir(shorter))
            except PermissionError:
                if inode not in made_readable and _make_readable(path, inode):
                    made_readable.add(inode)
                    waiting.append((path, inode))
                continue
            except OSError:
                continue
            for entry in entries:
                try:
                    found = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if found.st_nlink > 1 and not stat.S_ISDIR(found.st_mode):
                    if found.st_ino in counted:
                        continue
                    counted.add(found.st_ino)
                total += found.st_blocks * 512 + ENTRY_BYTES
                if stat.S_ISDIR(found.st_mode) and found.st_dev == top.st_dev:
                    waiting.append((entry.path, found.st_ino))
    finally:
        for descriptor, _ in kept_open:
            os.close(descriptor)
    return total


_FOLDER_ONLY = getattr(os, "O_PATH", 0) | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


def _make_readable(path: str, inode: int) -> bool:
    """Let the owner list a folder that was made unreadable to hide what is in it; whatever has its name by now."""
    try:
        descriptor = os.open(path, _FOLDER_ONLY)
    except OSError:
        return False
    try:
        if os.fstat(descriptor).st_ino != inode:
            return False
        Path(f"/proc/self/fd/{descriptor}").chmod(0o700)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
