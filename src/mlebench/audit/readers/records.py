"""Tables of records one after the other: TFRecord and BSON."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from mlebench.audit.entries import Entry
from mlebench.audit.table import Table, rows_table

_MOST_ROWS = 300_000


def _tfrecord(entry: Entry, data: bytes) -> list[Table]:
    rows = [dict(_features(record)) for record in _records(data)]
    table = rows_table(entry.name, rows)
    return [table] if table else []


def is_tfrecord(entry: Entry, data: bytes) -> bool:
    """Whether the first record is framed as one."""
    if len(data) < 17:
        return False
    (length,) = struct.unpack_from("<Q", data)
    return bool(0 < length <= len(data) - 16 and data[12:13] == b"\n")


def _records(data: bytes) -> Iterator[bytes]:
    start = 0
    while start + 16 <= len(data):
        (length,) = struct.unpack_from("<Q", data, start)
        if start + 16 + length > len(data):
            return
        yield data[start + 12 : start + 12 + length]
        start += 16 + length


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        kind = tag & 7
        if kind == 2:
            length, position = _varint(data, position)
            yield tag >> 3, data[position : position + length]
            position += length
        elif kind == 0:
            value, position = _varint(data, position)
            yield tag >> 3, value
        elif kind == 5:
            yield tag >> 3, struct.unpack_from("<f", data, position)[0]
            position += 4
        elif kind == 1:
            yield tag >> 3, struct.unpack_from("<d", data, position)[0]
            position += 8
        else:
            return


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(data) and shift < 70:
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            break
        shift += 7
    return value, position


def _features(record: bytes) -> Iterator[tuple[str, Any]]:
    for number, features in _fields(record):
        if number != 1 or not isinstance(features, bytes):
            continue
        for _, entry in _fields(features):
            parts = dict(_fields(entry))
            name, feature = parts.get(1, b""), parts.get(2, b"")
            for kind, listed in _fields(feature):
                values: list[Any] = []
                for _, value in _fields(listed) if isinstance(listed, bytes) else ():
                    if kind == 2 and isinstance(value, bytes):
                        values += struct.unpack(f"<{len(value) // 4}f", value[: len(value) // 4 * 4])
                    elif kind == 3 and isinstance(value, bytes):
                        position = 0
                        while position < len(value):
                            number_, position = _varint(value, position)
                            values.append(number_)
                    else:
                        values.append(value)
                first = values[0] if values else None
                if isinstance(first, bytes) and len(first) > 2048:
                    first = f"{len(first)} bytes"
                yield name.decode("utf-8", "replace"), first


def _bson(entry: Entry, data: bytes) -> list[Table]:
    rows: list[dict[str, Any]] = []
    position = 0
    while position + 5 <= len(data) and len(rows) < _MOST_ROWS:
        (length,) = struct.unpack_from("<i", data, position)
        if not 5 <= length <= len(data) - position:
            break
        rows.append(dict(_bson_values(data[position + 4 : position + length - 1])))
        position += length
    table = rows_table(entry.name, rows)
    return [table] if table else []


def _bson_values(data: bytes) -> Iterator[tuple[str, Any]]:
    position = 0
    while position < len(data):
        kind = data[position]
        end = data.index(b"\0", position + 1)
        name = data[position + 1 : end].decode("utf-8", "replace")
        position = end + 1
        if kind in (0x10, 0x12, 0x11, 0x09):
            size = 4 if kind == 0x10 else 8
            yield name, int.from_bytes(data[position : position + size], "little", signed=True)
            position += size
        elif kind == 0x01:
            yield name, struct.unpack_from("<d", data, position)[0]
            position += 8
        elif kind == 0x08:
            yield name, bool(data[position])
            position += 1
        elif kind == 0x02:
            (length,) = struct.unpack_from("<i", data, position)
            yield name, data[position + 4 : position + 3 + length].decode("utf-8", "replace")
            position += 4 + length
        elif kind in (0x03, 0x04):
            (length,) = struct.unpack_from("<i", data, position)
            yield from (
                (f"{name}.{key}", value) for key, value in _bson_values(data[position + 4 : position + length - 1])
            )
            position += length
        elif kind == 0x05:
            (length,) = struct.unpack_from("<i", data, position)
            yield name, f"{length} bytes"
            position += 5 + length
        elif kind == 0x07:
            yield name, data[position : position + 12].hex()
            position += 12
        elif kind == 0x0A:
            yield name, None
        else:
            return


READERS = [
    (lambda entry, data: entry.suffix in (".bson",), _bson),
    (is_tfrecord, _tfrecord),
]
