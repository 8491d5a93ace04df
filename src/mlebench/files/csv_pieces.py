"""A CSV stream in pieces of whole rows, so that several threads can parse it at once.

Where a row ends depends on the quotation marks before it, and those count only where a cell begins with one. A piece is
cut where this is certain: each mark in it, up to the cut, opens a cell, closes one, or stands for itself inside of one.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import IO

import numpy as np

_QUOTE = ord('"')
_BEFORE_OPENING, _AFTER_CLOSING = (np.zeros(256, bool) for _ in range(2))
_BEFORE_OPENING[list(b',\n"')] = True  # of two marks in a cell, which stand for one, the first closes, the other opens
_AFTER_CLOSING[list(b',\n\r"')] = True


class Pieces:
    """The rows of a table behind a header of so many names, some at a time.

    `rest` is what is left, after the last piece, of the stream that was given: its end, or all of it from where it is
    not certain any more which row ends where. Without such a header, as `has_header` says, it is everything.
    """

    def __init__(self, stream: IO[bytes], size: int, names: int) -> None:
        self._stream, self._size = stream, size
        self._begun = stream.read(size)
        line, newline, behind = self._begun.partition(b"\n")
        self.has_header = bool(newline) and _count(line) == names
        if self.has_header:
            self._begun = behind

    def __iter__(self) -> Iterator[bytes]:
        more = self._begun
        self._begun = b""
        while more:
            self._begun += more
            end = row_end(self._begun)
            if end is None:
                return
            if end:
                piece, self._begun = self._begun[:end], self._begun[end:]
                yield piece
            more = self._stream.read(self._size)

    @property
    def rest(self) -> io.BufferedReader:
        """A stream of what no piece has."""
        return io.BufferedReader(_Chained(self._begun, self._stream))


def _count(header: bytes) -> int:
    """How many names a line has; none where it is not certain that it is all of the header."""
    if header.count(b'"') % 2:
        return 0
    try:
        return len(next(csv.reader([header.decode("utf-8-sig").rstrip("\r")]), []))
    except (UnicodeDecodeError, csv.Error):
        return 0


def row_end(text: bytes) -> int | None:
    r"""Where the last row ends in a text that begins with one: 0 where none does, None where that is not certain.

    >>> row_end(b'1,a\n2,b\n3,'), row_end(b'1,"a\nb'), row_end(b'1,"a\nb"\n2'), row_end(b'1,5" wide\n')
    (8, 0, 8, None)
    """
    if b'"' not in text:
        return text.rfind(b"\n") + 1
    codes = np.frombuffer(text, np.uint8)
    marks = np.flatnonzero(codes == _QUOTE)
    opening, closing = marks[0::2], marks[1::2]
    before = codes[opening[opening > 0] - 1]
    after = codes[closing[closing < len(codes) - 1] + 1]
    if not (_BEFORE_OPENING[before].all() and _AFTER_CLOSING[after].all()):
        return None
    end = text.rfind(b"\n")
    while end >= 0 and (passed := int(np.searchsorted(marks, end))) % 2:  # it is inside of a cell
        end = text.rfind(b"\n", 0, int(marks[passed - 1]))
    return end + 1


class _Chained(io.RawIOBase):
    """A text that was read already, and what comes behind it."""

    def __init__(self, begun: bytes, stream: IO[bytes]) -> None:
        self._begun, self._stream = io.BytesIO(begun), stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill the buffer as far as one of the two can."""
        found = self._begun.read(len(buffer)) or self._stream.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)
