"""Which row of a table belongs to which item: by a column that has ids, by several, or by the order of the rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.cells import folders_of, parts_of_cells
from mlebench.audit.combining import combined
from mlebench.audit.numbered import rows_by_numbers
from mlebench.audit.strength import of_hits
from mlebench.audit.table import Table, Texts, texts
from mlebench.audit.targets import Items, plain_key

_PROBE = 3000  # values of a column that tell whether it has ids
_FEWEST = 4  # items that must be found for a column to count as one of ids
_ENOUGH = 0.1  # of the items
_MOSTLY_IDS = 0.5  # of the words beside ids
_MOST_KEYS = 3  # columns of a table that are tried as ids
_MOST_PARTS = 6  # columns of a table that are tried as parts of ids
_FEW_ROWS = 60
_MOST_ORDERS = 3  # in which rows may be numbered
_MOST_TRIED = 60  # columns in whose values ids are looked for
_MOST_OF_ALL = 0.5  # of the items, in a column where there is another one for ids
_BEYOND_CHANCE, _LONGEST_NUMBER = 9.0, 19  # digits of evidence, and of a number
_FEW_OTHERS = 400  # values in which ids are looked for among those of other items
_SOME_IDS = 0.03  # of these, of so many characters at least
_LONG_ID = 5
_WORD_AND_NUMBER = re.compile(r"(\D+)(\d+)(\D*)")
_PIECES = re.compile(r"[^\w.\-]+")
_MOST_SPLIT = 100  # columns whose cells are taken apart
_SAID = ("EXIF ", "TIFF tag", "metadata ", "comment", "DICOM (", "LIST ", "xattr")  # in files of items
_WORDS = re.compile(r"[\W_]+")
_FIRST_MARK = re.compile(r"(?<=[^\W_])[_.\-](?!.*/)")  # of the name of a file
_LAST_MARK = re.compile(r"[_\-](?=[^_\-]*$)")


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
    rows: NDArray[np.int64] | None = None  # of the table, where several items may share one

    def of(self, chosen: NDArray[np.bool_]) -> Aligned:
        """The column for some of its items."""
        rows = None if self.rows is None else self.rows[chosen]
        return replace(self, values=self.values[chosen], items=self.items[chosen], rows=rows)


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
        hit = _hit(table.columns[name], items)
        if hit >= min(_FEWEST, max(2, items.size // 4)):
            found.append((hit, name, table.columns[name]))
    if named and not found:  # unless it has numbers of its own, and files are called by the ids
        for name in [name for name in names if name not in named][:_MOST_TRIED]:
            values = table.columns[name]
            if any(value and value.isdecimal() for value in values[:_FEW_ROWS]) and _may_be_other_numbers(
                values, items
            ):
                continue
            if (hit := _hit(values, items)) >= max(_FEWEST, _MOST_OF_ALL * items.size):
                found.append((hit, name, values))
    found.sort(key=lambda entry: -entry[0])
    yield from ((name, values) for _, name, values in found[:_MOST_KEYS])
    enough = bool(found) and found[0][0] >= _ENOUGH * min(items.size, _PROBE)  # fewer may be ids by chance
    if enough or table.keys is not None:
        return
    if _are_numbers(items.ids):  # any number is made of parts of others
        for name in names[:_MOST_TRIED]:
            if (numbers := _behind_a_word(table.columns[name], items)) is not None:
                yield f"ids in {name}", numbers
                break
        return
    if len(table.columns) <= _MOST_TRIED:
        for name in names:
            if (inside := _inside(table.columns[name], items)) is not None:
                found.append((0, name, inside))
                yield f"ids in {name}", inside
                break
    if not enough and 3 <= len(table.columns) <= _MOST_PARTS and len(table) >= items.size // 4:
        yield from _in_two_columns(table, items)


def _hit(values: Texts, items: Items) -> int:
    """How many items a column names, among some of its values."""
    probe = values if len(values) <= _PROBE else values[np.random.default_rng(0).choice(len(values), _PROBE)]
    return len({key for value in probe if value and len(value) < 300 and (key := plain_key(value)) in items.names})


def _may_be_other_numbers(values: Texts, items: Items) -> bool:
    """Whether a column has numbers that are ids about as often as any numbers of their size are."""
    if not _are_numbers(items.ids):
        return True
    ids = {int(value) for value in items.ids}
    lowest, highest = min(ids), max(ids)
    numbers = {int(value) for value in values if value and value.isdecimal() and len(value) < _LONGEST_NUMBER}
    within = sum(lowest <= number <= highest for number in numbers)
    return of_hits(len(numbers & ids), within, len(ids) / (highest - lowest + 1)) < _BEYOND_CHANCE


def _behind_a_word(values: Texts, items: Items) -> Texts | None:
    """The numbers in values that are one word and a number each, such as item:12, where these are ids."""
    found = [_WORD_AND_NUMBER.fullmatch(value) if value and len(value) < 300 else None for value in values]
    words = {match.group(1, 3) for match in found if match is not None}
    numbers = texts(None if match is None else match.group(2) for match in found)
    if len(words) != 1 or _hit(numbers, items) < max(_FEWEST, _MOST_OF_ALL * min(len(values), items.size, _PROBE)):
        return None
    return numbers


def _inside(values: Texts, items: Items) -> Texts | None:
    """The ids in longer values, such as addresses, or behind a beginning that all of them share.

    Most of the rows may be about other items, such as those of train, where what was found can be nothing but ids.
    """
    some = [value for value in values[:_FEW_ROWS] if value and len(value) < 300]
    if len(some) < _FEWEST or len(set(some)) < 0.5 * len(some):
        return None
    low, high = min(some), max(some)
    start = next((place for place, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))
    ways = _ways(start)
    for way in ways:
        hit = {key for value in some if (piece := way(value)) and (key := plain_key(piece)) in items.names}
        if len(hit) >= max(_FEWEST, 0.5 * len(some)):
            return texts(way(value) if value else None for value in values)
    taken = np.random.default_rng(0).choice(len(values), min(len(values), _FEW_OTHERS), replace=False)
    more = [value for value in values[taken] if value and len(value) < 300]
    for way in ways if len(values) > _FEW_ROWS else ():
        pieces = {key for value in more if (piece := way(value)) and len(key := plain_key(piece)) >= _LONG_ID}
        if len(pieces & items.names.keys()) >= max(2 * _FEWEST, _SOME_IDS * len(more)):
            return texts(way(value) if value else None for value in values)
    return None


def _ways(start: int) -> list[Callable[[str], str | None]]:
    """The ways to cut an id out of a longer value: behind the beginning that all share, or one of the parts of it."""
    parts = [_part_at(mark, place) for mark in (_PIECES, _WORDS) for place in (-1, -2, -3, 0, 1, 2)]
    behind = [_part_at(_FIRST_MARK, -1, 1), _part_at(_LAST_MARK, 0, 1)]
    return [lambda value: value[start:], *parts, *behind]


def _part_at(mark: re.Pattern[str], place: int, most: int = 0) -> Callable[[str], str | None]:
    def part(value: str) -> str | None:
        pieces = mark.split(value, maxsplit=most)
        return pieces[place] if -len(pieces) <= place < len(pieces) else None

    return part


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
    table: Table,
    items: Items,
    composite: Sequence[str] = (),
    full: int = 0,
    rows: NDArray[np.int64] | None = None,
    *,
    once: bool = False,
) -> Iterator[Matched]:
    """The ways in which a table can be matched with items, one after the other; `once`: with one row of it for each."""
    any_key = False
    for name, values in keys_of(table, items, composite):
        places, owners = _pairs(values, items)
        count = len(set(owners.tolist()))
        if count < min(_FEWEST, items.size) or (once and len(owners) > count):
            continue
        # Numbers of rows may be ids of a few items by chance.
        any_key |= count >= _MOST_OF_ALL * min(len(table), items.size) or not _are_numbers(values)
        yield _without_names(_matched(_without_ids(table, items), f"{name}", places, owners, skip=name), items)
    size = full or items.size
    folder, _, base = table.where.lower().rpartition("/")
    if size < 5 or table.is_artifact or "train" in base:
        return
    if table.keys is None and (len(table) == size or (full and (not any_key or _are_numbers(items.ids)))):
        yield from _by_numbers(table, items, size, rows, is_whole=len(table) == size)
    if len(table) != size or any_key or "train" in folder:
        return  # numbers of rows are left in any folder, but mere lists in that of train are its own
    for label, order in items.orders.items():
        taken = order if rows is None or size == items.size else rows[order]
        found = _matched(table, f"order of {label}", taken, np.arange(items.size), skip=None)
        columns = tuple(replace(column, in_order=True) for column in found.columns)
        yield replace(found, columns=columns, in_order=True)


def _are_numbers(values: Texts) -> bool:
    """Whether ids are numbers, and so some of them those of rows by chance."""
    return all(bool(value) and str(value).isdecimal() for value in values[:_FEW_ROWS])


def _by_numbers(
    table: Table, items: Items, size: int, rows: NDArray[np.int64] | None, *, is_whole: bool
) -> Iterator[Matched]:
    """A table that calls all or some of the items by the numbers of their rows, from 0 or 1."""
    for name, start, place_of in rows_by_numbers(table, size, is_whole=is_whole):
        if all(plain_key(table.columns[name][place]) in items.names for place in place_of[place_of >= 0]):
            continue  # these are ids
        for label, order in list(items.orders.items())[: None if is_whole else _MOST_ORDERS]:
            places = place_of[order if rows is None or size == items.size else rows[order]]
            by = f"the number in {name}, from {start}, by the order of {label}"
            found = _matched(table, by, places[places >= 0], np.flatnonzero(places >= 0), skip=name)
            yield replace(found, columns=tuple(_in_order(found)), in_order=True)


def _in_order(found: Matched) -> Iterator[Aligned]:
    return (replace(column, in_order=True) for column in found.columns if not column.is_artifact)


def _without_ids(table: Table, items: Items) -> Table:
    """Words that follow one another, without those that are only the ids of other items, as in a list of ids."""
    if table.keys != ("word",):
        return table
    own = [value is not None and plain_key(value) in items.names for value in table.columns["word"][:_PROBE]]
    others = {
        name: values
        for name, values in table.columns.items()
        if name == "word" or _share_of_ids(values[np.flatnonzero(own)], items) < _MOSTLY_IDS
    }
    return replace(table, columns=others)


def _share_of_ids(values: Texts, items: Items) -> float:
    flags = [value is not None and plain_key(value) in items.names for value in values]
    return sum(flags) / max(len(flags), 1)


def _without_names(matched: Matched, items: Items) -> Matched:
    """A table, matched by other names of the items, without the columns that have their ids."""
    kept = tuple(column for column in matched.columns if not _names_itself(column, items))
    return matched if len(kept) == len(matched.columns) else replace(matched, columns=kept)


def _names_itself(column: Aligned, items: Items) -> bool:
    if column.is_artifact:
        return False
    some = zip(column.values[:_FEW_ROWS], column.items[:_FEW_ROWS].tolist(), strict=True)
    return all(value and plain_key(value) == plain_key(items.ids[owner]) for value, owner in some)


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
    shared = taken if len(set(taken.tolist())) < len(taken) else None
    columns = [
        Aligned(table.where, name, values[taken], unique, by, table.is_artifact, rows=shared)
        for name, values in table.columns.items()
        if name != skip
    ]
    columns += [
        replace(column, column=name, values=values)
        for column in columns[:_MOST_SPLIT]
        for name, values in parts_of_cells(column.column, column.values, with_folders=_may_have_paths(column))
    ]
    if skip is not None and skip in table.columns and not table.is_artifact:  # what stands around the ids is no id
        columns += [
            Aligned(table.where, name, values, unique, by, rows=shared)
            for name, values in folders_of(skip, table.columns[skip][taken])
        ]
    if skip is not None and _in_blocks(owners, len(unique)):
        columns.append(Aligned(table.where, "(order of rows)", texts(taken.tolist()), unique, by, True))
    if counts.max(initial=1) > 1:
        columns.append(Aligned(table.where, "(number of rows)", texts(counts.tolist()), unique, by, True))
        slot = np.searchsorted(unique, owners)
        columns += [
            Aligned(table.where, name, values, unique, by, table.is_artifact, rows=shared)
            for name, values in combined(table, places, slot, len(unique), skip)
        ]
    return Matched(table, by, tuple(columns), unique)


def _may_have_paths(column: Aligned) -> bool:
    """Whether values may be paths of originals: in tables, and in what programs wrote into files, but not places."""
    return not column.is_artifact or column.column.startswith(_SAID)


def _in_blocks(owners: NDArray[np.int64], count: int) -> bool:
    """Whether the rows of each item follow one another: the items have an order then, however many rows each has.

    In a log the rows of items alternate, and who comes first in it has been there for longest, which is a fact.
    """
    return int((np.diff(owners) != 0).sum()) + 1 == count


def with_names(items: Items, further: Mapping[str, tuple[int, ...]]) -> Items:
    """Items that go by further names, too; a name that is one already stays what it is."""
    return Items(items.targets, {**further, **items.names}, items.size, items.ids, items.orders)
