"""Small DICOM files for synthetic archives, explicit little-endian, without a DICOM library."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import TypeAlias

# group, element, value representation, value; a whole number is packed as unsigned short
Element: TypeAlias = tuple[int, int, str, str | bytes | int]

LITTLE_ENDIAN: Element = (0x02, 0x10, "UI", "1.2.840.10008.1.2.1")
_LONG = {"OB", "OW", "UN", "UT", "SQ"}  # representations with a 4-byte length
_ZERO_PADDED = {"UI", "OB", "OW"}


def dicom(elements: Iterable[Element], meta: Iterable[Element] = (LITTLE_ENDIAN,)) -> bytes:
    """A DICOM file of these data elements, which are in ascending order; `meta` is its file meta group."""
    head = b"".join(_encoded(each) for each in meta)
    length = _encoded((0x02, 0x00, "UL", struct.pack("<I", len(head))))
    return b"\0" * 128 + b"DICM" + length + head + b"".join(_encoded(each) for each in elements)


def _encoded(element: Element) -> bytes:
    group, number, kind, value = element
    if isinstance(value, int):
        content = struct.pack("<H", value)
    else:
        content = value.encode() if isinstance(value, str) else value
    if len(content) % 2:
        content += b"\0" if kind in _ZERO_PADDED else b" "
    size = struct.pack("<HI", 0, len(content)) if kind in _LONG else struct.pack("<H", len(content))
    return struct.pack("<HH", group, number) + kind.encode() + size + content
