"""Tables, badges and figures of a page; readable without a script, which makes tables sortable and filterable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mlebench.page.markup import Child, Markup, element
from mlebench.page.quantities import NONE, number, percent

FILTER_FROM = 5  # rows; a shorter table needs no filter


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and whether it holds numbers."""

    name: str
    is_number: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell; `value` is what it is sorted by, where that is not its text."""

    content: Child
    value: float | None = None


def table(
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    *,
    details: Sequence[str] = (),
    foot: Sequence[Sequence[Cell]] = (),
    is_named: bool = False,
) -> Markup:
    """A table.

    `details` has, for each row, the place on the page that is shown and hidden with it. Rows of the `foot`, such as
    means, stay below the others however these are sorted. Where the heading above the table names it already, its
    caption is not seen, only heard.
    """
    head = element("tr", [_heading(column) for column in columns])
    body = [_row(columns, row, details[place] if details else None) for place, row in enumerate(rows)]
    drawn = element(
        "table",
        element("caption", caption, class_="quiet" if is_named else None),
        element("thead", head),
        element("tbody", body),
        element("tfoot", [_row(columns, row, None) for row in foot]) if foot else None,
    )
    return element("div", _filter(caption) if len(rows) >= FILTER_FROM else None, drawn, class_="table")


def _heading(column: Column) -> Markup:
    return element("th", column.name, scope="col", class_="number" if column.is_number else None)


def _row(columns: Sequence[Column], row: Sequence[Cell], shown_with: str | None) -> Markup:
    cells = []
    for place, (column, cell) in enumerate(zip(columns, row, strict=True)):
        value = f"{cell.value:.10g}" if cell.value is not None else ""
        if column.is_number:  # the attribute says that it is one, and what it is where its text does not
            attributes: dict[str, str | bool] = {"data_n": True if value in ("", cell.content) else value}
        else:
            attributes = {"data_v": value} if value else {}
        if place == 0:
            cells.append(element("th", cell.content, scope="row", **attributes))
        else:
            cells.append(element("td", cell.content, **attributes))
    return element("tr", cells, data_for=shown_with)


def _filter(caption: str) -> Markup:
    field = element("input", type="search", placeholder="Filter", aria_label=f"Filter: {caption}", autocomplete="off")
    return element("p", field, element("span", role="status", class_="note"), class_="filter", hidden=True)


def text_cell(value: object | None) -> Cell:
    """A cell with text, sorted by it."""
    return Cell(NONE if value is None or value == "" else str(value))


def number_cell(value: float | None, shown: str | None = None) -> Cell:
    """A cell with a number, sorted by it; what is unknown comes last."""
    return Cell(number(value) if shown is None else shown, None if value is None or math.isnan(value) else value)


def percent_cell(value: float | None) -> Cell:
    """A cell with a share in percent."""
    return number_cell(value, percent(value))


_ORDER = {"gold": 4.0, "silver": 3.0, "bronze": 2.0}


def medal_badge(medal: str | None, otherwise: str = "no medal") -> Markup:
    """A medal by its name and its colour."""
    return element("span", medal or otherwise, class_=f"badge {(medal or otherwise).replace(' ', '-')}")


def medal_rank(medal: str | None) -> float:
    """What medals are sorted by."""
    return _ORDER.get(medal or "", 0.0)


def figure(title: str, chart: Markup, *caption: Child, name: str | None = None) -> Markup:
    """A chart with its title, and the words that say the same."""
    return element("figure", element("b", title), chart, element("figcaption", *caption), data_name=name)


def section(anchor: str, heading: str, *children: Child) -> Markup:
    """A section of the page."""
    return element(
        "section",
        element("h2", heading, id=f"{anchor}-heading"),
        *children,
        id=anchor,
        aria_labelledby=f"{anchor}-heading",
    )


def note(*children: Child) -> Markup:
    """A sentence in small print."""
    return element("p", *children, class_="note")


def pairs(facts: Sequence[tuple[str, Child]]) -> Markup:
    """Names and what they stand for."""
    return element("dl", [(element("dt", name), element("dd", value)) for name, value in facts], class_="pairs")


def folded(summary: Child, *children: Child, **attributes: str | None) -> Markup:
    """Something to open."""
    return element("details", element("summary", summary), *children, **attributes)
