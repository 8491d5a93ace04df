"""Lists and tuples as programs of any language write them: what stands between brackets, parted by commas."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mlebench.audit.table import Table, texts

# Nothing is tried twice: a bracket that is never closed may have a whole file of commas behind it.
_GROUP = re.compile(r"[\[({]([^\[\](){},]*+,[^\[\](){}]*+)[\])}]")
_CELL = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^,]*))\s*(?:,|$)""")
_FEWEST, _MOST_CELLS = 8, 20  # elements of a list, or rows; cells of a row
_MOST_GROUPS, _MOST_LISTS = 300_000, 60
_LONGEST = 200  # characters of an element: what is longer is a piece of a program


def tables_of_literals(where: str, text: str) -> Iterator[Table]:
    """Rows in brackets, such as pairs, and long lists, those of one length side by side."""
    rows: dict[int, list[list[str]]] = {}
    lists: list[list[str]] = []
    for number, match in enumerate(_GROUP.finditer(text)):
        if number >= _MOST_GROUPS:
            break
        cells = _cells(match.group(1))
        if any(len(cell) > _LONGEST for cell in cells):
            continue
        if len(cells) >= _FEWEST and len(lists) < _MOST_LISTS:
            lists.append(cells)
        if 2 <= len(cells) <= _MOST_CELLS:
            rows.setdefault(len(cells), []).append(cells)
    for width, members in rows.items():
        if len(members) >= _FEWEST:
            yield Table(where, {f"part {place + 1}": texts(row[place] for row in members) for place in range(width)})
    lengths: dict[int, dict[str, list[str]]] = {}
    for number, cells in enumerate(lists):
        lengths.setdefault(len(cells), {})[f"list {number + 1}"] = cells
    for length, side_by_side in lengths.items():
        if length > _MOST_CELLS or length not in rows or len(rows[length]) < _FEWEST:
            yield Table(where, {name: texts(cells) for name, cells in side_by_side.items()})


def _cells(text: str) -> list[str]:
    found = [next((part for part in match if part), "").strip() for match in _CELL.findall(text)]
    return found[:-1] if found and not found[-1] else found  # behind the last comma is nothing
