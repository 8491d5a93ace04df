"""Compiled Python: the constants of a module, read off the bytes; nothing is loaded, built or run.

A dictionary that a program is written with is no constant: its keys and values are loaded one after the other, so that
the constants are also listed in the order in which the code loads them.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from mlebench.audit.cursor import Cursor
from mlebench.audit.entries import Entry
from mlebench.audit.readers.nested import tables_of_value
from mlebench.audit.readers.pickles import lists_in, side_by_side
from mlebench.audit.readers.text import tables_of_tokens
from mlebench.audit.table import Table

_MOST_VALUES, _MOST_DEPTH, _MOST_TOKENS = 3_000_000, 100, 1_200_000
_LARGEST = 64 << 20
_REFERRED = 0x80  # the bit of a kind that says that the value may be referred to
_OLDEST, _NEWEST = 3360, 3999  # the numbers of Python 3.6 and of what will be 3.17 or so
_WITH_HASH, _POSITIONAL, _FEWER, _THIRTEEN, _FOURTEEN = 3390, 3400, 3450, 3550, 3600  # 3.7, 3.8, 3.11, 3.13, 3.14
_SCALARS = (bool, int, float, str)


@dataclass
class _Code:
    """The code of a module or a function: its bytes, and the constants that these load by number."""

    code: bytes
    constants: tuple[Any, ...]


@dataclass
class _Reader(Cursor):
    """Values in the form in which Python stores compiled programs."""

    version: int = 0  # the number of the compiler; 0 where values are stored and no program
    count: int = 0
    known: list[Any] = field(default_factory=list)

    def whole(self, size: int = 4) -> int:
        """The next whole number."""
        return int.from_bytes(self.take(size), "little", signed=size > 1)

    def several(self, count: int, depth: int) -> list[Any]:
        """So many values."""
        if not 0 <= count <= len(self.data) - self.place:
            raise ValueError("more values than there are bytes")
        return [self.value(depth + 1) for _ in range(count)]

    def value(self, depth: int = 0) -> Any:
        """The next value; what it may be referred to by later is kept."""
        self.count += 1
        if depth > _MOST_DEPTH or self.count > _MOST_VALUES:
            raise ValueError("too deep, or too much")
        head = self.whole(1)
        kind = chr(head & ~_REFERRED)
        if kind == "r":
            return self.known[self.whole()]
        place = len(self.known)
        if head & _REFERRED:
            self.known.append(None)
        found = self._of_kind(kind, depth)
        if head & _REFERRED:
            self.known[place] = found
        return found

    def _of_kind(self, kind: str, depth: int) -> Any:
        if kind in _CONSTANTS:
            return _CONSTANTS[kind]
        if kind in "iI":
            return self.whole(4 if kind == "i" else 8)
        if kind == "l":
            digits = self.whole()
            found = sum(self.whole(2) << 15 * place for place in range(abs(digits)))
            return found if digits > 0 else -found
        if kind == "g":
            return struct.unpack("<d", self.take(8))[0]
        if kind == "f":
            return float(self.take(self.whole(1)))
        if kind == "y":
            return self.take(16).hex()
        if kind in "zZ":
            return self.take(self.whole(1)).decode("latin-1")
        if kind in "aAtu":
            return self.take(self.whole()).decode("utf-8", "replace")
        if kind == "s":
            return self.take(self.whole())
        if kind == ")":
            return tuple(self.several(self.whole(1), depth))
        if kind in "([<>":
            listed = self.several(self.whole(), depth)
            return listed if kind == "[" else tuple(listed)
        if kind == "{":
            return dict(self._pairs(depth))
        if kind == "c" and self.version:
            return self._code(depth)
        raise ValueError("no such kind")

    def _pairs(self, depth: int) -> Iterator[tuple[Any, Any]]:
        while self.data[self.place : self.place + 1] not in (b"0", b""):
            key = self.value(depth + 1)
            yield key if isinstance(key, (*_SCALARS, bytes, type(None))) else repr(key)[:80], self.value(depth + 1)
        self.take(1)

    def _code(self, depth: int) -> _Code:
        self.take(4 * (6 if _POSITIONAL <= self.version < _FEWER else 5))  # how many arguments, and the like
        code, constants = self.value(depth + 1), self.value(depth + 1)
        for _ in range(6):  # names
            self.value(depth + 1)
        self.take(4)  # the line of the first one
        for _ in range(2 if self.version >= _FEWER else 1):
            self.value(depth + 1)
        return _Code(
            code if isinstance(code, bytes) else b"",
            constants if isinstance(constants, tuple) else (),
        )


_CONSTANTS: dict[str, Any] = {"N": None, "F": False, "T": True, "S": None, ".": None}


def _loaded(code: _Code, version: int) -> list[Any]:
    """The constants in the order in which code loads them, the keys of a short dictionary before their values."""
    loads, extends = (100, 144) if version < _THIRTEEN else (83, 71) if version < _FOURTEEN else (82, 69)
    found: list[Any] = []
    above = 0
    keys: tuple[Any, ...] = ()  # that were loaded last, behind as many values
    for opcode, argument in zip(code.code[::2], code.code[1::2], strict=False):
        argument |= above
        above = argument << 8 if opcode == extends else 0
        if keys and argument == len(keys):
            found[-1 - len(keys) :] = [
                part for pair in zip(keys, found[-1 - len(keys) : -1], strict=True) for part in pair
            ]
        keys = ()
        if opcode == loads and argument < len(code.constants):
            constant = code.constants[argument]
            found.append(constant)
            keys = constant if isinstance(constant, tuple) and len(constant) < len(found) else ()
        elif opcode == _SMALL and version >= _FOURTEEN:
            found.append(argument)
    return found


_SMALL = 94  # loads a small number that is no constant, from Python 3.14 on


def _tokens(value: Any, depth: int = 0) -> Iterator[str]:
    """The plain values in a constant, one after the other."""
    if isinstance(value, bool):
        yield str(int(value))
    elif isinstance(value, _SCALARS):
        yield str(value)
    elif isinstance(value, tuple) and depth < _MOST_DEPTH:
        for item in value:
            yield from _tokens(item, depth + 1)


def _codes(value: Any) -> Iterator[_Code]:
    """The code of a module, and of the functions in it."""
    waiting = [value]
    while waiting:
        code = waiting.pop()
        if isinstance(code, _Code):
            yield code
            waiting += [constant for constant in code.constants if isinstance(constant, _Code)]


def _module(entry: Entry, data: bytes) -> list[Table]:
    version = int.from_bytes(data[:2], "little")
    reader = _Reader(data[:_LARGEST], 16 if version >= _WITH_HASH else 12, version)
    found: list[Table] = []
    for code in _codes(reader.value()):
        tokens: list[str] = []
        for constant in _loaded(code, version):
            tokens += _tokens(constant) if len(tokens) < _MOST_TOKENS else ()
        found += tables_of_tokens(entry.name, tokens[:_MOST_TOKENS])
        found += side_by_side(entry.name, list(lists_in(code.constants, "", set())))
    return found


def _stored(entry: Entry, data: bytes) -> list[Table]:
    reader = _Reader(data)
    value = reader.value()
    if reader.place < len(data):
        return []
    found = side_by_side(entry.name, list(lists_in(value, "", set())))
    with contextlib.suppress(TypeError, AttributeError):
        found += tables_of_value(entry.name, value)
    return found


def _is_module(entry: Entry, data: bytes) -> bool:
    return data[2:4] == b"\r\n" and _OLDEST <= int.from_bytes(data[:2], "little") <= _NEWEST


def _may_be_stored(entry: Entry, data: bytes) -> bool:
    """Whether bytes may be a dictionary or a list that was stored: not a text that begins with a bracket."""
    return len(data) <= _LARGEST and data[:1] in (b"{", b"[", b"(", b"\xfb", b"\xdb", b"\xa8") and b"\0" in data[:256]


READERS: list[tuple[Callable[[Entry, bytes], bool], Callable[[Entry, bytes], list[Table]]]] = [
    (_is_module, _module),
    (_may_be_stored, _stored),
]
