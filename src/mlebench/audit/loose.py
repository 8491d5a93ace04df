"""Answers in odd places: ids as names of columns, texts between ids, lists that go on from train to test."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mlebench.audit.binary_rows import ids_in, lists_of_words, rows_by_number, rows_in_bytes
from mlebench.audit.carving import ARCHIVES, MEDIA
from mlebench.audit.entries import DAMAGED, Entry
from mlebench.audit.matching import keys_of
from mlebench.audit.readers.text import TOKEN, decoded
from mlebench.audit.table import Table, texts
from mlebench.audit.targets import Items, plain_key

_MOST_TEXT = 8 << 20
_SMALL = 2 << 20
_GLUED = 1 << 18
_WORD = re.compile(r"[\w.\-]+")
_TABLES = (".csv", ".tsv", ".json", ".jsonl")
_READ = (*ARCHIVES, *MEDIA, b"PAR1", b"ARROW1", b"\x93NUMPY", b"\x89PNG", b"%PDF-")  # in another way, or packed


def beside_ids(entry: Entry, items: Items, tables: Sequence[Table] = (), *, with_lists: bool = True) -> list[Table]:
    """In a file of any form, what stands between each id and the next one, or in lists beside all of them."""
    names = items.names
    if not 0 < entry.size <= _MOST_TEXT:
        return []
    if entry.suffix in _TABLES and (entry.size > _SMALL or any(_has_ids(table, items) for table in tables)):
        return []  # a table that is read as one
    try:
        data = entry.read(_MOST_TEXT)
    except DAMAGED:
        return []
    text = decoded(data)
    if text is None:
        if data.startswith(_READ) or data[128:132] == b"DICM" or (tables and "tfrec" in entry.suffix):
            return []
        return list(rows_in_bytes(entry.name, data, names, items.ids.tolist(), with_lists=with_lists))
    words = TOKEN.findall(text)
    listed = lists_of_words(entry.name, words, names)
    numbered = rows_by_number(entry.name, words, items.size) if with_lists else None
    return [*_segments(entry, text, items), *(table for table in (listed, numbered) if table is not None)]


def _has_ids(table: Table, items: Items) -> bool:
    return next(keys_of(table, items), None) is not None


def _segments(entry: Entry, text: str, items: Items) -> list[Table]:
    names = items.names
    found = [
        (match.start(), match.end(), match.group())
        for match in _WORD.finditer(text)
        if plain_key(match.group()) in names
    ]
    if len({name for _, _, name in found}) < 4 and text.isascii() and len(text) <= _GLUED:
        found = ids_in(text.encode(), names, items.ids.tolist())  # something else may stand right beside them
    if len({name for _, _, name in found}) < 4 or len(found) > 300_000:
        return []
    ends = [start for start, _, _ in found[1:]] + [len(text)]
    between = [text[stop:end].strip(" \t\r\n,;:|=->\"'()[]{}") for (_, stop, _), end in zip(found, ends, strict=True)]
    columns = {"id": texts(name for _, _, name in found), "text behind the id": texts(part[:4096] for part in between)}
    return [Table(entry.name, columns, keys=("id",))]


def transposed(table: Table, items: Items) -> Table | None:
    """A table with a column per item, as one with a row per item."""
    if len(table.columns) < 5 or table.keys is not None or len(table) > 50:
        return None
    named = [name for name in table.columns if plain_key(name) in items.names]
    if len(named) < max(4, 0.05 * items.size):
        return None
    rows = {f"row {row + 1}": texts(table.columns[name][row] for name in named) for row in range(len(table))}
    return Table(table.where, {"(column)": texts(named), **rows}, keys=("(column)",))


def parts_of(table: Table, test: int, train: int) -> Iterator[Table]:
    """Of a list as long as train and test together, the part that may be that of test."""
    if table.is_artifact or table.keys or not train or len(table) != test + train or len(table.columns) > 50:
        return
    yield Table(f"{table.where} (its end)", {name: values[-test:] for name, values in table.columns.items()})
    yield Table(f"{table.where} (its start)", {name: values[:test] for name, values in table.columns.items()})
