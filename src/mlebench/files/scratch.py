"""Temporary folders that are found again: what a killed process left is distinguished from what is in use."""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from mlebench.files.hostile import discard

_PREFIX, _LOCK = "mlebench-scratch-", ".in-use"
_MAKING = "mlebench-making-"  # until the lock is held: who removes what was abandoned would else be quicker at times


class ScratchFolder:
    """A temporary folder that is removed when it is closed; a context manager.

    A lock in it is held as long as this process lives, whatever ends it; `remove_abandoned` removes it afterwards.
    """

    def __init__(self) -> None:
        making = Path(tempfile.mkdtemp(prefix=_MAKING))
        self._lock = os.open(making / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.path = making.rename(making.with_name(making.name.replace(_MAKING, _PREFIX)))

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove it."""
        if self._lock >= 0:
            with suppress(OSError):
                discard(self.path)
            os.close(self._lock)
            self._lock = -1


def remove_abandoned() -> int:
    """Remove the temporary folders of processes of this user that were killed; how many there were."""
    removed = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused while its process lives
                discard(folder)
                removed += 1
            finally:
                os.close(lock)
    return removed
