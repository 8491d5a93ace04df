"""What can be wrong with raw data, as one kind of error: damaged archives, archive bombs, missing files."""

from __future__ import annotations

import errno
import importlib
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mlebench.errors import PreparationError

# What the readers of archives raise on damaged or unreadable content; RuntimeError stands for encryption and
# for kinds of compression that they do not know.
UNREADABLE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    RuntimeError,
)
# An archive that unpacks to more than this many times its own size, and to more than a gigabyte, is taken for a bomb.
# Text of the competitions packs at most some 30 times.
BOMB_RATIO, BOMB_FLOOR = 200, 1 << 30


@contextmanager
def reporting_damage(name: str) -> Iterator[None]:
    """Within this block what is wrong with an archive becomes a PreparationError; a full disk does not."""
    try:
        yield
    except (*UNREADABLE, OSError) as error:
        # Readers raise OSErrors of their own without a number, and seek to places that a file does not have.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        reason = str(error).rstrip(".") or "it ends too early"
        raise PreparationError(
            f"{name} cannot be read: {reason}.", hint="The archive may be damaged: download it again."
        ) from error


def check_bomb(name: str, packed: int, unpacked: int) -> None:
    """Refuse an archive that would grow beyond all reason."""
    if unpacked > max(BOMB_FLOOR, BOMB_RATIO * packed):
        raise PreparationError(
            f"{name} would unpack to {unpacked / 1e9:,.1f} GB, more than {BOMB_RATIO} times its size: "
            "it is refused as an archive bomb."
        )


def incomplete(archive: Path) -> PreparationError:
    """The error of a zip archive that ends too early, or is none."""
    return PreparationError(
        f"{archive.name} is not a complete zip archive.",
        hint="Delete it and download it again; it may be a partial download.",
    )


def lacking(name: str) -> PreparationError:
    """The error of raw data without a file that belongs to it."""
    return PreparationError(
        f"The raw data lacks {name}.",
        hint="The archive may be incomplete or of another competition; download it again.",
    )


def optional_library(module: str, action: str) -> Any:
    """A library that only some archives need."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise PreparationError(
            f"{action} needs {module}, which is not installed.", hint="Run: pip install 'mlebench[archives]'"
        ) from error
