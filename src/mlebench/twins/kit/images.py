"""Tiny pictures for synthetic archives."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def jpeg(pixels: NDArray[np.generic], *, quality: int = 60, optimize: bool = True) -> bytes:
    """A picture as JPEG bytes."""
    return _encoded(pixels, "JPEG", quality=quality, optimize=optimize)


def png(pixels: NDArray[np.generic], *, optimize: bool = True) -> bytes:
    """A picture as PNG bytes."""
    return _encoded(pixels, "PNG", optimize=optimize)


def tiff(pixels: NDArray[np.generic]) -> bytes:
    """A picture as uncompressed TIFF bytes."""
    return _encoded(pixels, "TIFF")


def bmp(pixels: NDArray[np.generic]) -> bytes:
    """A picture as uncompressed BMP bytes."""
    return _encoded(pixels, "BMP", dpi=(72, 72))


def tinted(rng: np.random.Generator, colour: NDArray[np.int64], height: int, width: int) -> NDArray[np.uint8]:
    """The pixels of a picture in one colour with a little noise, so that a classifier has something to learn."""
    noise = rng.integers(-25, 26, (height, width, 3))
    pixels: NDArray[np.uint8] = np.clip(colour + noise, 0, 255).astype(np.uint8)
    return pixels


def _encoded(pixels: NDArray[np.generic], kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, kind, **options)
    return buffer.getvalue()
