"""Tables in documents: spreadsheets, and the texts of PDF files."""

from __future__ import annotations

import base64
import binascii
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from mlebench.audit.entries import Entry
from mlebench.audit.readers.text import tables_of_text
from mlebench.audit.table import Table, rows_table

_MOST_ROWS = 300_000
_MOST_BYTES = 64 << 20  # of what a part unpacks to
_MOST_STREAMS = 5000
_OPENED, _CLOSED = re.compile(rb"stream\r?\n"), b"endstream"
_SHOWN = re.compile(rb"\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))*\)|<[0-9A-Fa-f\s]+>|T[dDm*j]|TJ|['\"]", re.DOTALL)
_ESCAPED = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)


def _sheets(entry: Entry, data: bytes) -> list[Table]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        shared: list[str] = []
        if "xl/sharedStrings.xml" in names:
            shared = [_text(item) for item in _root(archive, "xl/sharedStrings.xml") if _tag(item) == "si"]
        found: list[Table] = []
        for name in [name for name in names if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name)][:50]:
            rows = [dict(_cells(row, shared)) for row in _root(archive, name).iter() if _tag(row) == "row"]
            if table := rows_table(f"{entry.name}/{name}", [row for row in rows if row][:_MOST_ROWS]):
                found.append(table)
        return found


def _root(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    with archive.open(name) as file:
        text = file.read(_MOST_BYTES)
    if b"<!ENTITY" in text[:65536]:
        raise ValueError("entities may unfold without bound")
    return ElementTree.fromstring(text)


def _tag(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _text(element: ElementTree.Element) -> str:
    return "".join(part.text or "" for part in element.iter() if _tag(part) == "t")


def _cells(row: ElementTree.Element, shared: list[str]) -> Iterator[tuple[str, Any]]:
    for number, cell in enumerate(row):
        place = re.sub(r"\d+", "", cell.attrib.get("r", "")) or str(number + 1)
        value = next((part.text for part in cell if _tag(part) == "v"), None)
        if cell.attrib.get("t") == "s" and value is not None and value.isdecimal() and int(value) < len(shared):
            yield place, shared[int(value)]
        elif cell.attrib.get("t") == "b" and value is not None:
            yield place, value == "1"
        else:
            yield place, value if value is not None else _text(cell) or None


def _is_spreadsheet(entry: Entry, data: bytes) -> bool:
    if data[:4] != b"PK\x03\x04":
        return False
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return any(name.startswith("xl/worksheets/") for name in archive.namelist())


def _pdf(entry: Entry, data: bytes) -> list[Table]:
    """The texts that a page shows, in the order of the file; and what else is in the streams, as text."""
    shown: list[str] = []
    others: list[str] = []
    left = _MOST_BYTES
    outside, behind = [], 0
    for number, (opened, start, end) in enumerate(_streams(data)):
        outside.append(data[behind:opened])
        behind = end + len(_CLOSED)
        if number >= _MOST_STREAMS or left <= 0:
            continue
        content = _unpacked(data[start:end].removesuffix(b"\n").removesuffix(b"\r"), left)
        left -= len(content)
        if b"Tj" in content or b"TJ" in content:
            shown += _lines(content)
        elif len(content) < 4 << 20 and b"\0" not in content[:4096]:
            others.append(content.decode("utf-8", "replace"))
    rest = b"".join([*outside, data[behind:]])[: 16 << 20]
    others += [text.decode("latin-1") for text in re.findall(rb"[\t\n\r\x20-\x7e]{64,}", rest)]
    tables = tables_of_text(entry.name, "\n".join(shown)) if shown else []
    return tables + [table for text in others[:20] for table in tables_of_text(entry.name, text)]


def _streams(data: bytes) -> Iterator[tuple[int, int, int]]:
    """(where a stream is opened, where it starts, where it ends), up to one that is never closed."""
    behind = 0
    while (opened := _OPENED.search(data, behind)) and (end := data.find(_CLOSED, opened.end())) >= 0:
        yield opened.start(), opened.end(), end
        behind = end + len(_CLOSED)


def _unpacked(content: bytes, most: int) -> bytes:
    """A stream as it was before it was packed: deflated, as ASCII 85, as hexadecimal, or several of these."""
    for _ in range(3):
        packed = content.strip()
        if packed.endswith(b"~>") or packed.startswith(b"<~"):
            content = base64.a85decode(packed.removeprefix(b"<~").removesuffix(b"~>"))
        elif re.fullmatch(rb"[0-9A-Fa-f\s]{8,}>?", packed):
            content = binascii.unhexlify(re.sub(rb"[\s>]", b"", packed))
        else:
            try:
                content = zlib.decompressobj().decompress(content, most)
            except zlib.error:
                break
    return content


def _lines(content: bytes) -> Iterator[str]:
    """The texts between operators that move to another place, one line each."""
    line: list[str] = []
    for part in _SHOWN.findall(content):
        if part[:1] == b"(":
            line.append(_ESCAPED.sub(_unescaped, part[1:-1]).decode("latin-1"))
        elif part[:1] == b"<":
            digits = re.sub(rb"[\s<>]", b"", part)
            line.append(binascii.unhexlify(digits + b"0" * (len(digits) % 2)).decode("latin-1").replace("\0", ""))
        elif line and part in (b"Tj", b"TJ", b"'", b'"'):
            yield "".join(line)
            line = []
    if line:
        yield "".join(line)


def _unescaped(match: re.Match[bytes]) -> bytes:
    escaped = match.group(1)
    if escaped.isdigit():
        return bytes([int(escaped, 8) & 255])
    return {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(escaped, escaped)


READERS = [
    (_is_spreadsheet, _sheets),
    (lambda entry, data: data[:5] == b"%PDF-", _pdf),
]
