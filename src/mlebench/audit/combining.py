"""Several rows of an item as one value: mean, sum, extremes and last of numbers; values one after the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.table import Numbers, Table, Texts, as_numbers, is_missing, texts

_MOST_COLUMNS = 200
_MOST_SUMMED = 60  # columns of numbers of which more than the mean is tried
_MOST_VALUES = 200  # of an item, one after the other
_MANY_ROWS = 1.3  # of an item on average, from which on its sum is no mere copy of its first row


def combined(
    table: Table, places: NDArray[np.int64], slot: NDArray[np.int64], count: int, skip: str | None
) -> Iterator[tuple[str, Texts]]:
    """(name, one value per item) of the columns of a table; `slot` is the item that each of the places belongs to."""
    # The bytes of files are no parts of anything that adds up.
    several = len(places) >= _MANY_ROWS * count and not table.is_artifact
    for number, (name, values) in enumerate(list(table.columns.items())[:_MOST_COLUMNS]):
        if name == skip:
            continue
        numbers = as_numbers(values[places])
        if numbers is not None:
            filled = np.nan_to_num(numbers)
            yield f"{name} (mean)", texts((np.bincount(slot, weights=filled) / np.bincount(slot)).tolist())
            if several and number < _MOST_SUMMED:
                yield from _summed(name, numbers, slot, count)
        parts: list[list[str]] = [[] for _ in range(count)]
        for place, owner in zip(places, slot, strict=True):
            if len(parts[owner]) < _MOST_VALUES and not is_missing(values[place]):
                parts[owner].append(str(values[place]))
        yield f"{name} (all)", texts(" ".join(part) for part in parts)


def _summed(name: str, numbers: Numbers, slot: NDArray[np.int64], count: int) -> Iterator[tuple[str, Texts]]:
    """What an answer may be that is given in parts, or by one of the rows: their sum, the least, the most, the last."""
    there = ~np.isnan(numbers)
    known, owners = numbers[there], slot[there]
    total, least, most = np.zeros(count), np.full(count, np.inf), np.full(count, -np.inf)
    last = np.full(count, np.nan)
    np.add.at(total, owners, known)
    np.minimum.at(least, owners, known)
    np.maximum.at(most, owners, known)
    last[owners] = known
    for what, found in (("sum", total), ("smallest", least), ("largest", most), ("last", last)):
        # Digits beyond those of the parts are errors of the sum.
        shown = np.where(np.isfinite(found), np.round(found, 9), np.nan)
        yield f"{name} ({what})", texts(shown.tolist())
