"""How the rows of a table are written where that follows no rule: cells in quotes among others, ends of rows."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from mlebench.audit.table import Texts, texts

_LONGEST, _MOST_COLUMNS = 32 << 20, 200  # characters of a table, columns
_FEWEST = 2  # cells that are written otherwise than others of their kind
_REPEATED = 10  # values that recur and are always written in one way
_NUMBER = re.compile(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"[\w\-]+", re.ASCII)
WRITTEN = ("(quotes of ", "(end of the row)")  # how the columns begin that are no columns of the table
_Cell = tuple[str, bool]  # what it says, whether it is in quotes


def irregular_columns(text: str, separator: str, names: Sequence[str], count: int) -> Iterator[tuple[str, Texts]]:
    """(name, values) of what the writing of rows says; nothing where it follows from what the cells say."""
    is_mixed = 0 < text.count("\r\n") < text.count("\n")
    if len(text) > _LONGEST or len(names) > _MOST_COLUMNS or not ('"' in text or is_mixed):
        return
    rows, ends = _rows(text, separator)
    rows, ends = rows[1:], ends[1:]
    if len(rows) != count or any(len(row) != len(names) for row in rows):
        return
    if min(Counter(ends).values(), default=0) >= _FEWEST and len(set(ends)) > 1:
        yield WRITTEN[1], texts("CRLF" if end == "\r\n" else "LF" for end in ends)
    for place, name in enumerate(names) if '"' in text else ():
        cells = [row[place] for row in rows]
        if (flags := _irregular(cells, separator)) is not None:
            yield f"{WRITTEN[0]}{name})", texts(map(str, flags))


def _rows(text: str, separator: str) -> tuple[list[list[_Cell]], list[str]]:
    """The rows of a table as they are written, and how each ends."""
    mark = re.escape(separator)
    cell = re.compile(rf'("(?:[^"]|"")*"|[^{mark}\r\n]*)({mark}|\r\n|\n|\r|\Z)')
    rows: list[list[_Cell]] = []
    ends: list[str] = []
    row: list[_Cell] = []
    for match in cell.finditer(text):
        said, end = match.groups()
        if match.start() == len(text) and not row:
            break
        is_quoted = len(said) > 1 and said[0] == '"'
        row.append((said[1:-1] if is_quoted else said, is_quoted))
        if end != separator:
            if row != [("", False)]:  # an empty line is no row
                rows.append(row)
                ends.append(end)
            row = []
    if ends and not ends[-1]:  # the last row of a text may end with it
        ends[-1] = ends[-2] if len(ends) > 1 else ""
    return rows, ends


def _irregular(cells: Sequence[_Cell], separator: str) -> list[bool] | None:
    """Whether each cell is in quotes, where that is no matter of what the cells say; None where it is.

    Cells that need quotes count as the others: what is in them may be honest.
    """
    needs = [not said or any(mark in said for mark in (separator, '"', "\n", "\r")) for said, _ in cells]
    kinds: defaultdict[tuple[bool, bool, bool], Counter[bool]] = defaultdict(Counter)
    of_value: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for (said, is_quoted), is_needed in zip(cells, needs, strict=True):
        if not is_needed:
            is_number, is_word = _NUMBER.fullmatch(said) is not None, _WORD.fullmatch(said) is not None
            kinds[is_number, is_word, said != said.strip()][is_quoted] += 1
            of_value[said][is_quoted] += 1
    if not any(len(kind) == 2 and min(kind.values()) >= _FEWEST for kind in kinds.values()):
        return None
    repeated = [counts for counts in of_value.values() if counts.total() > 1]
    enough = min(_REPEATED, len(of_value))
    if len(repeated) >= enough and all(len(counts) == 1 for counts in repeated):
        return None
    usual = sum(kinds.values(), Counter[bool]()).most_common(1)[0][0]
    return [usual if is_needed else is_quoted for (_, is_quoted), is_needed in zip(cells, needs, strict=True)]
