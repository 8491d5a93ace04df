"""Tables in XML and HTML."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from mlebench.audit.entries import Entry
from mlebench.audit.readers.text import tables_of_tokens
from mlebench.audit.table import Table, rows_table

_MOST_ROWS = 300_000


def _xml(entry: Entry, data: bytes) -> list[Table]:
    from xml.etree import ElementTree

    if b"<!ENTITY" in data[:65536]:
        return []
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        return tables_of_html(entry.name, data.decode("utf-8", "replace"))
    found: dict[str, list[dict[str, Any]]] = {}
    for element in root.iter():
        row: dict[str, Any] = dict(element.attrib)
        if element.text and element.text.strip():
            row["(text)"] = element.text.strip()
        counts: dict[str, int] = {}
        for child in list(element)[:100]:
            number = counts[child.tag] = counts.get(child.tag, 0) + 1
            tag = str(child.tag) if number == 1 else f"{child.tag} {number}"  # the cells of a row have one name
            row |= {f"{tag}.{name}": value for name, value in child.attrib.items()}
            if child.text and child.text.strip():
                row[tag] = child.text.strip()
        if row:
            found.setdefault(str(element.tag), []).append(row)
    tables = [rows_table(f"{entry.name} ({tag})", rows[:_MOST_ROWS]) for tag, rows in found.items()]
    # The cells of a document are far below its rows: their texts in their order.
    written = [text.strip() for text in root.itertext() if text.strip()]
    return [*(table for table in tables if table), *tables_of_tokens(entry.name, written[: _MOST_ROWS * 4])]


class _Cells(HTMLParser):
    """The cells of tables in HTML, which need not be closed, and the other texts in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.words: list[str] = []
        self.in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A row, a cell, or something inside one; what stands in attributes counts as text."""
        if tag == "tr":
            self.rows.append([])
        self.in_cell = tag in ("td", "th") or (self.in_cell and tag not in ("tr", "table"))
        if tag in ("td", "th"):
            self.rows = self.rows or [[]]
            self.rows[-1].append("")
        self.words += [value for _, value in attrs if value]

    def handle_data(self, data: str) -> None:
        """A text."""
        if self.in_cell and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data
        self.words += data.split()


def tables_of_html(where: str, text: str) -> list[Table]:
    """The tables in a text of HTML."""
    cells = _Cells()
    cells.feed(text)
    rows = [
        {f"cell {place + 1}": text.strip() for place, text in enumerate(row)} for row in cells.rows[:_MOST_ROWS] if row
    ]
    table = rows_table(where, rows)
    return [*([table] if table else []), *tables_of_tokens(where, cells.words[: _MOST_ROWS * 4])]


READERS = [(lambda entry, data: data[:200].lstrip()[:1] == b"<" and b">" in data, _xml)]
