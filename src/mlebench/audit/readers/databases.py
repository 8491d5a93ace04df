"""Tables in SQLite databases."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from mlebench.audit.entries import Entry, bytes_reader, members_of
from mlebench.audit.joining import joined
from mlebench.audit.readers.text import decoded, tables_of_text
from mlebench.audit.table import Table, texts

_MOST_ROWS = 300_000
_MOST_CELLS = 20  # long texts and packed bytes of a table that are read by themselves
_LONG = 64


def _sqlite(entry: Entry, data: bytes) -> list[Table]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(data)
        found: list[Table] = []
        inside: list[Table] = []
        names = [row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")]
        for name in names[:50]:
            quoted = '"' + str(name).replace('"', '""') + '"'
            cursor = connection.execute(f"select * from {quoted} limit {_MOST_ROWS}")
            labels = [column[0] for column in cursor.description]
            rows = cursor.fetchall()
            columns = {label: texts(row[place] for row in rows) for place, label in enumerate(labels)}
            found.append(Table(f"{entry.name}/{name}", columns))
            inside += _cells(f"{entry.name}/{name}", rows)
        return [*found, *joined(found), *inside]
    finally:
        connection.close()


def _cells(where: str, rows: Sequence[Sequence[Any]]) -> Iterator[Table]:
    """Tables in single cells: long texts, and bytes that are packed."""
    from mlebench.audit.readers import read_tables

    long = [cell for row in rows[:1000] for cell in row if isinstance(cell, str | bytes) and len(cell) >= _LONG]
    for cell in long[:_MOST_CELLS]:
        text = cell if isinstance(cell, str) else decoded(cell)
        if text is not None:
            yield from tables_of_text(where, text)
        elif isinstance(cell, bytes):
            inner = Entry(f"{where} (a cell)", len(cell), 0, where, {}, bytes_reader(cell))
            for file in (inner, *members_of(inner)):
                yield from read_tables(file)


READERS = [(lambda entry, data: data[:15] == b"SQLite format 3", _sqlite)]
