"""One writer at a time: a lock on a competition's folder that ends with the process that holds it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mlebench.errors import MlebenchError


@contextmanager
def exclusive(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock of a folder; the kernel frees it even when the process is killed.

    With `wait=False` a folder in use is an error instead of a reason to wait.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # Windows: no advisory locks; renaming into place still keeps results whole
        yield
        return
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError as error:
            raise MlebenchError(
                f"Another process is working in {folder}.", hint="Wait until it has finished."
            ) from error
        yield
