"""What is wrong with a CSV file, in our words: the parsers' own are about buffers, tokens and C."""

from __future__ import annotations

import re

# What pandas and Arrow say, and what that means; groups of the pattern fill the sentence.
_MEANINGS = (
    (
        r"Expected (\d+) fields in line (\d+), saw (\d+)",
        "line {1} has {2} cells, but {0} are expected there (a text with a comma needs quotation marks)",
    ),
    (r"Expected (\d+) columns, got (\d+)", "a row has {1} cells, but {0} are expected there"),
    (r"EOF inside string starting at row (\d+)", "a quotation mark that opens in row {0} is never closed"),
    (r"No columns to parse from file|Empty CSV file", "it has no header"),
    (r"Buffer overflow caught|unexpected end of data|straddling object", "its rows are not regular"),
    (r"Passed header=", "it has no header"),
    (r"out of memory", "it does not fit into memory"),
)


def csv_problem(error: Exception) -> str:
    """A clause that says why a file cannot be read as CSV, from the error of a parser.

    >>> csv_problem(ValueError("Error tokenizing data. C error: EOF inside string starting at row 7"))
    'a quotation mark that opens in row 7 is never closed'
    """
    if isinstance(error, UnicodeDecodeError):
        return f"a byte {error.object[error.start]:#04x} in it is not UTF-8 text"
    for pattern, sentence in _MEANINGS:
        if found := re.search(pattern, str(error)):
            return sentence.format(*found.groups())
    return "its rows and cells are not those of a table"


def csv_line(error: Exception) -> int | None:
    """The line of the file that a parser stumbled over, where its error says so.

    >>> csv_line(ValueError("Error tokenizing data. C error: Expected 2 fields in line 4, saw 3"))
    4
    """
    found = re.search(r"Expected \d+ fields in line (\d+)", str(error))
    return int(found[1]) if found else None
