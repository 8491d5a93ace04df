"""How much a folder takes on disk that somebody else writes to, and may make as hard to measure as they like."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path

from mlebench.sandbox.budget import Budget, OverBudgetError

ENTRY_BYTES = 512  # an empty file takes room, too
MEASURING_SECONDS = 60.0  # for one measurement; one that takes longer counts as a folder that is too large
_MOST_ENTRIES = 5_000_000
_SOON = 0.05  # seconds: most folders are measured by then
_LONGEST_PATH = 400  # bytes; the longer a path, the longer the system takes to follow it
_MOST_OPEN = 200
_FOLDER_ONLY = getattr(os, "O_PATH", 0) | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


class DiskMeter:
    """The size of a folder: blocks on disk, and a little for every entry.

    It is measured by a thread of its own, so that nobody waits for it. A measurement that does not end within its
    budget is `unfinished`: what is known is then a part of what there is.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bytes = 0
        self._is_unfinished = False
        self._next = 0.0
        self._thread: threading.Thread | None = None
        self._began = 0.0

    @property
    def unfinished(self) -> bool:
        """Whether the last measurement did not end in time, or the system does not answer."""
        hangs = self._thread is not None and time.monotonic() - self._began > 2 * MEASURING_SECONDS
        return self._is_unfinished or hangs

    def measure(self, *, fresh: bool = False) -> int:
        """Have it measured, unless that takes long and was done not long ago; the size as far as it is known.

        With `fresh` a new measurement is waited for, as long as its budget allows.
        """
        if fresh:
            self._join(MEASURING_SECONDS)
        if self._thread is None and (fresh or time.monotonic() >= self._next):
            self._began = time.monotonic()
            self._thread = threading.Thread(target=self._measure_folder, daemon=True, name="disk meter")
            self._thread.start()
        self._join(MEASURING_SECONDS + 1 if fresh else _SOON)
        return self._bytes

    def _join(self, seconds: float) -> None:
        if self._thread is not None:
            self._thread.join(seconds)
            if not self._thread.is_alive():
                self._thread = None

    def _measure_folder(self) -> None:
        before = self._bytes

        def note(size: int) -> None:
            self._bytes = max(before, size)

        try:
            self._bytes = size_on_disk(self._folder, Budget(MEASURING_SECONDS, _MOST_ENTRIES), note)
            self._is_unfinished = False
        except OverBudgetError:
            self._is_unfinished = True
        taken = time.monotonic() - self._began
        self._next = time.monotonic() + min(60.0, max(0.5, 20 * taken))


class _Base:
    """A folder that is kept open, for paths to begin at, until the last of them was looked at."""

    def __init__(self, path: str, opened: list[int]) -> None:
        if len(opened) >= _MOST_OPEN:
            raise OverBudgetError
        self._opened = opened
        self.descriptor = os.open(path, _FOLDER_ONLY)
        opened.append(self.descriptor)
        self.path = f"/proc/self/fd/{self.descriptor}"

    def __del__(self) -> None:
        if hasattr(self, "descriptor"):
            self._opened.remove(self.descriptor)
            os.close(self.descriptor)


def size_on_disk(folder: Path, budget: Budget, note: Callable[[int], object] = lambda _: None) -> int:
    """What a folder takes on disk, following no link and staying on its file system.

    Below a long path, paths begin at a folder that is kept open. What is known so far is noted with every folder; an
    OverBudgetError says that there is more than the budget allows to measure, or that it is nested too deep.
    """
    try:
        top = os.lstat(folder)
    except OSError:
        return 0
    total = 0
    counted = {top.st_ino}  # folders, which may be moved to where nobody has looked yet, and files with several names
    made_readable: set[int] = set()
    opened: list[int] = []
    waiting: list[tuple[str, int, _Base | None]] = [(str(folder), top.st_ino, None)]
    while waiting:
        path, inode, base = waiting.pop()
        budget.spend()
        start = len(base.path if base is not None else str(folder))
        try:
            inner = _Base(path, opened) if len(path) - start > _LONGEST_PATH else base
            with os.scandir(path if inner is None or inner is base else inner.path) as entries:
                for entry in entries:
                    budget.spend()
                    try:
                        found = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue
                    is_folder = stat.S_ISDIR(found.st_mode)
                    if is_folder or found.st_nlink > 1:
                        if found.st_ino in counted and found.st_dev == top.st_dev:
                            continue
                        counted.add(found.st_ino)
                    total += found.st_blocks * 512 + ENTRY_BYTES
                    if is_folder and found.st_dev == top.st_dev:
                        waiting.append((entry.path, found.st_ino, inner))
        except PermissionError:
            if inode not in made_readable and _make_readable(path, inode):
                made_readable.add(inode)
                waiting.append((path, inode, base))
        except OSError:
            continue
        note(total)
    return total


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
