"""Rows in bytes of unknown form: what stands beside each id, behind all of them, or as many numbers as items.

Records of one length, texts with their length in front, lists of names with a list of numbers behind: the ids say where
a row begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.table import Table, Texts, texts
from mlebench.audit.targets import plain_key

_TOKEN = re.compile(rb"[A-Za-z0-9_.\-]{1,200}")
_NEXT = re.compile(rb"[\x00-\x1f\x7f-\xff]{0,8}([\x20-\x7e]{1,60})")
_KINDS = ("u1", "<i2", "<i4", "<i8", "<f4", "<f8", ">i2", ">i4", ">f4", ">f8")
_LARGEST = 1 << 20  # bytes
_LARGEST_LIST = 1 << 20
_FEWEST = 4  # ids
_MOST_IDS = 50_000
_MOST_LENGTHS = 12
_LONGEST_RECORD = 160
_NEAR = 12  # bytes beside an id that are looked at
_MOST_GAP = 40  # bytes between a list of ids and the list behind it
_HEADER = 1024


def rows_in_bytes(
    where: str, data: bytes, names: Mapping[str, Any], ids: Sequence[Any], *, with_lists: bool = True
) -> Iterator[Table]:
    """The tables that ids in bytes are the keys of, and lists of as many numbers as there are items."""
    if len(data) > _LARGEST:
        return
    found = ids_in(data, names, ids)
    if len({name for _, _, name in found}) >= _FEWEST:
        columns = {"id": texts(name for _, _, name in found), **_beside(data, found)}
        yield Table(where, columns, keys=("id",))
        behind = dict(_behind(data, found))
        if behind:
            yield Table(where, {"id": columns["id"], **behind}, keys=("id",))
    elif with_lists and len(data) <= _LARGEST_LIST:
        yield from _lists(where, data, len(ids))


def ids_in(data: bytes, names: Mapping[str, Any], ids: Sequence[Any]) -> list[tuple[int, int, str]]:
    """(start, end, id) of the ids in bytes; other characters may stand right beside them."""
    lengths = sorted({len(str(name)) for name in ids}, reverse=True)[:_MOST_LENGTHS]
    exact, found = {str(name).lower() for name in ids}, []
    for match in _TOKEN.finditer(data):
        token = match.group().decode("ascii")
        for start, end in _places(len(token), lengths):
            part = token[start:end]
            is_whole = (start, end) == (0, len(token))
            if plain_key(part) in names if is_whole else len(part) > 3 and part.lower() in exact:
                found.append((match.start() + start, match.start() + end, part))
                break
        if len(found) >= _MOST_IDS:
            break
    return found


def _places(size: int, lengths: list[int]) -> Iterator[tuple[int, int]]:
    yield 0, size
    for length in lengths:
        if length < size:
            yield from ((0, length), (1, 1 + length), (size - length, size))
    if size > 2:
        yield from ((1, size), (0, size - 1))


def _numbers(data: NDArray[np.uint8], places: NDArray[np.int64], kind: str) -> Texts | None:
    """The numbers of a kind at some places; None where they say nothing."""
    width = np.dtype(kind).itemsize
    if len(places) == 0 or places.min() < 0 or places.max() + width > len(data):
        return None
    raw = data[places[:, None] + np.arange(width)]
    numbers = np.ascontiguousarray(raw).view(kind).ravel()
    with np.errstate(all="ignore"):
        size = np.abs(numbers.astype(np.float64))
    if not np.isfinite(size).all() or len(np.unique(numbers)) < 2:
        return None
    if kind[1] == "f" and (size.max() > 1e12 or np.median(size[size > 0], axis=None) < 1e-12):
        return None
    return texts(numbers.tolist())


def _beside(data: bytes, found: list[tuple[int, int, str]]) -> dict[str, Texts]:
    """What stands beside each id: counted from its start in records of one length, else from its end."""
    values = np.frombuffer(data, np.uint8)
    starts = np.array([start for start, _, _ in found])
    ends = np.array([end for _, end, _ in found])
    steps, counts = np.unique(np.diff(starts), return_counts=True)
    stride = int(steps[counts.argmax()])
    is_even = counts.max() > 0.8 * (len(starts) - 1) and 1 < stride <= _LONGEST_RECORD
    origin = starts if is_even else ends
    reach = range(-_NEAR, stride) if is_even else range(_NEAR)
    columns: dict[str, Texts] = {}
    for kind in _KINDS if is_even else ("u1", "<i4", "<f4", "<f8", ">i4", ">f8"):
        for offset in reach:
            numbers = _numbers(values, np.minimum(origin + offset, len(values) - np.dtype(kind).itemsize), kind)
            if numbers is not None:
                columns[f"{kind} at {offset}"] = numbers
    if not is_even:
        for offset in range(1, _NEAR):
            numbers = _numbers(values, np.maximum(starts - offset, 0), "u1")
            if numbers is not None:
                columns[f"u1 at -{offset}"] = numbers
    following = (_NEXT.match(data, end) for _, end, _ in found)
    columns["text behind the id"] = texts(
        match.group(1).decode("ascii").strip() if match else None for match in following
    )
    return columns


def _behind(data: bytes, found: list[tuple[int, int, str]]) -> Iterator[tuple[str, Texts]]:
    """Lists of as many numbers as there are ids, behind the last of these."""
    values = np.frombuffer(data, np.uint8)
    end, count = found[-1][1], len(found)
    gaps = range(_MOST_GAP if count <= 2000 else 16)
    for kind in _KINDS:
        width = np.dtype(kind).itemsize
        for gap in gaps:
            numbers = _numbers(values, end + gap + np.arange(count) * width, kind)
            if numbers is not None:
                yield f"{kind} behind all ids, after {gap} bytes", numbers


def _lists(where: str, data: bytes, count: int) -> Iterator[Table]:
    """As many numbers as there are items, behind a header or before what else is there."""
    values = np.frombuffer(data, np.uint8)
    if count < 12:
        return
    for kind in _KINDS:
        size = np.dtype(kind).itemsize * count
        if size <= len(data) <= size + _HEADER:
            for what, start in (("at its end", len(data) - size), ("at its start", 0)):
                numbers = _numbers(values, start + np.arange(count) * np.dtype(kind).itemsize, kind)
                if numbers is not None:
                    yield Table(where, {f"{kind} {what}": numbers}, keys=())
    size = (count + 7) // 8
    if size <= len(data) <= size + 16:
        for what, part in (("at its end", values[-size:]), ("at its start", values[:size])):
            for order, bits in (("", np.unpackbits(part)), (", lowest first", np.unpackbits(part, bitorder="little"))):
                yield Table(where, {f"bits {what}{order}": texts(bits[:count].tolist())}, keys=())


def lists_of_words(where: str, words: Sequence[str], names: Mapping[str, Any]) -> Table | None:
    """Where a text has ids one after the other, the words of the lists as long before and behind them."""
    is_id = np.array([plain_key(word) in names for word in words], dtype=bool)
    if is_id.sum() < _FEWEST:
        return None
    edges = np.flatnonzero(np.diff(np.concatenate([[0], is_id.astype(np.int8), [0]])))
    runs = edges.reshape(-1, 2)
    start, end = (int(place) for place in runs[(runs[:, 1] - runs[:, 0]).argmax()])
    count = end - start
    if count < max(_FEWEST, 0.5 * is_id.sum()):
        return None
    columns = {"id": texts(words[start:end])}
    for gap in range(12):
        if end + gap + count <= len(words):
            columns[f"list behind, after {gap} words"] = texts(words[end + gap : end + gap + count])
        if start - gap - count >= 0:
            columns[f"list before, after {gap} words"] = texts(words[start - gap - count : start - gap])
    return Table(where, columns, keys=("id",)) if len(columns) > 1 else None


def rows_by_number(where: str, words: Sequence[str], count: int) -> Table | None:
    """Where a text has numbers of rows and little else, which rows it names."""
    numbers = [int(word) for word in words[: 2 * count] if word.isdecimal() and len(word) < 8]
    named = set(numbers)
    if len(numbers) < 0.9 * len(words) or len(named) < len(numbers) or not 0.02 * count < len(named) < 0.98 * count:
        return None
    if count < 12 or len(named) < _FEWEST or max(named) > count:
        return None
    columns = {f"named, from {first}": texts(int(row + first in named) for row in range(count)) for first in (0, 1)}
    return Table(where, columns, keys=())
