"""Tables in XML and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from mlebench.audit.entries import Entry
from mlebench.audit.readers.text import tables_of_text, tables_of_tokens
from mlebench.audit.table import Table, rows_table

_MOST_ROWS = 300_000
_SOME = 100  # texts that show what they are


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
    found_in = [*(table for table in tables if table), *tables_of_tokens(entry.name, written[: _MOST_ROWS * 4])]
    if any(" " in text for text in written[:_SOME]):  # an id and a label in one text, as drawings have titles
        found_in += tables_of_text(entry.name, "\n".join(" ".join(text.split()) for text in written[:_MOST_ROWS]))
    if b"<td" in data or b"<TD" in data:
        found_in += [table for table in tables_of_html(entry.name, data.decode("utf-8", "replace")) if not table.keys]
    return found_in


class _Cells(HTMLParser):
    """The cells of tables in HTML, which need not be closed, and the other texts in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.headings: set[int] = set()  # tables whose first row has headings only
        self.rows: list[list[str]] = []
        self.words: list[str] = []
        self.in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A table, a row, a cell, or something inside one; what stands in attributes counts as text."""
        if tag == "table" or not self.tables:
            self.rows = []
            self.tables.append(self.rows)
        if tag == "tr":
            self.rows.append([])
        self.in_cell = tag in ("td", "th") or (self.in_cell and tag not in ("tr", "table"))
        if tag in ("td", "th"):
            if not self.rows:
                self.rows.append([])
            self.rows[-1].append("")
            if len(self.rows) == 1:
                number = len(self.tables) - 1
                is_first = len(self.rows[0]) == 1
                (self.headings.add if tag == "th" and (is_first or number in self.headings) else self.headings.discard)(
                    number
                )
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
    tables = (
        rows_table(where, list(_named(rows, number in cells.headings))) for number, rows in enumerate(cells.tables)
    )
    return [
        *(table for table in tables if table is not None),
        *tables_of_tokens(where, cells.words[: _MOST_ROWS * 4]),
    ]


def _named(rows: list[list[str]], has_headings: bool) -> Iterator[dict[str, str]]:
    """The rows of a table, by the headings of its columns where it has them."""
    names = [text.strip() or f"cell {place + 1}" for place, text in enumerate(rows[0])] if rows and has_headings else []
    for row in rows[1 if names else 0 : _MOST_ROWS]:
        if row:
            labels = names if len(names) == len(row) == len(set(names)) else [f"cell {n + 1}" for n in range(len(row))]
            yield {label: text.strip() for label, text in zip(labels, row, strict=True)}


READERS = [(lambda entry, data: data[:200].lstrip()[:1] == b"<" and b">" in data, _xml)]
