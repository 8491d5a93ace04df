"""Nested values in compact binary form: MessagePack, CBOR and binary property lists."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

from mlebench.audit.cursor import Cursor
from mlebench.audit.entries import Entry
from mlebench.audit.readers.nested import tables_of_value
from mlebench.audit.table import Table

_MOST_VALUES = 1_000_000
_MOST_DEPTH = 60
_LARGEST = 64 << 20
_FLOATS = {2: ">e", 4: ">f", 8: ">d"}


@dataclass
class _Values(Cursor):
    """Values one after the other."""

    count: int = 0

    def whole(self, size: int, *, signed: bool = False) -> int:
        """The next whole number of so many bytes."""
        return int.from_bytes(self.take(size), "big", signed=signed)

    def several(self, count: int, depth: int) -> list[Any]:
        """So many values."""
        self.count += count
        if count > len(self.data) - self.place or self.count > _MOST_VALUES or depth > _MOST_DEPTH:
            raise ValueError("more values than there are bytes")
        return [self.value(depth + 1) for _ in range(count)]

    def pairs(self, count: int, depth: int) -> dict[str, Any]:
        """So many keys with their values."""
        listed = self.several(2 * count, depth)
        return {str(key): value for key, value in zip(listed[::2], listed[1::2], strict=True)}

    def value(self, depth: int = 0) -> Any:
        """The next value."""
        raise NotImplementedError


class _MessagePack(_Values):
    def value(self, depth: int = 0) -> Any:
        head = self.whole(1)
        if head < 0x80 or head >= 0xE0:
            return head if head < 0x80 else head - 256
        if head < 0x90:
            return self.pairs(head & 15, depth)
        if head < 0xA0:
            return self.several(head & 15, depth)
        if head < 0xC0:
            return self.take(head & 31).decode("utf-8")
        if head in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[head]
        if head in (0xC4, 0xC5, 0xC6, 0xD9, 0xDA, 0xDB):
            size = 1 << (head - (0xC4 if head < 0xD0 else 0xD9))
            return self.take(self.whole(size)).decode("utf-8", "strict" if head > 0xD0 else "replace")
        if head in (0xCA, 0xCB):
            return struct.unpack(">f" if head == 0xCA else ">d", self.take(4 if head == 0xCA else 8))[0]
        if 0xCC <= head <= 0xD3:
            return self.whole(1 << (head - 0xCC & 3), signed=head >= 0xD0)
        if head in (0xDC, 0xDD):
            return self.several(self.whole(2 if head == 0xDC else 4), depth)
        if head in (0xDE, 0xDF):
            return self.pairs(self.whole(2 if head == 0xDE else 4), depth)
        if 0xD4 <= head <= 0xD8:
            return self.take(1 + (1 << (head - 0xD4))).hex()
        if 0xC7 <= head <= 0xC9:
            return self.take(1 + self.whole(1 << (head - 0xC7))).hex()
        raise ValueError("no such kind")


class _Cbor(_Values):
    def value(self, depth: int = 0) -> Any:
        head = self.whole(1)
        kind, small = head >> 5, head & 31
        if small == 31 and kind in (2, 3, 4, 5):
            listed = []
            while self.data[self.place : self.place + 1] != b"\xff":
                listed += self.several(1, depth)
            self.place += 1
            if kind == 5:
                return {str(key): value for key, value in zip(listed[::2], listed[1::2], strict=False)}
            return listed if kind == 4 else "".join(map(str, listed))
        if small > 27:
            raise ValueError("no such kind")
        if kind == 7:
            if small >= 25:
                return struct.unpack(_FLOATS[1 << (small - 24)], self.take(1 << (small - 24)))[0]
            return {20: False, 21: True}.get(small)
        size = small if small < 24 else self.whole(1 << (small - 24))
        if kind < 2:
            return size if kind == 0 else -1 - size
        if kind < 4:
            return self.take(size).decode("utf-8", "strict" if kind == 3 else "replace")
        if kind == 6:
            return self.value(depth + 1)
        return self.several(size, depth) if kind == 4 else self.pairs(size, depth)


def _values(entry: Entry, data: bytes) -> list[Table]:
    for form in (_MessagePack, _Cbor):
        stream, found = form(data), []
        try:
            while stream.place < len(data):
                found.append(stream.value())
        except (ValueError, KeyError, struct.error, RecursionError):
            continue
        value = found[0] if len(found) == 1 else found
        if isinstance(value, dict | list) and value and not _is_bytes(found):
            return list(tables_of_value(entry.name, value))
    return []


def _is_bytes(found: list[Any]) -> bool:
    """Whether single bytes were taken for values: any text below 128 is a row of small numbers."""
    return all(not isinstance(value, dict | list | str) for value in found)


def _property_list(entry: Entry, data: bytes) -> list[Table]:
    import plistlib

    return list(tables_of_value(entry.name, plistlib.loads(data)))


def _may_be(entry: Entry, data: bytes) -> bool:
    return 8 <= len(data) <= _LARGEST and data[0] >= 0x80


READERS = [(lambda entry, data: data[:6] == b"bplist", _property_list), (_may_be, _values)]
