"""Tables that belong together by a column with the same values, as keys that refer to one another have."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mlebench.audit.naming import column_of_ids
from mlebench.audit.table import Table, Texts, texts
from mlebench.audit.targets import Items

_MOST_ROWS = 50_000
_MOST_TABLES = 8
_MOST_COLUMNS = 10
_PROBE = 50  # values of a column that must be found before all are looked for
_MOST_SMALL, _FEW_COLUMNS = 300, 6  # tables of few columns that may call items by keys of their own
_FEWEST, _LONGEST = 8, 3  # keys; characters of one that is too short to be a name by itself, unless it is a number
_DIGITS = 8.0  # that chance does not make the keys of one table those of another


def joined(tables: Sequence[Table]) -> Iterator[Table]:
    """Each table with the columns of another one whose keys it has, such as annotations with those of their images."""
    some = [table for table in tables if 3 < len(table) <= _MOST_ROWS][:_MOST_TABLES]
    for left in some:
        for name, values in list(left.columns.items())[:_MOST_COLUMNS]:
            places = {value: place for place, value in enumerate(values)}
            if len(places) < len(values) or None in places:
                continue
            for right in some:
                for other, referring in list(right.columns.items())[:_MOST_COLUMNS]:
                    if right is left or any(
                        sum(value in places for value in part) < 0.9 * len(part)
                        for part in (referring[:_PROBE], referring)
                    ):
                        continue
                    rows = [places.get(value) for value in referring]
                    taken = {
                        f"{label} by {name} and {other}": texts(None if row is None else column[row] for row in rows)
                        for label, column in left.columns.items()
                    }
                    yield Table(right.where, {**right.columns, **taken})


def joined_by_keys(tables: Sequence[Table], items: Items) -> Iterator[Table]:
    """Tables that call items by short keys, such as the numbers of tickets, with the ids that another table has for it.

    Such a key is no name: the number of a ticket is a price or an age elsewhere. That all keys of a table are among
    those of another one is no chance.
    """
    small = [
        table
        for table in tables
        if not table.is_artifact and 1 < len(table.columns) <= _FEW_COLUMNS and _FEWEST <= len(table) <= _MOST_ROWS
    ][:_MOST_SMALL]
    own = {id(table): column_of_ids(table, items) for table in small}
    for naming in small:
        ids = own[id(naming)]
        if ids is None:
            continue
        for name, keys in naming.columns.items():
            if name == ids or not _are_short_keys(keys):
                continue
            place = {key: row for row, key in enumerate(keys)}
            for other in small:
                if other is naming or own[id(other)] is not None:
                    continue
                for column, values in other.columns.items():
                    if len(values) <= len(keys) and set(values) <= place.keys() and _evidence(values, keys) >= _DIGITS:
                        told = naming.columns[ids][[place[value] for value in values]]
                        yield Table(other.where, {f"{ids} by {column}": told, **other.columns})


def _are_short_keys(values: Texts) -> bool:
    """Whether values are different numbers or short words, and no row numbers."""
    return len(set(values)) == len(values) and all(
        value is not None and (len(value) <= _LONGEST or value.isdecimal()) for value in values
    )


def _evidence(values: Texts, keys: Texts) -> float:
    """The digits of chance that different values are all among the keys, which are so many of those that might be."""
    if len(set(values)) < len(values):
        return 0.0
    if all(key.isdecimal() for key in keys):
        numbers = [int(key) for key in keys]
        possible = max(numbers) - min(numbers) + 1
    else:
        possible = 36 ** max(map(len, keys))
    return -len(values) * math.log10(min(len(keys) / possible, 1.0))
