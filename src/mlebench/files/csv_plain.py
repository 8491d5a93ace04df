"""Tables of whole numbers that are, as they stand in their file, what pandas would write: their bytes are passed on.

Reading a whole number and writing it again gives the same bytes unless it has a sign or a zero too many, is missing, or
is no whole number at all. Comparing the bytes of a block shows whether any cell is so, at a tenth of what parsing and
formatting it takes. A table with one such cell is not for this module; nor is one with texts or floats, of which this
would have to look at so much more that a parser is as fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

import numpy as np
from numpy.typing import NDArray

from mlebench.files import csv_writer
from mlebench.files.ahead import mapped_ahead
from mlebench.files.csv_writer import Lines

_BLOCK = 1 << 20  # bytes that a thread is given at a time
_PIECE = 1 << 17  # bytes that are judged together: what is made of more falls out of the cache, and costs page faults
_COMMA, _NEWLINE, _MINUS, _ZERO = b",\n-0"
_DOUBLINGS = (1, 2, 4, 8, 3)  # which make 18 characters, those of a number that surely fits into 64 bits


class NotPlainError(Exception):
    """Something in this table may be written in another way, so that it takes a parser."""


def plain_lines(stream: IO[bytes], kinds: dict[str, str]) -> Iterator[Lines]:
    """The rows of a table whose columns are of these kinds, as pandas writes them, a block at a time.

    Raises NotPlainError, perhaps after some blocks, where the table is not one of plain whole numbers.
    """
    header = csv_writer.header(list(kinds))
    if len(kinds) < 2 or set(kinds.values()) != {"int64"} or stream.read(len(header)) != header:
        raise NotPlainError
    return mapped_ahead(lambda text: Lines(text, _all_ends(text, len(kinds))), _blocks(stream))


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """The rest of a stream in pieces that end with a line."""
    begun = b""
    while piece := stream.read(_BLOCK):
        lines, newline, rest = piece.rpartition(b"\n")
        if newline:
            yield begun + lines + newline
            begun = rest
        else:
            begun += rest
    if begun:
        yield begun + b"\n"


def _all_ends(text: bytes, columns: int) -> NDArray[np.int64]:
    """Where each row ends in a block, piece by piece."""
    found, start = [], 0
    while start < len(text):
        end = text.rfind(b"\n", start, start + _PIECE) + 1 or text.find(b"\n", start) + 1
        found.append(row_ends(memoryview(text)[start:end], columns) + start)
        start = end
    return np.concatenate(found)


def row_ends(text: bytes | memoryview, columns: int) -> NDArray[np.int64]:
    r"""Where each row ends in a text that ends with a line; NotPlainError unless all cells are plain whole numbers.

    >>> row_ends(b"1,-2\n30,0\n", columns=2).tolist()
    [5, 10]
    """
    codes = np.frombuffer(text, np.uint8)
    is_newline = codes == _NEWLINE
    is_end = (codes == _COMMA) | is_newline
    is_digit = codes - np.uint8(_ZERO) < 10  # smaller codes wrap around
    is_inside = ~is_end
    begins = is_end[:-1]  # whether a cell begins with a character: of all but the first, with which one does
    if is_end[0] or (begins & is_end[1:]).any():
        raise NotPlainError  # an empty cell
    is_zero = codes == _ZERO
    if (is_zero[0] and is_inside[1]) or (begins[:-1] & is_zero[1:-1] & is_inside[2:]).any():
        raise NotPlainError  # a zero too many
    others = np.flatnonzero(is_inside & ~is_digit)
    is_sign = (codes[others] == _MINUS) & ((others == 0) | is_end[others - 1])
    if not (is_sign & is_digit[others + 1] & ~is_zero[others + 1]).all():
        raise NotPlainError
    is_long = is_inside
    for step in _DOUBLINGS:  # whether as many characters as these and one more are all inside of a cell
        is_long = is_long[:-step] & is_long[step:]
    newlines = np.flatnonzero(is_newline)
    cells = np.add.reduceat(is_end.view(np.uint8), np.concatenate([[0], newlines[:-1] + 1]), dtype=np.uint32)
    if is_long.any() or (cells != columns).any():
        raise NotPlainError
    ends: NDArray[np.int64] = newlines + 1
    return ends
