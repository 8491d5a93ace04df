"""Small DICOM files for synthetic archives, explicit little-endian, without a DICOM library."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

# group, element, value representation, value; a whole number is packed as unsigned short
Element: TypeAlias = tuple[int, int, str, str | bytes | int]

LITTLE_ENDIAN: Element = (0x02, 0x10, "UI", "1.2.840.10008.1.2.1")
_RADIOGRAPHY: tuple[Element, ...] = (
    (0x02, 0x01, "OB", b"\0\1"),
    (0x02, 0x02, "UI", "1.2.840.10008.5.1.4.1.1.1"),
    (0x02, 0x03, "UI", "1.2.3.4"),
    LITTLE_ENDIAN,
    (0x02, 0x12, "UI", "1.2.3"),
)
_LONG = {"OB", "OW", "UN", "UT", "SQ"}  # representations with a 4-byte length
_ZERO_PADDED = {"UI", "OB", "OW"}


def dicom(elements: Iterable[Element], meta: Iterable[Element] = (LITTLE_ENDIAN,)) -> bytes:
    """A DICOM file of these data elements, which are in ascending order; `meta` is its file meta group."""
    head = b"".join(_encoded(element) for element in meta)
    length = _encoded((0x02, 0x00, "UL", struct.pack("<I", len(head))))
    return b"\0" * 128 + b"DICM" + length + head + b"".join(_encoded(element) for element in elements)


def grey_pixels(
    pixels: NDArray[np.generic], *, bits: int = 16, signed: bool = False, inverted: bool = False
) -> list[Element]:
    """The elements of a grey picture of two bytes per pixel, `bits` of them in use; the pixels are the last element."""
    height, width = pixels.shape
    return [
        (0x28, 0x02, "US", 1),
        (0x28, 0x04, "CS", "MONOCHROME1" if inverted else "MONOCHROME2"),
        (0x28, 0x10, "US", height),
        (0x28, 0x11, "US", width),
        (0x28, 0x100, "US", 16),
        (0x28, 0x101, "US", bits),
        (0x28, 0x102, "US", bits - 1),
        (0x28, 0x103, "US", int(signed)),
        (0x7FE0, 0x10, "OW", pixels.astype("<i2" if signed else "<u2").tobytes()),
    ]


def radiograph(pixels: NDArray[np.generic], elements: Iterable[Element] = ()) -> bytes:
    """An X-ray picture of 12 bits per pixel; `elements` are those that come before the picture."""
    return dicom([*elements, *grey_pixels(pixels, bits=12)], _RADIOGRAPHY)


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
