"""Data of R: .rds and .RData in the binary form that R writes, read without R."""

from __future__ import annotations

import contextlib
import struct
from typing import Any

import numpy as np

from mlebench.audit.entries import Entry
from mlebench.audit.readers.pickles import side_by_side
from mlebench.audit.table import Table

_MOST_VALUES = 2_000_000
_MOST_DEPTH = 400
_HEADS = (b"RDX2\n", b"RDX3\n")
_NOTHING = (254, 253, 252, 251, 250, 242, 241)  # the empty value, environments, and the like
_MISSING = -(2**31)


class _Stream:
    """Items one after the other, each with its kind in front; lists of values are collected on the way."""

    def __init__(self, data: bytes, start: int) -> None:
        self.data, self.place = data, start
        self.symbols: list[str] = []
        self.lists: list[tuple[str, list[Any]]] = []

    def number(self) -> int:
        """The next whole number."""
        (value,) = struct.unpack_from(">i", self.data, self.place)
        self.place += 4
        return int(value)

    def block(self, kind: str, count: int) -> list[Any]:
        """So many numbers."""
        width = np.dtype(kind).itemsize
        if not 0 <= count <= _MOST_VALUES or self.place + count * width > len(self.data):
            raise ValueError("more values than there are bytes")
        values: list[Any] = np.frombuffer(self.data, kind, count, self.place).tolist()
        self.place += count * width
        return values

    def item(self, tag: str = "", depth: int = 0) -> Any:
        """The next item."""
        if depth > _MOST_DEPTH:
            raise ValueError("too deep")
        flags = self.number()
        kind, attributes = flags & 255, bool(flags & 0x200)
        if kind in _NOTHING:
            return None
        if kind == 255:
            place = flags >> 8 or self.number()
            return self.symbols[place - 1] if 0 < place <= len(self.symbols) else None
        if kind == 1:
            self.symbols.append(str(self.item(depth=depth + 1)))
            return self.symbols[-1]
        if kind == 9:
            length = self.number()
            text = self.data[self.place : self.place + max(length, 0)].decode("utf-8", "replace")
            self.place += max(length, 0)
            return None if length < 0 else text
        if kind in (2, 6):
            return self._pairs(flags, depth)
        if kind not in (10, 13, 14, 16, 19, 20, 24):
            raise ValueError("a kind of item that is not read")
        count = self.number()
        if kind in (10, 13):
            values = [None if value == _MISSING else value for value in self.block(">i4", count)]
        elif kind == 14:
            values = self.block(">f8", count)
        elif kind == 24:
            values = self.block("u1", count)
        else:
            values = [self.item(tag, depth + 1) for _ in range(min(count, _MOST_VALUES))]
        if kind not in (19, 20) and len(values) > 3:
            self.lists.append((tag, values))
        if attributes:
            self.item(depth=depth + 1)
        return values

    def _pairs(self, flags: int, depth: int) -> None:
        """A list of R: one item behind the other, each with a name."""
        while flags & 255 in (2, 6):
            if flags & 0x200:
                self.item(depth=depth + 1)
            name = str(self.item(depth=depth + 1)) if flags & 0x400 else ""
            self.item(name, depth + 1)
            flags = self.number()
        if flags & 255 not in _NOTHING:
            self.place -= 4
            self.item(depth=depth + 1)


def _r_data(entry: Entry, data: bytes) -> list[Table]:
    start = 5 if data[:5] in _HEADS else 0
    stream = _Stream(data, start + 2)
    version = stream.number()
    stream.place += 8
    if version >= 3:
        stream.place += stream.number()
    with contextlib.suppress(ValueError, struct.error, RecursionError):  # what was read up to there counts
        stream.item()
    return side_by_side(entry.name, stream.lists)


READERS = [(lambda entry, data: data[:2] == b"X\n" or data[:5] in _HEADS, _r_data)]
