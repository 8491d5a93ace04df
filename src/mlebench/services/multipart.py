"""Taking the one file out of the body of a form that was sent over HTTP (multipart/form-data)."""

from __future__ import annotations

import mmap
import re
from pathlib import Path

_MOST_HEADERS = 16 << 10
_MOST_PARTS = 100
_BLOCK = 1 << 20


def boundary_of(content_type: str) -> bytes | None:
    """What separates the parts of a form, as its Content-Type says; None if it is no such form."""
    found = re.fullmatch(
        r'\s*multipart/form-data\s*;.*?\bboundary=(?:"([^"]{1,200})"|([^";,\s]{1,200})).*', content_type, re.IGNORECASE
    )
    return (found[1] or found[2]).encode("latin-1", "replace") if found else None


def extract(body: Path, boundary: bytes, field: str, into: Path) -> bool:
    """Write the content of a field of the form to a file; whether there is such a field."""
    if body.stat().st_size == 0:
        return False
    opening, delimiter = b"--" + boundary, b"\r\n--" + boundary
    wanted = re.compile(rb'^content-disposition\s*:.*[;\s]name="?' + re.escape(field.encode()) + rb'"?\s*(?:;|$)', re.I)
    with body.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        place = 0 if content[: len(opening)] == opening else content.find(delimiter)
        for _ in range(_MOST_PARTS):
            start = place + len(opening if place == 0 else delimiter)
            if place < 0 or content[start : start + 2] == b"--":
                return False
            end_of_headers = content.find(b"\r\n\r\n", start, start + _MOST_HEADERS)
            if end_of_headers < 0:
                return False
            begin = end_of_headers + 4
            end = content.find(delimiter, begin)
            if end < 0:
                return False
            headers = content[start:end_of_headers].split(b"\r\n")
            if any(wanted.search(line.strip()) for line in headers):
                with into.open("wb") as target:
                    for position in range(begin, end, _BLOCK):
                        target.write(content[position : min(end, position + _BLOCK)])
                return True
            place = end
    return False
