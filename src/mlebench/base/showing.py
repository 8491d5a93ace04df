"""How results show themselves: as a table of text in a terminal, as an HTML table in a notebook.

What is shown may come from an agent or from somebody else's folder: text is one line per row without anything that a
terminal would obey, and HTML has every text escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mlebench.base.wording import plain

_LONGEST = 200  # characters of a cell
_MOST_ROWS = 100  # of a table; the object has all of them


@dataclass(frozen=True)
class Table:
    """A heading, rows below column names, and sentences below them; the columns named in `right` hold numbers."""

    heading: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    right: Sequence[str] = ()
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        cells = [[shown_cell(value) for value in row] for row in self.rows[:_MOST_ROWS]]
        lines = [plain(self.heading)]
        if cells:
            names = [shown_cell(name) for name in self.columns]
            widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
            for row in (names, *cells):
                aligned = (
                    text.rjust(width) if name in self.right else text.ljust(width)
                    for text, width, name in zip(row, widths, self.columns, strict=True)
                )
                lines.append("  ".join(aligned).rstrip())
        return "\n".join([*lines, *map(plain, self._notes())])

    def html(self) -> str:
        """The table as HTML that holds nothing but text."""
        from html import escape

        def cell(tag: str, name: str, text: str) -> str:
            return f'<{tag} style="text-align:{"right" if name in self.right else "left"}">{escape(text)}</{tag}>'

        parts = [f"<p><strong>{escape(plain(self.heading))}</strong></p>"]
        if self.rows:
            head = "".join(cell("th", name, shown_cell(name)) for name in self.columns)
            body = "".join(
                "<tr>"
                + "".join(cell("td", name, shown_cell(value)) for name, value in zip(self.columns, row, strict=True))
                + "</tr>"
                for row in self.rows[:_MOST_ROWS]
            )
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        return f"<div>{''.join(parts)}{''.join(f'<p>{escape(plain(note))}</p>' for note in self._notes())}</div>"

    def _notes(self) -> list[str]:
        more = len(self.rows) - _MOST_ROWS
        return [*([f"… and {more} more."] if more > 0 else []), *self.notes]


class Showable:
    """A result that people look at: `table` says how; printing it and showing it in a notebook follow from that."""

    def table(self) -> Table:
        """How it is shown."""
        raise NotImplementedError

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().html()


def shown_cell(value: Any, longest: int | None = _LONGEST) -> str:
    """A value in a table: `-` for none, yes and no, six digits of a number, one line of a text."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return plain(str(value), longest)
