"""Pickles and joblib files, read off their opcodes: nothing that they name is imported, built or called.

What would be an object is a record of what it would be made from; arrays of NumPy, which tables of pandas consist of,
are recognised among these by their parts.
"""

from __future__ import annotations

import contextlib
import io
import pickletools
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from mlebench.audit.entries import Entry
from mlebench.audit.readers.text import tables_of_tokens
from mlebench.audit.table import Table, texts

_MOST_ROWS = 300_000
_MOST_OPCODES = 3_000_000
_MOST_COLUMNS = 60
_MOST_DEPTH = 30
_MARK = object()
_PLAIN = (bool, int, float, str)


@dataclass
class Made:
    """What an object would be made from."""

    name: str
    arguments: Any = ()
    state: Any = None
    items: list[Any] = field(default_factory=list)


class _Machine:
    """The stack of a pickle with records in place of objects."""

    def __init__(self, data: bytes) -> None:
        self.file = io.BytesIO(data)
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.tokens: list[str] = []

    def run(self) -> Any:
        """The value of the pickle, as far as it can be read."""
        for count, (opcode, value, _) in enumerate(pickletools.genops(self.file)):
            if opcode.name == "STOP" or count > _MOST_OPCODES:
                break
            self._step(opcode.name, value)
        return self.stack[-1] if self.stack else None

    def _above_mark(self) -> list[Any]:
        place = next(place for place in range(len(self.stack) - 1, -1, -1) if self.stack[place] is _MARK)
        above = self.stack[place + 1 :]
        del self.stack[place:]
        return above

    def _push(self, value: Any) -> None:
        if isinstance(value, _PLAIN):
            self.tokens.append(str(int(value)) if isinstance(value, bool) else str(value))
        self.stack.append(value)

    def _step(self, name: str, value: Any) -> None:
        stack = self.stack
        if name in ("PROTO", "FRAME", "NEXT_BUFFER", "READONLY_BUFFER"):
            return
        if name == "MEMOIZE" or "PUT" in name:
            self.memo[len(self.memo) if name == "MEMOIZE" else int(value)] = stack[-1]
        elif "GET" in name:
            self._push(self.memo.get(int(value)))
        elif name == "MARK":
            stack.append(_MARK)
        elif name in ("GLOBAL", "INST"):
            made = Made(str(value).replace(" ", "."))
            if name == "INST":
                made.arguments = tuple(self._above_mark())
            stack.append(made)
        elif name == "STACK_GLOBAL":
            attribute, module = stack.pop(), stack.pop()
            stack.append(Made(f"{module}.{attribute}"))
        elif name in ("REDUCE", "NEWOBJ", "NEWOBJ_EX"):
            if name == "NEWOBJ_EX":
                stack.pop()
            arguments, made = stack.pop(), stack.pop()
            stack.append(_called(made.name if isinstance(made, Made) else "", arguments))
        elif name == "OBJ":
            first, *rest = self._above_mark()
            stack.append(Made(first.name if isinstance(first, Made) else "", tuple(rest)))
        elif name == "BUILD":
            state = stack.pop()
            if isinstance(stack[-1], Made):
                stack[-1].state = state
                self._array_behind(stack[-1])
        elif name in ("TUPLE", "LIST", "FROZENSET"):
            listed = self._above_mark()
            stack.append(tuple(listed) if name == "TUPLE" else listed)
        elif name in ("TUPLE1", "TUPLE2", "TUPLE3"):
            size = int(name[-1])
            stack[-size:] = [tuple(stack[-size:])]
        elif name in ("EMPTY_LIST", "EMPTY_SET", "EMPTY_DICT", "EMPTY_TUPLE"):
            stack.append({} if name == "EMPTY_DICT" else () if name == "EMPTY_TUPLE" else [])
        elif name == "DICT":
            stack.append(_paired(self._above_mark()))
        elif name in ("APPEND", "APPENDS", "ADDITEMS"):
            listed = [stack.pop()] if name == "APPEND" else self._above_mark()
            owner = stack[-1]
            (owner.items if isinstance(owner, Made) else owner).extend(listed)
        elif name in ("SETITEM", "SETITEMS"):
            listed = [stack[-2], stack[-1]] if name == "SETITEM" else self._above_mark()
            if name == "SETITEM":
                del stack[-2:]
            if isinstance(stack[-1], dict):
                stack[-1].update(_paired(listed))
            elif isinstance(stack[-1], Made):
                stack[-1].items.extend(listed)
        elif name in ("POP", "POP_MARK"):
            if name == "POP_MARK":
                self._above_mark()
            else:
                stack.pop()
        elif name == "DUP":
            stack.append(stack[-1])
        elif name in ("NEWTRUE", "NEWFALSE"):
            self._push(name == "NEWTRUE")
        elif name == "BINPERSID":
            stack.append(Made("", stack.pop()))
        else:
            self._push(value)  # a constant, or None

    def _array_behind(self, made: Made) -> None:
        """Joblib writes the numbers of an array behind the record that announces it."""
        if not made.name.endswith("NumpyArrayWrapper") or not isinstance(made.state, dict):
            return
        kind, shape = _dtype(made.state.get("dtype")), made.state.get("shape")
        if kind is None or not isinstance(shape, tuple):
            if not isinstance(shape, tuple):
                return
            inner = _Machine(self.file.getvalue()[self.file.tell() :])  # objects are a pickle of their own
            value = inner.run()
            self.file.seek(self.file.tell() + inner.file.tell())
            made.state, made.items = None, [value]
            self.tokens += inner.tokens
            return
        if made.state.get("numpy_array_alignment_bytes") is not None:
            padding = self.file.read(1)
            self.file.read(padding[0] if padding else 0)
        size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
        if 0 <= size <= len(self.file.getvalue()) - self.file.tell():
            made.state, made.items = None, [np.frombuffer(self.file.read(size), kind)]


