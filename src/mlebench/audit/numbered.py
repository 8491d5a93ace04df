"""Tables that call the items by the numbers of their rows: all of them in another order, or some of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.table import Table, Texts

_MOST_COLUMNS = 6  # of a table that are tried
_FEWEST, _SOME, _ALL_OVER = 12, 0.1, 0.8  # rows with numbers, of all items, and how far these must go
_MOSTLY = 0.8  # of the rows have a number: a heading, or a line around a list, has none
_FEW_ROWS = 40  # of the others are no matter how few rows there are
_NUMBERED = re.compile(r"(\D*)(\d{1,8})(?:\.0+)?(\D*)")  # as 12, row 12, "12": or test/00012.txt
_LONGEST = 80
_Ints = NDArray[np.int64]


def rows_by_numbers(table: Table, size: int, *, is_whole: bool) -> Iterator[tuple[str, int, _Ints]]:
    """(column, the number of the first row, for each row to predict the row of the table or -1).

    `is_whole` leaves out lists of some items, and what is in order anyway.
    """
    for name, values in islice(table.columns.items(), _MOST_COLUMNS):
        numbers = _numbers(values)
        if numbers is None:
            continue
        rows = np.flatnonzero(numbers >= 0)
        known = numbers[rows]
        low, high = int(known.min()), int(known.max())
        if high > size or len(np.unique(known)) < len(known):
            continue
        if len(known) == size and high - low == size - 1:
            if not is_whole or (np.diff(known) != 1).any():
                yield name, low, rows[np.argsort(known)]
            continue
        if is_whole or high - low + 1 == len(known) or high < _ALL_OVER * size or len(known) < _SOME * size:
            continue
        for start in (0, 1):
            if low >= start and high - start < size:
                place_of = np.full(size, -1, dtype=np.int64)
                place_of[known - start] = rows
                yield name, start, place_of


def _numbers(values: Texts) -> _Ints | None:
    """The number of each row, -1 where it has none; None where too few have one in the same words."""
    found = [_NUMBERED.fullmatch(value.strip()) if value and len(value) < _LONGEST else None for value in values]
    words = Counter((match[1], match[3]) for match in found if match is not None)
    if not words:
        return None
    frame, count = words.most_common(1)[0]
    if count < max(_FEWEST, min(_MOSTLY * len(values), len(values) - _FEW_ROWS)) or count < 0.5 * len(values):
        return None
    told = (-1 if match is None or (match[1], match[3]) != frame else int(match[2]) for match in found)
    return np.fromiter(told, dtype=np.int64, count=len(found))
