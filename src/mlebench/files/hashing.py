"""The hash of a file."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from mlebench.base import progress


def sha256_of(path: Path) -> str:
    """The sha256 of a file, found once as long as the file does not change."""
    found = path.stat()
    return _sha256_once(path, found.st_size, found.st_mtime_ns, found.st_ino)


@lru_cache(maxsize=128)
def _sha256_once(path: Path, size: int, modified: int, number: int) -> str:
    with progress.stage("verify", path.name, total=size, unit="bytes") as stage, path.open("rb") as file:
        return hashlib.file_digest(progress.counted(file, stage), "sha256").hexdigest()  # type: ignore[arg-type]
