"""Tables with a row per group or period, such as a patient or two days of a shop: which items are in which of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.matching import Aligned, Matched
from mlebench.audit.table import Numbers, Table, Texts, as_numbers, canonical_column, texts

_DATE = re.compile(r"^(19|20)\d\d-[01]\d-[0-3]\d")
_FEWEST, _MOST_ROWS, _MOST_TABLES, _FEW_COLUMNS = 10, 50_000, 20, 12
_COVERED = 0.9  # of the items that must be in some period
_SEVERAL = 0.67  # of the items, at most, have a period each
_FEW_SHARED = 4
_DAY, _LONGEST = 86_400, 31  # seconds; days of a period that has a number
_CALENDARS = ("%Y-%m", "%Y%m", "%Y/%m", "%m", "%b %Y", "%B", "%G-W%V", "%GW%V", "%G-%V", "%G%V", "%V", "%U", "%Y-%U")
_NUMBER = re.compile(r"-?\d*\.?\d+(e-?\d+)?")
_FRACTION = re.compile(r"\.\d*[1-9]")
_MOST_COLUMNS, _PROBE = 60, 50  # columns that may name groups, and values that tell whether they do
_MET_IN_TRAIN = 0.33  # of the groups, where most have one item to predict
Since = Callable[[Aligned], float | None]  # the first moment of a column that train has
KnownValues = Callable[[Aligned], set[str]]  # the values of a column that train has
ROW = "row of the period"


def by_group(test: Matched, tables: Sequence[Table], known: KnownValues) -> Iterator[Matched]:
    """Tables with a row for each value of a column of test, matched with the items that have it.

    Groups may have one item to predict each where train has the others, and another name in the table of groups.
    """
    columns = [column for column in test.whole_columns if not _are_quantities(column.values)][:_MOST_COLUMNS]
    mine = [(column, plain, set(plain.tolist())) for column in columns for plain in (canonical_column(column.values),)]
    for table in _fitting(test, tables):
        theirs = {name: rows for name, values in table.columns.items() if (rows := _rows_by_value(values)) is not None}
        for column, plain, named in mine:
            name = column.column if column.column in theirs else _naming(named, theirs)
            if name is None or not _is_covered(named, theirs[name]) or len(named) < 2:
                continue
            if len(named) > 0.5 * len(plain) and len(named & known(column)) < _MET_IN_TRAIN * len(named):
                continue
            rows = theirs[name]
            owners = [rows.get(value) for value in plain]
            inside = np.array([row is not None for row in owners])
            taken = np.array([row for row in owners if row is not None], dtype=np.int64)
            items = column.items[inside]
            aligned = [
                Aligned(table.where, other, values[taken], items, column.column)
                for other, values in table.columns.items()
                if other != name
            ]
            # The group itself is that of the items: train has the same column, and need not have the table.
            yield Matched(table, column.column, (column.of(inside), *aligned), items)


def _are_quantities(values: Texts) -> bool:
    """Whether values are numbers with decimals, which name no group."""
    some = [value for value in values[:_PROBE] if value]
    return any(_FRACTION.search(value) for value in some) and all(_NUMBER.fullmatch(value) for value in some)


def _rows_by_value(values: Texts) -> dict[str, int] | None:
    """The row of each value of a column that has another one in each row."""
    rows = {value: row for row, value in enumerate(canonical_column(values))}
    return rows if len(rows) == len(values) else None


def _naming(named: set[str], theirs: Mapping[str, Mapping[str, int]]) -> str | None:
    """The column of a table that has values which are words, and not only numbers from one on."""
    if all(str(value).isdecimal() for value in named):
        return None
    return next((name for name, rows in theirs.items() if _is_covered(named, rows)), None)


def _is_covered(named: set[str], rows: Mapping[str, int]) -> bool:
    return sum(value in rows for value in named) >= _COVERED * len(named)


def _fitting(test: Matched, tables: Sequence[Table]) -> list[Table]:
    others = [table for table in tables if not table.is_artifact and table is not test.table]
    fitting = [
        table for table in others if _FEWEST <= len(table) <= _MOST_ROWS and 2 <= len(table.columns) <= _FEW_COLUMNS
    ]
    return fitting[:_MOST_TABLES]


def by_period(test: Matched, tables: Sequence[Table], known_since: Since) -> Iterator[Matched]:
    """Tables with periods, matched with the items that lie in them.

    A period is told by the date on which it begins or ends, by its name in the calendar, or by its number.
    """
    columns = test.whole_columns
    dates = [(column, moments) for column in columns if (moments := _moments(column.values)) is not None]
    for table in _fitting(test, tables) if dates else ():
        for column, moments in dates[:2]:
            for names in _shared(table, column, columns):
                yield from _of_dates(table, names, column, moments)
                yield from _of_numbers(table, names, column, moments, known_since(column))


@dataclass(frozen=True)
class _Names:
    """The columns that a table shares with test, such as the shop, and what they say in both."""

    columns: tuple[str, ...]
    theirs: Texts
    mine: Texts

    def are_unique(self, period: Texts | Numbers) -> bool:
        """Whether a table has each period once for each of these."""
        return len(set(zip(self.theirs.tolist(), period.tolist(), strict=True))) == len(self.theirs)


def _shared(table: Table, column: Aligned, columns: Sequence[Aligned]) -> Iterator[_Names]:
    """None of the columns that both have, each of them, and each two."""
    both = [
        other
        for other in columns
        if other.column in table.columns and other.column != column.column and _same_values(other, table)
    ]
    for chosen in ((), *((one,) for one in both), *combinations(both[:_FEW_SHARED], 2)):
        theirs, mine = (np.full(size, "", dtype=object) for size in (len(table), len(column.values)))
        for other in chosen:
            theirs = theirs + "|" + canonical_column(table.columns[other.column]).astype(str)
            mine = mine + "|" + canonical_column(other.values).astype(str)
        yield _Names(tuple(other.column for other in chosen), theirs, mine)


def _of_dates(table: Table, names: _Names, column: Aligned, moments: Numbers) -> Iterator[Matched]:
    dates = [(name, begun) for name, values in table.columns.items() if (begun := _moments(values)) is not None]
    for name, begun in dates[:2]:
        if np.isnan(begun).any() or not names.are_unique(begun):
            continue
        for at_end in (False, True):
            rows = _rows(names.theirs, begun, names.mine, moments, at_end=at_end)
            found = _matched(table, name, names, column, rows)
            if found is not None:
                yield found


def _of_numbers(
    table: Table, names: _Names, column: Aligned, moments: Numbers, since: float | None
) -> Iterator[Matched]:
    """By a column that numbers the periods, or names them as a calendar does."""
    for name, values in table.columns.items():
        if name in names.columns or _moments(values) is not None:
            continue
        plain = canonical_column(values)
        if not names.are_unique(plain):
            continue
        rows = {key: row for row, key in enumerate(zip(names.theirs.tolist(), plain.tolist(), strict=True))}
        for period in _periods(plain, moments, since):
            mine = zip(names.mine.tolist(), period.tolist(), strict=True)
            places = np.array([rows.get(key, -1) for key in mine], dtype=np.int64)
            found = _matched(table, name, names, column, places)
            if found is not None:
                yield found


def _periods(numbered: Texts, moments: Numbers, since: float | None) -> Iterator[Texts]:
    """The period of each moment, as a table may call it: by the calendar, then by days that are counted."""
    import pandas as pd

    when = pd.to_datetime(pd.Series(moments), unit="s")
    listed = set(numbered.tolist())
    quarter = when.dt.quarter.astype("Int64").astype(str)
    named = [when.dt.strftime(form) for form in _CALENDARS]
    named += [when.dt.strftime("%Y") + mark + quarter for mark in ("Q", "-Q", " Q")]
    for names in named:
        plain = canonical_column(texts(names))
        if np.mean([name in listed for name in plain]) >= _COVERED:
            yield plain
    counts = as_numbers(numbered, enough=1.0)
    if counts is None or np.isnan(counts).any() or (counts != np.floor(counts)).any() or np.isnan(moments).any():
        return
    days = np.floor(moments / _DAY)
    last, many = int(counts.max()), int(counts.max() - counts.min()) + 1
    starts = {days.min(), days.min() if since is None else np.floor(since / _DAY)}
    spans = {float(days.max() - start + 1) / many for start in starts}
    lengths = {length for span in spans for length in (int(span), int(span) + 1) if 2 <= length <= _LONGEST}
    for length in sorted(lengths):
        for offset in range(length):  # the last period may not be over
            period = last - (days.max() + offset - days) // length
            yield canonical_column(texts(period.tolist()))


def _moments(values: Texts) -> Numbers | None:
    some = [value for value in values[:50] if value]
    return as_numbers(values) if some and all(_DATE.match(value) for value in some) else None


def _matched(table: Table, name: str, names: _Names, column: Aligned, rows: NDArray[np.int64]) -> Matched | None:
    """A table by the row of the period that each item is in (-1: in none), where periods have several items each."""
    inside = rows >= 0
    if inside.mean() < _COVERED or len(set(rows[inside].tolist())) > _SEVERAL * inside.sum():
        return None
    items = column.items[inside]
    by = " and ".join((name, *names.columns))
    taken = [
        Aligned(table.where, other, values[rows[inside]], items, by)
        for other, values in table.columns.items()
        if other != name and other not in names.columns
    ]
    taken.append(Aligned(table.where, ROW, texts(rows[inside].tolist()), items, by))
    return Matched(table, by, tuple(taken), items)


def _same_values(column: Aligned, table: Table) -> bool:
    mine, theirs = set(canonical_column(column.values)), set(canonical_column(table.columns[column.column]))
    return 2 <= len(mine) <= 0.5 * len(column.values) and len(mine & theirs) >= _COVERED * len(mine)


def _rows(theirs: Texts, begun: Numbers, mine: Texts, moments: Numbers, *, at_end: bool) -> NDArray[np.int64]:
    """The row of the period that each moment is in; -1 where there is none."""
    found = np.full(len(moments), -1, dtype=np.int64)
    for name in set(mine.tolist()):
        rows = np.flatnonzero(theirs == name)
        rows = rows[np.argsort(begun[rows], kind="stable")]
        here = np.flatnonzero((mine == name) & ~np.isnan(moments))
        if len(rows):
            if at_end:
                places = np.searchsorted(begun[rows], moments[here], side="left")
            else:
                places = np.searchsorted(begun[rows], moments[here], side="right") - 1
            inside = (places >= 0) & (places < len(rows))
            found[here] = np.where(inside, rows[np.clip(places, 0, len(rows) - 1)], -1)
    return found
