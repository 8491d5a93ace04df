"""Series side by side: a row for each, such as a product in a shop, and a column for each moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.panels import Rows, Series
from mlebench.audit.table import Numbers
from mlebench.audit.targets import Target

_MOST_CELLS = 2_000_000
_Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Grid:
    """The cells of rows, in the order of the series; `answers` and `labels` are NaN where there is none."""

    what: str
    series: Series
    group: _Ints
    place: _Ints
    shape: tuple[int, int]
    answers: Numbers
    labels: Numbers

    def of(self, values: Numbers) -> Numbers:
        """The values of rows in their cells."""
        cells = np.full(self.shape, np.nan)
        cells[self.group, self.place] = values[self.series.order]
        return cells

    @property
    def known(self) -> Numbers:
        """Answers and labels, whichever there is."""
        return np.where(np.isnan(self.answers), self.labels, self.answers)

    def owners(self, items: _Ints) -> _Ints:
        """The items, given for each row, of the cells; -1 where there is none."""
        found = np.full(self.shape, -1, dtype=np.int64)
        found[self.group, self.place] = items[self.series.order]
        return found


def grids_of(rows: Rows, series: Series, target: Target, labels: Target | None) -> Iterator[Grid]:
    """Series by the numbers of their rows, and by their moments where some series lack some of these."""
    starts = np.searchsorted(series.group, series.group)
    group = np.unique(series.group, return_inverse=True)[1].reshape(-1)
    places = (np.arange(len(group)) - starts, np.unique(series.when, return_inverse=True)[1].reshape(-1))
    for number, place in enumerate(places):
        shape = (int(group.max()) + 1, int(place.max()) + 1)
        if shape[0] * shape[1] > _MOST_CELLS or (number and np.array_equal(*places)):
            continue
        mine, theirs = np.full(shape, np.nan), np.full(shape, np.nan)
        for cells, owners, side in ((mine, rows.items, target), (theirs, rows.known, labels)):
            owner = owners[series.order]
            there = owner >= 0
            if side is not None and (numbers := _numbers(side, target)) is not None:
                cells[group[there], place[there]] = numbers[owner[there]]
        yield Grid(series.what, series, group, place, shape, mine, theirs)


def _numbers(side: Target, target: Target) -> Numbers | None:
    """The values of one side; words are numbered as they are among the items to predict."""
    if target.numbers is not None:
        return side.numbers
    if target.coded is None:
        return None
    place = {name: number for number, name in enumerate(sorted(target.classes))}
    return np.array([place.get(str(value), np.nan) for value in side.plain], dtype=float)
