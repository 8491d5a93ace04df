"""What is inside other files without being a member of them: packed parts, archives behind pictures, runs of text."""

from __future__ import annotations

import bz2
import contextlib
import lzma
import re
import zlib
from collections.abc import Iterator

_MOST = 64 << 20  # bytes that the parts of one file unpack to
_MOST_TRIED = 20_000
_MOST_RUNS = 60
_LEAST = 16
_MOST_WIDE = 4 << 20
_DEFLATED = re.compile(rb"\x78[\x01\x5e\x9c\xda]")
_RUN = re.compile(rb"[\t\n\r\x20-\x7e]{64,}")
_WIDE = re.compile(rb"(?:[\t\n\r\x20-\x7e]\x00){3,}")
_WIDE_BIG = re.compile(rb"(?:\x00[\t\n\r\x20-\x7e]){3,}")
ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00", b"7z\xbc\xaf\x27\x1c", b"\x28\xb5\x2f\xfd")
MEDIA = (b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF", b"FORM", b"fLaC", b"OggS", b"ID3")
KNOWN = (
    *ARCHIVES,
    *(b"PAR1", b"ARROW1", b"ORC", b"\x93NUMPY", b"SQLite format 3", b"%PDF-", b"\x89HDF", b"MATLAB 5", b"\x89PNG"),
)


def deflated(data: bytes, most: int = _MOST) -> list[bytes]:
    """What zlib packed, wherever it begins."""
    found: list[bytes] = []
    view = memoryview(data)
    place = tried = 0
    while tried < _MOST_TRIED and most > 0 and (match := _DEFLATED.search(data, place)):
        tried += 1
        place = match.start() + 1
        packed = zlib.decompressobj()
        try:
            part = packed.decompress(view[match.start() :], most)
        except zlib.error:
            continue
        if len(part) >= _LEAST and (packed.eof or len(part) > 4096):
            found.append(part)
            most -= len(part)
            place = max(place, len(data) - len(packed.unused_data) if packed.eof else place)
    return found


def carved(data: bytes) -> Iterator[tuple[str, bytes]]:
    """(what it is, the bytes) of parts of a file."""
    if data[:4] == b"Obj\x01":
        yield from _avro(data)
    for mark in ARCHIVES:
        place = data.find(mark, 1)
        for _ in range(20):
            if place < 0:
                break
            if _begins(data, place, mark):
                yield f"behind byte {place}", data[place:]
                break
            place = data.find(mark, place + 1)
    if not data.startswith((b"\x89PNG", *MEDIA, *ARCHIVES)):
        for number, part in enumerate(deflated(data)[:_MOST_RUNS]):
            yield f"packed part {number + 1}", part
    for number, match in enumerate(_RUN.finditer(data)):
        if number >= _MOST_RUNS:
            break
        yield f"text at byte {match.start()}", match.group()
    for pattern, coding in ((_WIDE, "utf-16-le"), (_WIDE_BIG, "utf-16-be")):
        wide = "\n".join(match.group().decode(coding) for match in pattern.finditer(data[:_MOST_WIDE]))
        if len(wide) >= 4 * _LEAST:
            yield "text of two bytes each", wide.encode()


def _begins(data: bytes, place: int, mark: bytes) -> bool:
    """Whether something packed begins there, and not the same bytes by chance."""
    head = data[place : place + (1 << 16)]
    if mark == b"PK\x03\x04":
        return b"PK\x05\x06" in data[place:]
    if mark in (b"7z\xbc\xaf\x27\x1c", b"\x28\xb5\x2f\xfd"):
        return True
    with contextlib.suppress(zlib.error, OSError, EOFError, ValueError, lzma.LZMAError):
        if mark == b"\x1f\x8b\x08":
            return len(zlib.decompressobj(31).decompress(head, 4096)) >= _LEAST
        opened = bz2.BZ2Decompressor() if mark == b"BZh" else lzma.LZMADecompressor()
        opened.decompress(head, 4096)
        return True
    return False


def unpacked_whole(data: bytes, suffix: str) -> Iterator[tuple[str, bytes]]:
    """A file that is packed as a whole without saying so in its first bytes."""
    with contextlib.suppress(zlib.error):
        packed = zlib.decompressobj(-15)
        part = packed.decompress(data, _MOST)
        if packed.eof and len(packed.unused_data) <= 8 and len(part) >= 2 * _LEAST:
            yield "unpacked", part
    if data[:3] == b"\x5d\0\0":
        with contextlib.suppress(lzma.LZMAError, EOFError):
            yield "unpacked", lzma.LZMADecompressor(lzma.FORMAT_ALONE).decompress(data, _MOST)
    kind = "lz4" if data[:4] == b"\x04\x22\x4d\x18" else {".br": "brotli", ".lz4": "lz4"}.get(suffix)
    if kind is not None:
        import pyarrow

        with contextlib.suppress(OSError, ValueError):
            yield "unpacked", pyarrow.input_stream(pyarrow.py_buffer(data), compression=kind).read(_MOST)
    if suffix in (".snappy", ".sz"):
        import pyarrow

        size = shift = 0
        for byte in data[:5]:
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        with contextlib.suppress(OSError, ValueError):
            if size <= _MOST:
                yield "unpacked", pyarrow.decompress(data, size, codec="snappy", asbytes=True)


def _avro(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The blocks of an Avro file, which end with the marker that its header ends with."""
    marker = data[-16:]
    for number, block in enumerate(data.split(marker)[1:][:_MOST_RUNS]):
        for skip in range(2, 12):  # a count and a size are in front of each block
            with contextlib.suppress(zlib.error):
                packed = zlib.decompressobj(-15)
                part = packed.decompress(block[skip:], _MOST)
                if packed.eof and len(packed.unused_data) <= 4 and len(part) >= _LEAST:
                    yield f"block {number + 1}", part
                    break
