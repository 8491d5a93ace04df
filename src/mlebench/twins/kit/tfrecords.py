"""TFRecord files for synthetic archives, without TensorFlow."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

_CASTAGNOLI = 0x82F63B78  # the polynomial of CRC-32C, bits reversed
_MASK = 0xA282EAD8


def tfrecord(path: Path, records: Iterable[bytes]) -> None:
    """Write records with their lengths and checksums."""
    with path.open("wb") as file:
        for record in records:
            length = struct.pack("<Q", len(record))
            file.write(length + _checksum(length) + record + _checksum(record))


def example(features: Mapping[str, bytes | int]) -> bytes:
    """A tf.train.Example whose features are one byte string or one whole number each, in the order given."""
    return _field(1, b"".join(_feature(name, value) for name, value in features.items()))


def _feature(name: str, value: bytes | int) -> bytes:
    if isinstance(value, bytes):
        content = _field(1, _field(1, value))
    else:
        content = _field(3, _field(1, _varint(value)))
    return _field(1, _field(1, name.encode()) + _field(2, content))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


@cache
def _table() -> tuple[int, ...]:
    values = list(range(256))
    for _ in range(8):
        values = [value >> 1 ^ (_CASTAGNOLI if value & 1 else 0) for value in values]
    return tuple(values)


def _checksum(data: bytes) -> bytes:
    """The masked CRC-32C that frames every record."""
    table, crc = _table(), 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF)
