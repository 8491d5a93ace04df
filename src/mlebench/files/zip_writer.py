"""Zip archives, written from front to back.

zipfile has no public way to pass on what another archive has compressed, and keeps an object for each member until the
end, which for archives of many small pictures takes longer than copying them. What is kept here is the bytes of the
list of members.
"""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple

from mlebench.files.source import CHUNK, Compressed

LIGHTLY = 1  # the level of deflating
# One fixed time for all members we write, and as archives have it: the same content always makes the same archive.
TIMESTAMP = (1980, 1, 1, 0, 0, 0)
_TIME, _DATE = 0, 0x21
_ATTRIBUTES = 0o644 << 16
_HEADER, _ENTRY = b"PK\x03\x04", b"PK\x01\x02\x14\x03"  # and that the entry is by a program of version 2.0, on Unix
# What a member's header and its entry in the list have in common, and what only the entry has.
_COMMON = struct.Struct("<5H3LH")
_ONLY_ENTRY = struct.Struct("<4H2L")
_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64 = struct.Struct("<4sLQL")
_UTF_8 = 0x800
# What a reader must be able to do, by the kind of compression; 45 stands for sizes of 64 bits.
_VERSIONS = {zipfile.ZIP_BZIP2: 46, zipfile.ZIP_LZMA: 63}
_VERSION, _VERSION_64 = 20, 45
# Some readers take numbers of 32 bits, and of 16, for signed ones: those of zipfile are kept to.
_LIMIT, _COUNT_LIMIT = zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT
_IN_64 = 0xFFFFFFFF  # in place of a number that stands elsewhere in 64 bits


class ZipWriter:
    """A zip archive to write; it is complete when the block that it is opened for ends without an error."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", CHUNK)
        self._offset = 0
        self._directory = bytearray()
        self._count = 0

    def __enter__(self) -> ZipWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._file:
            if kind is None:
                self._finish()

    def add(self, name: str, content: Compressed) -> None:
        """Append a member whose content is compressed already, or is stored as it is."""
        data, method, crc, size = content
        packed = len(data)
        member = _Member(name.encode(), method, size > _LIMIT or packed > _LIMIT)
        header, entry = member.records(crc, packed, size, self._offset)
        self._file.write(header)
        self._file.write(data)
        self._list(entry, len(header) + packed)

    def add_bytes(self, name: str, data: bytes, *, deflate: bool) -> None:
        """Append a member with this content."""
        crc, size = zlib.crc32(data), len(data)
        if deflate:
            data = zlib.compress(data, LIGHTLY, wbits=-zlib.MAX_WBITS)
        self.add(name, Compressed(data, zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED, crc, size))

    def add_stream(self, name: str, stream: IO[bytes], size: int, *, deflate: bool) -> None:
        """Append a member that may outgrow memory; `size` is how many bytes it has."""
        method = zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED
        in_64 = size * 1.05 > _LIMIT  # what does not deflate grows a little
        member = _Member(name.encode(), method, in_64)
        self._file.write(member.records(0, 0, 0, 0)[0])
        crc = packed = size = 0
        compressor = zlib.compressobj(LIGHTLY, wbits=-zlib.MAX_WBITS)
        while data := stream.read(CHUNK):
            crc, size = zlib.crc32(data, crc), size + len(data)
            packed += self._file.write(compressor.compress(data) if deflate else data)
        if deflate:
            packed += self._file.write(compressor.flush())
        if max(packed, size) > _LIMIT and not in_64:
            raise RuntimeError(f"{name} has grown while it was packed")
        header, entry = member.records(crc, packed, size, self._offset)
        self._file.seek(self._offset)
        self._file.write(header)
        self._file.seek(0, os.SEEK_END)
        self._list(entry, len(header) + packed)

    def _list(self, entry: bytes, length: int) -> None:
        """Note a member that takes so many bytes, its header included."""
        self._directory += entry
        self._count += 1
        self._offset += length

    def _finish(self) -> None:
        """Write the list of members, and where it is."""
        count, size, start = self._count, len(self._directory), self._offset
        self._file.write(self._directory)
        if count > _COUNT_LIMIT or max(size, start) > _LIMIT:
            end = _END_64.pack(
                b"PK\x06\x06", _END_64.size - 12, _VERSION_64, _VERSION_64, 0, 0, count, count, size, start
            )
            self._file.write(end + _LOCATOR_64.pack(b"PK\x06\x07", 0, start + size, 1))
            count, size, start = min(count, 0xFFFF), min(size, _IN_64), min(start, _IN_64)
        self._file.write(_END.pack(b"PK\x05\x06", 0, 0, count, count, size, start, 0))


class _Member(NamedTuple):
    """A member: its encoded name, how it is compressed, and whether its sizes take more than 32 bits."""

    name: bytes
    method: int
    in_64: bool

    def records(self, crc: int, packed: int, size: int, offset: int) -> tuple[bytes, bytes]:
        """(what stands before it, its entry in the list); how long they are does not depend on checksum and sizes."""
        name, method, in_64 = self
        version, flags = _VERSIONS.get(method, _VERSION), 0 if name.isascii() else _UTF_8
        sizes = place = b""
        if in_64:
            sizes = struct.pack("<2Q", size, packed)
            packed = size = _IN_64
        if offset > _LIMIT:
            place, offset = struct.pack("<Q", offset), _IN_64
        before, in_list = sizes, sizes + place
        if in_list:
            version = max(version, _VERSION_64)
            before, in_list = _field(before), _field(in_list)
        common = _COMMON.pack(version, flags, method, _TIME, _DATE, crc, packed, size, len(name))
        only_entry = _ONLY_ENTRY.pack(len(in_list), 0, 0, 0, _ATTRIBUTES, offset)
        return (
            b"".join((_HEADER, common, len(before).to_bytes(2, "little"), name, before)),
            b"".join((_ENTRY, common, only_entry, name, in_list)),
        )


def _field(numbers: bytes) -> bytes:
    """The field for numbers that may be too large for their place; none where there is none."""
    return struct.pack("<2H", 1, len(numbers)) + numbers if numbers else b""
