"""Reading TFRecord files without TensorFlow.

A file is a sequence of records, each framed by its length and checksums. A record is a tf.train.Example, a
protobuf message: field 1 (features) holds map entries in field 1, an entry has its key in field 1 and its
feature in field 2, and a feature of bytes has a list in field 1 whose values are in field 1.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from mlebench.errors import PreparationError

_HEADER, _FOOTER = 12, 4  # length (8) and its checksum (4); the checksum of the content (4)
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # the wire types of protobuf

Span = tuple[int, int]  # where in the file something is, end excluded


def text_features(path: Path, name: str) -> list[str]:
    """The first value of a text feature of every record.

    The file is mapped into memory and only what leads to the feature is touched: pictures are skipped unread.
    """
    if path.stat().st_size == 0:
        return []
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            return [_feature(data, record, name.encode()) for record in _records(data)]
        except (LookupError, ValueError, struct.error) as error:
            raise PreparationError(
                f"{path.name} is not a whole TFRecord file whose records have {name}: {error}",
                hint="Download the archive again.",
            ) from error


def feature_names(path: Path) -> list[list[str]]:
    """The names of the features of every record."""
    if path.stat().st_size == 0:
        return []
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return [[data[slice(*key)].decode("utf-8") for key in _at(data, record, 1, 1, 1)] for record in _records(data)]


@contextmanager
def mapped_records(path: Path) -> Iterator[tuple[bytes, Iterator[Span]]]:
    """The bytes of a file, which are not read before they are asked for, and where in them its records are."""
    if path.stat().st_size == 0:
        yield b"", iter(())
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            yield cast("bytes", data), _records(data)
        except (LookupError, ValueError, struct.error) as error:
            raise PreparationError(
                f"{path.name} is not a whole TFRecord file: {error}", hint="Download the archive again."
            ) from error


def fields_of(data: bytes, message: Span) -> Iterator[tuple[int, Span, Span]]:
    """(number, where the field is, where its content is) of the fields of bytes, which are all that an example has."""
    position, stop = message
    while position < stop:
        begin = position
        tag, position = _varint(data, position)
        if tag & 7 != _BYTES:
            raise ValueError(f"protobuf wire type {tag & 7} is not expected here")
        length, position = _varint(data, position)
        yield tag >> 3, (begin, position + length), (position, position + length)
        position += length


def first_key(data: bytes, entry: Span) -> bytes:
    """The key of an entry of a map."""
    return next((data[slice(*content)] for number, _, content in fields_of(data, entry) if number == 1), b"")


def _records(data: mmap.mmap) -> Iterator[Span]:
    start = 0
    while start < len(data):
        (length,) = struct.unpack_from("<Q", data, start)
        stop = start + _HEADER + length
        if stop + _FOOTER > len(data):
            raise ValueError("its last record is cut off")
        yield start + _HEADER, stop
        start = stop + _FOOTER


def _feature(data: mmap.mmap, record: Span, name: bytes) -> str:
    for entry in _at(data, record, 1, 1):
        if any(data[slice(*key)] == name for key in _at(data, entry, 1)):
            for value in _at(data, entry, 2, 1, 1):
                return data[slice(*value)].decode("utf-8")
    raise LookupError("a record lacks it")


def _at(data: mmap.mmap, message: Span, number: int, *deeper: int) -> Iterator[Span]:
    """Where the contents of fields are that are reached by these field numbers, level by level."""
    for content in _fields(data, message, number):
        if deeper:
            yield from _at(data, content, *deeper)
        else:
            yield content


def _fields(data: mmap.mmap, message: Span, wanted: int) -> Iterator[Span]:
    """Where the contents of a message's fields with this number are; only fields of bytes are of interest."""
    position, stop = message
    while position < stop:
        tag, position = _varint(data, position)
        number, kind = tag >> 3, tag & 7
        if kind == _BYTES:
            length, position = _varint(data, position)
            if number == wanted:
                yield position, position + length
            position += length
        elif kind == _VARINT:
            _, position = _varint(data, position)
        elif kind in (_FIXED64, _FIXED32):
            position += 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(f"protobuf wire type {kind} is unknown")


def _varint(data: mmap.mmap | bytes, position: int) -> tuple[int, int]:
    """(the number that begins at a position, the position behind it)."""
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
        shift += 7
