"""Tables in SQLite databases, and in dumps of databases that are SQL."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from mlebench.audit.entries import Entry, bytes_reader, members_of
from mlebench.audit.joining import joined
from mlebench.audit.readers.text import decoded, tables_of_text, words_of
from mlebench.audit.table import Table, texts

_MOST_ROWS = 300_000
_MOST_CELLS = 20  # long texts and packed bytes of a table that are read by themselves
_LONG = 64
_INSERT = re.compile(r"(?i)\binsert\s+into\s+[`\"\[]?([\w.]+)[`\"\]]?\s*(?:\([^()']*\)\s*)?values\s*")
_ROW = re.compile(r"\((?:[^()']|'(?:[^']|'')*')*\)")
_CELL = re.compile(r"\s*(?:'((?:[^']|'')*)'|([^,']+))\s*(?:,|$)")


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


def _sql(entry: Entry, data: bytes) -> list[Table]:
    """The rows that the statements of a dump insert; their words, too, as comments may have more."""
    text = decoded(data)
    if text is None:
        return []
    rows: dict[tuple[str, int], list[list[str]]] = {}
    for statement in _INSERT.finditer(text):
        end = statement.end()
        for row in _ROW.finditer(text, end):
            if text[end : row.start()].strip(", \t\r\n") or sum(map(len, rows.values())) > _MOST_ROWS:
                break  # the statement is over
            end = row.end()
            cells = [quoted.replace("''", "'") or plain.strip() for quoted, plain in _CELL.findall(row.group()[1:-1])]
            rows.setdefault((statement.group(1), len(cells)), []).append(cells)
    found = [
        Table(f"{entry.name} ({name})", {f"[{place}]": texts(row[place] for row in listed) for place in range(width)})
        for (name, width), listed in rows.items()
        if width
    ]
    return [*found, *joined(found), *words_of(entry, data)] if found else []


READERS = [
    (lambda entry, data: data[:15] == b"SQLite format 3", _sqlite),
    (lambda entry, data: b"insert" in data[: 1 << 20].lower() and b"\0" not in data[:1024], _sql),
]
