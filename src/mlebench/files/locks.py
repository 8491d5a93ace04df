"""One writer at a time: a lock on a competition's folder that ends with the process that holds it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def exclusive(folder: Path, *, seconds: float | None = None) -> Iterator[None]:
    """Hold the lock of a folder, after waiting for it; the system frees it even when the process is killed.

    After waiting for `seconds` it is a TimeoutError.
    """
    from filelock import FileLock

    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock", timeout=-1 if seconds is None else seconds):
        yield
