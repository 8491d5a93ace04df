"""Rows of both sides of a table as series: in the order of a moment or a number, for each shop, patient or sensor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.matching import Matched
from mlebench.audit.strength import groups_of
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, Texts, as_numbers, texts
from mlebench.audit.targets import Target

_MOST_ROWS = 50_000
_FEWEST_LONG = 8  # moments of a series, on average
_ALL = 0.95  # of the rows that have a moment of their own within their series
_MOST_ORDERS, _MOST_NAMES = 6, 6  # columns that are tried as moments, and as names of series
_Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """The rows of test and, behind them, of train: their columns, and whose they are (-1: of no item of that side).

    `of_train` are the columns that train alone has, with nothing in the rows of test; its table is at `train_where`.
    """

    where: str
    columns: Mapping[str, Texts]
    ids: Texts
    items: _Ints  # of test
    known: _Ints  # of train
    of_train: Mapping[str, Texts]
    train_where: str

    def answers(self, target: Target, labels: Target | None) -> Numbers:
        """The answers of test and the labels of train, row by row; NaN where there is none."""
        found = np.full(len(self.items), np.nan)
        for side, owners in ((target, self.items), (labels, self.known)):
            if side is not None and side.coded is not None:
                found[owners >= 0] = side.coded[owners[owners >= 0]]
        return found


@dataclass(frozen=True)
class Series:
    """Rows in an order within their series: `order` is of the rows, `group` and `when` are those of each row in it."""

    by: tuple[str, ...]  # the column of moments, then those that name the series
    order: _Ints
    group: _Ints
    when: Numbers

    @property
    def what(self) -> str:
        """The order in words."""
        return self.by[0] + (f" within {' and '.join(self.by[1:])}" if len(self.by) > 1 else "")

    def shifted(self, values: Numbers, step: int) -> Numbers:
        """For each row, in this order, the value so many rows later in the same series; NaN beyond its ends."""
        ordered, found = values[self.order], np.full(len(self.order), np.nan)
        if step == 0:
            return ordered
        here, there = (slice(None, -step), slice(step, None)) if step > 0 else (slice(-step, None), slice(None, step))
        found[here] = np.where(self.group[here] == self.group[there], ordered[there], np.nan)
        return found


def rows_of(survey: Survey) -> Iterator[Rows]:
    """The tables of items to predict, each with the rows of the same table of train behind its own."""
    for matched in survey.matched_test:
        if not matched.has_keys or len(matched.items) < 3 * _FEWEST_LONG:
            continue
        other = _of_train(survey, matched)
        size = 0 if other is None else len(other.items)
        if len(matched.items) + size > _MOST_ROWS:
            continue
        theirs = {} if other is None else {column.column: column.values for column in other.whole_columns}
        nothing = texts([None] * size)
        columns = {
            column.column: np.concatenate([column.values, theirs.get(column.column, nothing)])
            for column in matched.whole_columns
        }
        ids, nobody = survey.test.ids[matched.items], np.full(len(matched.items), -1, dtype=np.int64)
        if other is not None and survey.train is not None:
            ids = np.concatenate([ids, survey.train.ids[other.items]])
        known = nobody if other is None else np.concatenate([nobody, other.items])
        items = np.concatenate([matched.items, np.full(size, -1, dtype=np.int64)])
        empty = texts([None] * len(matched.items))
        alone = {name: np.concatenate([empty, values]) for name, values in theirs.items() if name not in columns}
        where = matched.table.where if other is None else other.table.where
        yield Rows(matched.table.where, columns, ids, items, known, alone, where)


def _of_train(survey: Survey, test: Matched) -> Matched | None:
    """The table of train that is in the same place, or else the one with the labels where it has the same columns."""
    same = next(iter(survey.tables_of_train(test.table.where)), None)
    if same is not None or not survey.matched_train:
        return same
    first, names = survey.matched_train[0], {column.column for column in test.whole_columns}
    is_labelled = first.table is survey.train_table
    return first if is_labelled and len(names & set(first.table.columns)) >= min(2, len(names)) else None


def series_of(rows: Rows) -> Iterator[Series]:
    """The ways in which rows are series: by each column of moments, in groups that have each moment once."""
    count = len(rows.items)
    codes = {name: groups_of(values) for name, values in rows.columns.items()}
    sizes = {name: int(found.max(initial=0)) + 1 for name, found in codes.items()}
    names = [name for name, size in sizes.items() if 2 <= size <= count / _FEWEST_LONG][:_MOST_NAMES]
    tried = 0
    for name, moments in _moments(rows):
        taken = {name} if name in codes else set()
        ways = [(), *((one,) for one in names), *combinations(names, 2)]
        for way in ways:
            if taken & set(way):
                continue
            group = np.zeros(count, dtype=np.int64)
            for part in way:
                group = group * sizes[part] + codes[part]
            groups = len(np.unique(group))
            if groups > count / _FEWEST_LONG or len(np.unique(group + 1j * moments)) < _ALL * count:
                continue
            order = np.lexsort((moments, group))
            yield Series((name, *way), order, group[order], moments[order])
            break
        tried += 1
        if tried >= _MOST_ORDERS:
            return


def _moments(rows: Rows) -> Iterator[tuple[str, Numbers]]:
    """(name, numbers) of the columns that may say when a row is: dates, then ids, then the other numbers."""
    found: list[tuple[int, str, Numbers]] = []
    for name, values in (*rows.columns.items(), ("the ids", rows.ids)):
        numbers = as_numbers(values, enough=1.0)
        if numbers is None or np.isnan(numbers).any() or len(np.unique(numbers)) < _FEWEST_LONG:
            continue
        is_date = not _is_number(str(values[0]))
        found.append((0 if is_date else 1 if name == "the ids" else 2, name, numbers))
    found.sort(key=lambda entry: entry[0])
    yield from ((name, numbers) for _, name, numbers in found)


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
