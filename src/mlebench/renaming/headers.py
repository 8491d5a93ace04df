"""The header of a CSV table: the one part of it that a renaming changes."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

_LONGEST = 4 << 20  # bytes of a header
_MARK = "\ufeff"
_CELL = {delimiter: re.compile(rf'"(?:[^"]|"")*"|[^{re.escape(delimiter)}\r\n]+') for delimiter in (",", "\t")}


def header_end(text: str, delimiter: str) -> int:
    """Where the header of a table ends, in characters: behind the first record that is not blank."""
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=delimiter)
    for record in reader:
        if record:
            break
    return len("".join(line for line, _ in zip(io.StringIO(text, newline=""), range(reader.line_num), strict=False)))


def renamed_header(header: str, names: Mapping[str, str], delimiter: str = ",") -> str:
    """A header with other names of columns; everything else in it stays, quotation marks too.

    >>> renamed_header('id,"has_cactus"\\n', {"has_cactus": "column_1"})
    'id,"column_1"\\n'
    """

    def cell(found: re.Match[str]) -> str:
        text = found[0]
        quoted = len(text) > 1 and text.startswith('"') and text.endswith('"')
        name = text[1:-1].replace('""', '"') if quoted else text
        if name not in names:
            return text
        new = names[name]
        needs_quotes = quoted or any(character in new for character in f'{delimiter}"\r\n')
        return '"' + new.replace('"', '""') + '"' if needs_quotes else new

    return _CELL[delimiter].sub(cell, header)


def rename_columns(source: BinaryIO, target: Path, names: Mapping[str, str], delimiter: str = ",") -> bool:
    """Copy a table with other names of its columns; False, and no copy, if none of them changes.

    The rows are copied byte by byte. A table whose header is not UTF-8, or longer than some megabytes, stays as it is.
    """
    start = source.read(_LONGEST)
    try:
        # The last character may be cut off.
        text = start.decode("utf-8", "strict" if len(start) < _LONGEST else "ignore")
        mark = _MARK if text.startswith(_MARK) else ""
        header = text[len(mark) :][: header_end(text[len(mark) :], delimiter)]
    except (UnicodeDecodeError, csv.Error):
        header = _ascii_header(start)
        mark = ""
    renamed = renamed_header(header, names, delimiter)
    if renamed == header:
        return False
    with target.open("wb") as file:
        file.write((mark + renamed).encode())
        file.write(start[len((mark + header).encode()) :])
        shutil.copyfileobj(source, file, 1 << 20)
    return True


def _ascii_header(start: bytes) -> str:
    """The first line of a table in another encoding, if it has nothing but ASCII in it."""
    line = start.split(b"\n", 1)[0]
    return line.decode("ascii") if line.isascii() and len(line) < len(start) else ""
