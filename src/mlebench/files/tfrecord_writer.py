"""Writing TFRecord files without some of their features, and without TensorFlow.

Records are those of `mlebench.files.tfrecord_reader`. A record that loses a feature gets new lengths and checksums;
nothing in it is decoded. The checksum is CRC-32C, masked as TFRecord files have it.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mlebench.files.tfrecord_reader import Span, fields_of, first_key, mapped_records

_POLYNOMIAL = 0x82F63B78
_STRIPES = 256  # parts of a record whose checksums are computed side by side
_SMALL = 4096  # bytes that are not worth stripes


def copy_without(source: Path, target: Path, features: Collection[str]) -> None:
    """Copy a TFRecord file; its records lose the features with these names."""
    names = {name.encode() for name in features}
    with target.open("wb") as file, mapped_records(source) as (data, records):
        for record in records:
            content = _without(data, record, names)
            length = struct.pack("<Q", len(content))
            file.write(length + _masked(length) + content + _masked(content))


def _without(data: bytes, record: Span, names: set[bytes]) -> bytes:
    """An example whose map of features lacks the entries with these keys."""
    parts = []
    for number, whole, inner in fields_of(data, record):
        if number != 1:
            parts.append(data[slice(*whole)])
            continue
        kept = b"".join(
            data[slice(*entry)] for _, entry, content in fields_of(data, inner) if first_key(data, content) not in names
        )
        parts.append(b"\x0a" + _varint(len(kept)) + kept)
    return b"".join(parts)


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    return bytes([*written, value])


def _masked(content: bytes) -> bytes:
    value = crc32c(content)
    return struct.pack("<I", ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def crc32c(content: bytes) -> int:
    """The CRC-32C of some bytes.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    state = 0xFFFFFFFF
    if len(content) >= _SMALL:
        # The checksum of a whole follows from those of its parts: equal parts are done side by side, then joined.
        length = len(content) // _STRIPES
        stripes = np.frombuffer(content, np.uint8, length * _STRIPES).reshape(_STRIPES, length)
        states = np.zeros(_STRIPES, np.uint32)
        table = _table()
        for column in stripes.T:
            states = table[(states ^ column) & 0xFF] ^ (states >> np.uint32(8))
        shift = _behind_zeros(length)
        for part in states.tolist():
            state = _applied(shift, state) ^ part
        content = content[length * _STRIPES :]
    entries = _table().tolist()
    for byte in content:
        state = entries[(state ^ byte) & 0xFF] ^ (state >> 8)
    return state ^ 0xFFFFFFFF


@cache
def _table() -> NDArray[np.uint32]:
    values = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        values = np.where(values & 1, (values >> np.uint32(1)) ^ np.uint32(_POLYNOMIAL), values >> np.uint32(1))
    return values.astype(np.uint32)


@cache
def _behind_zeros(length: int) -> tuple[int, ...]:
    """What `length` zero bytes make of each single bit of a state: states are joined by adding such rows."""
    # One zero byte first; then by squaring, as a number is raised to a power.
    entries = _table().tolist()
    power = tuple(entries[(1 << bit) & 0xFF] ^ ((1 << bit) >> 8) for bit in range(32))
    result = tuple(1 << bit for bit in range(32))
    while length:
        if length & 1:
            result = tuple(_applied(power, value) for value in result)
        power = tuple(_applied(power, value) for value in power)
        length >>= 1
    return result


def _applied(rows: tuple[int, ...], state: int) -> int:
    value, bit = 0, 0
    while state:
        if state & 1:
            value ^= rows[bit]
        state >>= 1
        bit += 1
    return value