def _called(name: str, arguments: Any) -> Any:
    """What a call would be made from; bytes where it is the way in which protocol 2 writes these."""
    if name == "_codecs.encode" and isinstance(arguments, tuple) and arguments and isinstance(arguments[0], str):
        return arguments[0].encode("latin-1", "replace")
    return Made(name, arguments)


def _paired(listed: list[Any]) -> dict[Any, Any]:
    found = {}
    for key, value in zip(listed[::2], listed[1::2], strict=False):
        found[key if isinstance(key, (*_PLAIN, bytes, type(None))) else repr(key)[:80]] = value
    return found


def _dtype(made: Any) -> np.dtype[Any] | None:
    """A type of numbers or texts of one width; None for objects and what is none."""
    if not isinstance(made, Made) or not made.name.endswith("dtype") or not isinstance(made.arguments, tuple):
        return None
    order = made.state[1] if isinstance(made.state, tuple) and len(made.state) > 1 else "<"
    with contextlib.suppress(TypeError, ValueError):
        kind = np.dtype(str(made.arguments[0]))
        if kind.kind in "biufSUmM" and kind.itemsize:
            return kind.newbyteorder(">" if order == ">" else "<")
    return None


def _of_array(made: Made) -> Any:
    """The array that a record describes: numbers, texts or a list of objects; None where it is no array."""
    if made.items and isinstance(made.items[0], np.ndarray):
        return made.items[0]
    parts = made.state if isinstance(made.state, tuple) else made.arguments if isinstance(made.arguments, tuple) else ()
    kinds = [kind for part in parts if (kind := _dtype(part)) is not None]
    for content in parts:
        if isinstance(content, bytes | bytearray) and kinds and len(content) >= kinds[0].itemsize > 0:
            return np.frombuffer(bytes(content[: len(content) // kinds[0].itemsize * kinds[0].itemsize]), kinds[0])
    return None


def lists_in(value: Any, path: str, seen: set[int], depth: int = 0) -> Iterator[tuple[str, list[Any]]]:
    """(path, values) of all lists of plain values, wherever they are."""
    if depth > _MOST_DEPTH or isinstance(value, (*_PLAIN, bytes, bytearray, type(None))) or id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield path, value[:_MOST_ROWS].tolist()
    elif isinstance(value, Made):
        array = _of_array(value)
        if array is not None:
            yield from _in_rows(f"{path} array".strip(), array[: 4 * _MOST_ROWS].tolist(), value)
            return
        listed = value.state[-1] if isinstance(value.state, tuple) and value.state else None
        if isinstance(listed, list) and all(isinstance(item, (*_PLAIN, type(None))) for item in listed):
            yield from _in_rows(path, listed[: 4 * _MOST_ROWS], value)
            return
        for name, below in (("", value.arguments), ("", value.state), ("", value.items)):
            yield from lists_in(below, f"{path}{name}", seen, depth + 1)
    elif isinstance(value, dict):
        if len(value) > 3 and all(isinstance(below, _PLAIN) for below in value.values()):
            yield f"{path} keys".strip(), list(value)[:_MOST_ROWS]
            yield f"{path} values".strip(), list(value.values())[:_MOST_ROWS]
            return
        for key, below in value.items():
            yield from lists_in(below, f"{path}.{key}".strip(".")[:80], seen, depth + 1)
    elif isinstance(value, list | tuple):
        if len(value) > 3 and sum(isinstance(item, (*_PLAIN, type(None))) for item in value) == len(value):
            yield path, list(value[: 4 * _MOST_ROWS])
            return
        for item in value:
            yield from lists_in(item, path, seen, depth + 1)


def _in_rows(path: str, values: list[Any], made: Made) -> Iterator[tuple[str, list[Any]]]:
    """The rows or columns of an array, the longer ones, where it has both."""
    state = made.state if isinstance(made.state, tuple) and len(made.state) > 1 else made.arguments
    shapes = [part for part in state if isinstance(part, tuple)] if isinstance(state, tuple) else []
    shape = next((part for part in shapes if len(part) == 2 and all(isinstance(size, int) for size in part)), None)
    if shape is None or shape[0] * shape[1] != len(values) or min(shape) < 1 or min(shape) > _MOST_COLUMNS:
        yield path, values
        return
    for number in range(min(shape)):
        by_rows, by_columns = values[number * max(shape) :][: max(shape)], values[number :: min(shape)]
        yield f"{path} {number}", by_rows
        yield f"{path} {number} in turns", by_columns


def side_by_side(where: str, lists: list[tuple[str, list[Any]]]) -> list[Table]:
    """Lists of one length as the columns of a table; a list that is several times as long as another is a block."""
    lengths = {len(values) for _, values in lists if len(values) > 3}
    columns: dict[int, dict[str, list[Any]]] = {}
    for number, (name, values) in enumerate(lists[: 10 * _MOST_COLUMNS]):
        for length in sorted(lengths):
            times, rest = divmod(len(values), length)
            if rest or not 1 <= times <= 20 or length > _MOST_ROWS:
                continue
            for part in range(times):
                label = f"{name or 'list'} {number + 1}" + (f" part {part + 1}" if times > 1 else "")
                columns.setdefault(length, {})[label] = values[part * length : (part + 1) * length]
                if times > 1:
                    columns[length][f"{label} in turns"] = values[part::times]
    return [
        Table(where, {name: texts(values) for name, values in list(found.items())[:_MOST_COLUMNS]})
        for found in columns.values()
    ]


def _pickle(entry: Entry, data: bytes) -> list[Table]:
    found, tokens = _read(data)
    return [*side_by_side(entry.name, found), *tables_of_tokens(entry.name, tokens[: 4 * _MOST_ROWS])]


def _read(data: bytes) -> tuple[list[tuple[str, list[Any]]], list[str]]:
    """The lists in a pickle, and all its texts and numbers in their order."""
    machine, value = _Machine(data), None
    with contextlib.suppress(Exception):  # what was read up to there counts
        value = machine.run()
    top = value if value is not None else machine.stack
    found = list(lists_in(top, "", set()))
    buffers = [bytes(part) for part in _buffers(top, set()) if 8 <= len(part) <= 64 * _MOST_ROWS]
    for number, part in enumerate(buffers[:_MOST_COLUMNS]):  # what is no array of a known type may be numbers
        found += [
            (f"bytes {number + 1} as {kind}", np.frombuffer(part, kind).tolist())
            for kind in ("<i8", "<f8", "<i4", "<f4", "u1")
            if len(part) % np.dtype(kind).itemsize == 0 and len(part) <= 8 * _MOST_ROWS
        ]
    for places, content in pairwise(buffers):
        words = _words(places, content)
        if words:
            found.append(("texts", words))
    return found, machine.tokens


def _words(places: bytes, content: bytes) -> list[str] | None:
    """Texts as Arrow has them: where each ends, and all of them one behind the other."""
    for kind in ("<i4", "<i8"):
        width = np.dtype(kind).itemsize
        ends = np.frombuffer(places[: len(places) // width * width], kind)
        if len(ends) > 4 and ends[0] == 0 and len(content) >= ends.max() > 0:
            last = int(ends.argmax())
            if (np.diff(ends[: last + 1]) >= 0).all():
                cuts = ends[: last + 1].tolist()
                return [content[start:end].decode("utf-8", "replace") for start, end in pairwise(cuts)]
    return None


def _buffers(value: Any, seen: set[int], depth: int = 0) -> Iterator[bytes | bytearray]:
    if isinstance(value, bytes | bytearray):
        yield value
    elif depth <= _MOST_DEPTH and isinstance(value, Made | dict | list | tuple) and id(value) not in seen:
        seen.add(id(value))
        if isinstance(value, Made):
            if _of_array(value) is None:
                for below in (value.arguments, value.state, value.items):
                    yield from _buffers(below, seen, depth + 1)
        else:
            for below in value.values() if isinstance(value, dict) else value:
                yield from _buffers(below, seen, depth + 1)


def _is_pickle(entry: Entry, data: bytes) -> bool:
    """Whether bytes may be a pickle: by how they begin and end; those of old protocols begin with an opcode only."""
    known = data[:1] == b"\x80" and data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")
    if known:
        return b"." in data[-64:] or b"." in data  # arrays of joblib stand behind the end of what they are part of
    return data[-1:] == b"." and (
        data[:2] in (b"(d", b"(l", b"}q", b"]q", b"cp", b"cn", b"cc") or entry.suffix in (".pkl", ".pickle", ".joblib")
    )


def lists_of_objects(data: bytes) -> list[tuple[str, list[Any]]]:
    """The lists in a NumPy file of objects, which are a pickle behind its header."""
    start = data.find(b"\x80", 10)
    return _read(data[start:])[0] if start > 0 else []


READERS = [(_is_pickle, _pickle)]
