"""What messages quote from files of others: short, on one line, and without anything a terminal would obey."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_LONGEST = 60


def plain(text: str, longest: int | None = None) -> str:
    r"""A text for a message: line breaks become blanks, what cannot be printed is spelled out, the rest is cut off.

    >>> plain("red \x1b[31m alert\nand more", longest=20)
    'red \\x1b[31m alert …'
    """
    if longest is not None and len(text) > 4 * longest:
        text = f"{text[: 4 * longest]}…"  # spelling out makes a text longer, never shorter
    if not text.isprintable():
        text = "".join(character if character.isprintable() else _spelled(character) for character in text)
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1]}…"


def _spelled(character: str) -> str:
    return " " if character in "\r\n\u3000\xa0" else character.encode("unicode_escape").decode("ascii")


def syntax_place(path: Path | str, error: Exception) -> str:
    """Where a JSON or TOML file cannot be read, as compilers write it: path:line:column, or the path alone.

    >>> syntax_place("run.toml", ValueError("Invalid value (at line 3, column 8)"))
    'run.toml:3:8'
    """
    found = re.search(r"\bline (\d+),? column (\d+)", str(error))
    return f"{path}:{found[1]}:{found[2]}" if found else str(path)


def quote(value: Any, longest: int = _LONGEST) -> str:
    """A value as Python writes it, cut to a length; text is in quotation marks, so that blanks can be seen.

    >>> quote("a" * 100, longest=12)
    "'aaaaaaaaaa…"
    """
    if isinstance(value, str):
        value = value[: 4 * longest]
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**longest:
        return "a number beyond all bounds"  # Python refuses to write numbers of more than 4,300 digits
    return plain(repr(value), longest)


def counted(count: int, what: str) -> str:
    """A number with its noun.

    >>> counted(1, "run"), counted(1200, "run")
    ('1 run', '1,200 runs')
    """
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def part_of(count: int, total: int, what: str) -> str:
    """How many of all, with the noun that goes with all.

    >>> part_of(1, 1, "run"), part_of(1, 3, "run")
    ('1 of 1 run', '1 of 3 runs')
    """
    return f"{count:,} of {counted(total, what)}"


def agreeing(count: int, one: str, many: str) -> str:
    """The words that go with a number.

    >>> agreeing(1, "has", "have"), agreeing(0, "has", "have")
    ('has', 'have')
    """
    return one if count == 1 else many


def cell_text(text: str) -> str:
    """A text for a cell of a CSV file that people open in a spreadsheet: none that it would take for a formula.

    >>> cell_text("=1+1"), cell_text("-0.5"), cell_text("AIDE")
    ("'=1+1", '-0.5', 'AIDE')
    """
    if not text.startswith(("=", "+", "-", "@", "\t", "\r")):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
