"""Which row of a table belongs to which item: by a column that has ids, by several, or by the order of the rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.table import Table, Texts, is_missing, texts
from mlebench.audit.targets import Items, plain_key

_PROBE = 3000  # values of a column that tell whether it has ids
_FEWEST = 4  # items that must be found for a column to count as one of ids
_MOST_KEYS = 3  # columns of a table that are tried as ids
_MOST_PARTS = 6  # columns of a table that are tried as parts of ids
_FEW_ROWS = 60
_MOST_TRIED = 60  # columns in whose values ids are looked for
_PIECES = re.compile(r"[^\w.\-]+")


@dataclass(frozen=True)
class Aligned:
    """One column, with the item that each value belongs to; `by` says how the two were matched.

    `in_order` means by nothing but the order of the rows.
    """

    where: str
    column: str
    values: Texts
    items: NDArray[np.int64]
    by: str
    is_artifact: bool = False
    in_order: bool = False


@dataclass(frozen=True)
class Matched:
    """A table matched with items: the columns, and which items it has at all."""

    table: Table
    by: str
    columns: tuple[Aligned, ...]
    items: NDArray[np.int64]
    in_order: bool = False

    @property
    def has_keys(self) -> bool:
        """Whether it is a table of values, no list of files, whose rows say themselves which items they are about."""
        return not self.in_order and not self.table.is_artifact

    @property
    def whole_columns(self) -> list[Aligned]:
        """The columns of the table that have a value for each of its items."""
        return [
            column
            for column in self.columns
            if len(column.items) == len(self.items) and not column.column.startswith("(")
        ]


def keys_of(table: Table, items: Items, composite: Sequence[str] = ()) -> Iterator[tuple[str, Texts]]:
    """(name, values) of the columns that have ids of items, the one with most of them first."""
    found: list[tuple[int, str, Texts]] = []
    names = table.keys if table.keys is not None else tuple(table.columns)
    if len(composite) > 1 and all(name in table.columns for name in composite):
        parts = (table.columns[name] for name in composite)
        joined = texts("|".join(map(str, cells)) for cells in zip(*parts, strict=True))
        yield "|".join(composite), joined
        return
    named = [name for name in names if name in composite]
    for name in named or names:  # ids have their own column, and then no other has them
        values = table.columns[name]
        probe = values if len(values) <= _PROBE else values[np.random.default_rng(0).choice(len(values), _PROBE)]
        hit = {key for value in probe if value and len(value) < 300 and (key := plain_key(value)) in items.names}
        if len(hit) >= min(_FEWEST, max(2, items.size // 4)):
            found.append((len(hit), name, values))
    found.sort(key=lambda entry: -entry[0])
    yield from ((name, values) for _, name, values in found[:_MOST_KEYS])
    if found or table.keys is not None or all(str(name).isdigit() for name in items.ids[:_FEW_ROWS]):
        return  # any number is made of parts of others
    if len(table.columns) <= _MOST_TRIED:
        for name in names:
            if (inside := _inside(table.columns[name], items)) is not None:
                found.append((0, name, inside))
                yield f"ids in {name}", inside
                break
    if not found and 3 <= len(table.columns) <= _MOST_PARTS and len(table) >= items.size // 4:
        yield from _in_two_columns(table, items)


def _inside(values: Texts, items: Items) -> Texts | None:
    """The ids in longer values, such as addresses, or behind a beginning that all of them share."""
    some = [value for value in values[:_FEW_ROWS] if value and len(value) < 300]
    if len(some) < _FEWEST or len(set(some)) < 0.5 * len(some):
        return None
    low, high = min(some), max(some)
    start = next((place for place, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))
    for place in (None, -1, -2, -3, 0, 1, 2):
        pieces = [_piece(value, place, start) for value in some]
        hit = {key for piece in pieces if piece and (key := plain_key(piece)) in items.names}
        if len(hit) >= max(_FEWEST, 0.5 * len(some)):
            return texts(_piece(value, place, start) if value else None for value in values)
    return None


def _piece(value: str, place: int | None, start: int) -> str | None:
    if place is None:
        return value[start:]
    pieces = _PIECES.split(value)
    return pieces[place] if -len(pieces) <= place < len(pieces) else None


def _in_two_columns(table: Table, items: Items) -> Iterator[tuple[str, Texts]]:
    """Ids whose two parts have a column each."""
    for first, second in permutations(table.columns, 2):
        for mark in ("_", "-", "", "/", "."):
            pairs = zip(table.columns[first][:_FEW_ROWS], table.columns[second][:_FEW_ROWS], strict=True)
            hit = {
                key
                for one, other in pairs
                if one and other and (key := plain_key(f"{one}{mark}{other}")) in items.names
            }
            if len(hit) >= max(_FEWEST, 0.5 * min(len(table), _FEW_ROWS)):
                pairs = zip(table.columns[first], table.columns[second], strict=True)
                yield f"{first}{mark}{second}", texts(f"{one or ''}{mark}{other or ''}" for one, other in pairs)
                return


def match(
    table: Table, items: Items, composite: Sequence[str] = (), full: int = 0, rows: NDArray[np.int64] | None = None
) -> Iterator[Matched]:
    """The ways in which a table can be matched with items, one after the other."""
    any_key = False
    for name, values in keys_of(table, items, composite):
        places, owners = _pairs(values, items)
        if len(set(owners.tolist())) < min(_FEWEST, items.size):
            continue
        any_key = True
        yield _matched(table, f"{name}", places, owners, skip=name)
    if any_key or not len(table):
        return
    size = full or items.size
    if len(table) == size and size >= 5 and not table.is_artifact and "train" not in table.where.lower():
        for label, order in items.orders.items():
            taken = order if rows is None or size == items.size else rows[order]
            found = _matched(table, f"order of {label}", taken, np.arange(items.size), skip=None)
            columns = tuple(replace(column, in_order=True) for column in found.columns)
            yield replace(found, columns=columns, in_order=True)


def by_rows(table: Table, rows: NDArray[np.int64]) -> Matched:
    """A table whose rows are the items themselves."""
    return _matched(table, "its rows", rows, np.arange(len(rows)), skip="")


def _pairs(values: Texts, items: Items) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    places: list[int] = []
    owners: list[int] = []
    cache: dict[str, tuple[int, ...]] = {}
    for place, value in enumerate(values):
        if not value or len(value) > 300:
            continue
        rows = cache.get(value)
        if rows is None:
            rows = cache[value] = items.names.get(plain_key(value), ())
        for row in rows[:50]:
            places.append(place)
            owners.append(row)
    return np.array(places, dtype=np.int64), np.array(owners, dtype=np.int64)


def _matched(table: Table, by: str, places: NDArray[np.int64], owners: NDArray[np.int64], skip: str | None) -> Matched:
    unique, first, counts = np.unique(owners, return_index=True, return_counts=True)
    taken = places[first]
    columns = [
        Aligned(table.where, name, values[taken], unique, by, table.is_artifact)
        for name, values in table.columns.items()
        if name != skip
    ]
    if skip is not None and len(unique) == len(owners):
        order = np.argsort(np.argsort(taken))
        columns.append(Aligned(table.where, "(order of rows)", texts(order.tolist()), unique, by, True))
    if counts.max(initial=1) > 1:
        columns.append(Aligned(table.where, "(number of rows)", texts(counts.tolist()), unique, by, True))
        columns += _combined(table, by, places, owners, unique, skip)
    return Matched(table, by, tuple(columns), unique)


def _combined(
    table: Table,
    by: str,
    places: NDArray[np.int64],
    owners: NDArray[np.int64],
    unique: NDArray[np.int64],
    skip: str | None,
) -> Iterator[Aligned]:
    """Several rows of an item as one value: the mean of numbers, the values one after the other."""
    from mlebench.audit.table import as_numbers

    slot = np.searchsorted(unique, owners)
    for name, values in list(table.columns.items())[:200]:
        if name == skip:
            continue
        numbers = as_numbers(values[places])
        if numbers is not None:
            filled = np.nan_to_num(numbers)
            mean = np.bincount(slot, weights=filled) / np.bincount(slot)
            yield Aligned(table.where, f"{name} (mean)", texts(mean.tolist()), unique, by, table.is_artifact)
        parts: list[list[str]] = [[] for _ in unique]
        for place, number in zip(places, slot, strict=True):
            if len(parts[number]) < 200 and not is_missing(values[place]):
                parts[number].append(str(values[place]))
        yield Aligned(
            table.where, f"{name} (all)", texts(" ".join(part) for part in parts), unique, by, table.is_artifact
        )


def with_names(items: Items, further: Mapping[str, tuple[int, ...]]) -> Items:
    """Items that go by further names, too; a name that is one already stays what it is."""
    return Items(items.targets, {**further, **items.names}, items.size, items.ids, items.orders)
