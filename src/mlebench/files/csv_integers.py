"""Whole numbers as CSV text, all columns of a batch at once.

Every number is cut into pieces of three digits. The text of a piece, with its separator, takes at most four bytes and
is looked up in a table; unused bytes are zero. The pieces of all rows make a matrix, and its bytes that are not zero,
one after the other, are the text. This takes a few nanoseconds per number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PIECE = 1000
_LARGEST = _PIECE**3 - 1
_PADDED, _NOTHING = _PIECE, 2 * _PIECE  # where in the table the pieces with leading zeros begin, and the empty one is


def can_join(values: NDArray[Any]) -> bool:
    """Whether a column is one of whole numbers that fit into three pieces."""
    if values.dtype.kind not in "iu" or not len(values):
        return False
    return int(values.min()) >= -_LARGEST and int(values.max()) <= _LARGEST


def joined(columns: Sequence[NDArray[Any]], end: bytes) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """(text, where each row ends in it) of columns for which `can_join` holds; `end` ends a row: one byte, or none."""
    pieces = list(_pieces(columns, end))
    matrix = np.empty((len(columns[0]), len(pieces)), "<u4")
    for place, (table, indices) in enumerate(pieces):
        np.take(table, indices, out=matrix[:, place], mode="clip")
    cells = matrix.view(np.uint8)
    used = cells != 0
    text = cells[used]
    if end == b"\n":  # which nothing else in the text is
        return text, np.flatnonzero(text == ord(end)) + 1
    return text, np.cumsum(np.count_nonzero(used, axis=1))


def _pieces(columns: Sequence[NDArray[Any]], end: bytes) -> Iterator[tuple[NDArray[np.uint32], NDArray[Any]]]:
    """(table of texts, indices into it) from left to right."""
    place, last = 0, len(columns) - 1
    while place <= last:
        values = columns[place]
        if place < last and _is_digit(values) and _is_digit(columns[place + 1]):
            second = columns[place + 1]
            place += 1
            yield _pairs(b"," if place < last else end), values.astype(np.intp) * 10 + second.astype(np.intp)
        else:
            yield from _pieces_of(values, b"," if place < last else end)
        place += 1


def _is_digit(values: NDArray[Any]) -> bool:
    return bool(values.min() >= 0 and values.max() <= 9)


def _pieces_of(values: NDArray[Any], end: bytes) -> Iterator[tuple[NDArray[np.uint32], NDArray[Any]]]:
    largest = max(int(values.max()), -int(values.min()))
    if values.min() < 0:
        yield _SIGNS, values < 0
        values = np.abs(values.astype(np.int64))
    if largest < _PIECE:
        yield _texts(end), values
        return
    rest = values.astype(np.uint32)
    begun = np.zeros(len(values), bool)
    for scale in (_PIECE**2, _PIECE) if largest >= _PIECE**2 else (_PIECE,):
        piece, rest = rest // np.uint32(scale), rest % np.uint32(scale)
        yield _texts(b""), np.where(begun, piece + _PADDED, np.where(piece > 0, piece, _NOTHING))
        begun |= piece > 0
    yield _texts(end), rest + begun * np.uint32(_PADDED)


def _table(texts: list[bytes]) -> NDArray[np.uint32]:
    return np.array(texts, dtype="S4").view("<u4")


_SIGNS = _table([b"", b"-"])


@cache
def _texts(end: bytes) -> NDArray[np.uint32]:
    """The pieces 0 to 999 as they are, with leading zeros, and nothing; all but the last are followed by `end`."""
    plain = [b"%d%s" % (piece, end) for piece in range(_PIECE)]
    return _table([*plain, *(b"%03d%s" % (piece, end) for piece in range(_PIECE)), b""])


@cache
def _pairs(end: bytes) -> NDArray[np.uint32]:
    """Two digits with a comma in between, by the number that they make."""
    return _table([b"%d,%d%s" % (*divmod(pair, 10), end) for pair in range(100)])
