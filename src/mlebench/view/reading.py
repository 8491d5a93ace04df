"""Reading files below a folder that others write into: no link is followed at any step, and never much at once."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mlebench.base.wording import plain

TAIL = 64 << 10  # bytes of a log that are shown at first, or sent at once
_BLOCK = 1 << 18
_LINE = 2_000  # characters of a line that are shown
_SEARCHED = 256 << 20  # bytes that one search looks at
MOST_FOUND = 500


def open_below(folder: Path, parts: Sequence[str]) -> BinaryIO:
    """A regular file below a folder; an OSError for anything else, a link on the way included."""
    if not parts or any(part in ("", ".", "..") or "/" in part or "\0" in part for part in parts):
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
            os.close(directory)
            directory = inner
        if not stat.S_ISREG(os.stat(parts[-1], dir_fd=directory, follow_symlinks=False).st_mode):
            raise OSError(errno.EINVAL, "it is not a file")
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(parts[-1], flags, dir_fd=directory)
    finally:
        os.close(directory)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a file")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


@dataclass(frozen=True)
class Piece:
    """A piece of a log as it can be shown, where it begins, where the next one begins, and how large the log is."""

    text: str
    start: int
    end: int
    size: int


def read_piece(
    folder: Path, parts: Sequence[str], start: int | None = None, most: int = TAIL, *, is_aligned: bool = False
) -> Piece:
    """The log below a folder from a byte on, or its end; an empty piece where there is none.

    A piece ends with a line, unless one line is longer than a piece: such a line comes in several. With `is_aligned`
    it also begins with one: with the first line that begins behind the byte.
    """
    try:
        with open_below(folder, parts) as file:
            size = file.seek(0, os.SEEK_END)
            begin = max(0, size - most) if start is None else min(max(0, start), size)
            file.seek(begin)
            data = file.read(most)
    except OSError:
        return Piece("", 0, 0, 0)
    if (start is None or is_aligned) and begin and (line := data.find(b"\n")) >= 0:  # the first line is cut
        data, begin = data[line + 1 :], begin + line + 1
    end = len(data)
    if begin + end < size and (line := data.rfind(b"\n")) >= 0:
        end = line + 1
    return Piece(shown(data[:end]), begin, begin + end, size)


def shown(data: bytes) -> str:
    """What was printed, without anything but text: escape codes are spelled out, and long lines are cut."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(plain(line.expandtabs(4), _LINE) for line in text.split("\n"))


def search(folder: Path, parts: Sequence[str], wanted: str) -> Iterator[tuple[int, str]]:
    """(number, line) of the lines of a log that have a text, whatever its case; the first few hundred of them."""
    needle = wanted.lower().encode("utf-8", "replace")
    found = number = looked_at = 0
    try:
        with open_below(folder, parts) as file:
            while looked_at < _SEARCHED and found < MOST_FOUND:
                line = file.readline(_BLOCK)  # a longer line is searched in parts
                if not line:
                    return
                looked_at += len(line)
                number += 1
                if needle in line.lower():
                    found += 1
                    yield number, shown(line).rstrip("\n")
    except OSError:
        return


def blocks(file: BinaryIO) -> Iterator[bytes]:
    """A file, block by block, as far as it reached when this began; it is closed at the end."""
    with file:
        left = os.fstat(file.fileno()).st_size
        while left > 0 and (block := file.read(min(_BLOCK, left))):
            left -= len(block)
            yield block
