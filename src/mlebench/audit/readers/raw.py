"""Bytes without a form that is known: numbers of one width, one after the other."""

from __future__ import annotations

import numpy as np

from mlebench.audit.entries import Entry
from mlebench.audit.readers.text import words_of
from mlebench.audit.table import Table, texts

_LARGEST = 1 << 20  # bytes
_NUMBERS = ("u1", "<i2", "<i4", "<i8", "<f4", "<f8")
_PROBE = 512  # bytes that tell a text from others
_TEXT = bytes([9, 10, 13, *range(32, 127)])
_KNOWN = (
    *(b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"RIFF", b"GIF8", b"BM", b"fLaC", b"ID3", b"FORM", b"OggS"),
    *(b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"7z\xbc\xaf", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"\x78\x9c", b"\x78\xda"),
    *(b"PAR1", b"ARROW1", b"ORC", b"\x93NUMPY", b"MATLAB", b"SQLite", b"<stata", b"\x89HDF", b"CDF", b"%PDF", b"\x80"),
)


def _is_raw(entry: Entry, data: bytes) -> bool:
    probe = data[:_PROBE]
    if not 12 <= len(data) <= _LARGEST or data.startswith(_KNOWN) or data[128:132] == b"DICM":
        return False
    return len(probe.translate(None, _TEXT)) > 0.2 * len(probe) and not _is_utf(data)


def _is_utf(data: bytes) -> bool:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not any(byte < 9 for byte in data[:_PROBE])


def _raw(entry: Entry, data: bytes) -> list[Table]:
    found: list[Table] = []
    for kind in _NUMBERS:
        width = np.dtype(kind).itemsize
        if len(data) % width == 0 and len(data) >= 12 * width:
            numbers = np.frombuffer(data, kind)
            with np.errstate(all="ignore"):
                is_finite = bool(np.isfinite(numbers.astype(np.float64)).all())
            if is_finite:
                found.append(Table(entry.name, {f"numbers of {8 * width} bits": texts(numbers.tolist())}, keys=()))
    return [*found, *words_of(entry, data)]


READERS = [(_is_raw, _raw)]
