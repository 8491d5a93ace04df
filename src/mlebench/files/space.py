"""Disk space: asked for before work begins, so that a full disk is a sentence and not a half-written file."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from mlebench.errors import MlebenchError

_RESERVE = 256 << 20  # left free for everybody else


class DiskFullError(MlebenchError):
    """Not enough room for what is about to be written."""


def require_space(folder: Path, needed: int, purpose: str) -> None:
    """Raise an error unless the disk of a folder has room for the needed bytes."""
    free = free_space(folder)
    if needed + _RESERVE > free:
        raise DiskFullError(
            f"{purpose} needs {_amount(needed)} and leaves {_amount(_RESERVE)} free, but only {_amount(free)} are free "
            f"in {folder}.",
            hint="Free some space, or choose another folder with --data-dir.",
        )


def _amount(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size:,} bytes"


def free_space(folder: Path) -> int:
    """Free bytes on the disk where a folder is, or would be made."""
    folder = folder.absolute()
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def size_of(folder: Path) -> tuple[int, int]:
    """(number of files, bytes) below a folder."""
    files = size = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):  # a preparation that is going on may have moved it
                size += Path(parent, name).lstat().st_size
                files += 1
    return files, size
