"""Pictures as features: a small copy of the picture, in colour or grey, its colours, its edges, and its size."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

SIDE, GREY_SIDE = (
    12,
    16,
)  # pixels of the small copy, which has one channel in place of three where all pictures are grey
EDGE_SIDE, CELLS, DIRECTIONS = 48, 4, 8
_COLOURS, _GREYS = 3 * SIDE**2, GREY_SIDE**2  # features of the two small copies, which come first
TONES = 8
LARGEST = 200_000_000  # pixels; a larger picture is not opened

Vector = NDArray[np.float32]


def picture_features(content: bytes) -> Vector:
    """A row of numbers, the same count for every picture, whatever its size and colours; see `with_one_copy`."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = LARGEST
    with Image.open(io.BytesIO(content)) as picture:
        width, height = picture.size
        picture.draft("RGB", (2 * EDGE_SIDE, 2 * EDGE_SIDE))  # lets JPEG files be decoded at a fraction of their size
        if picture.mode.startswith(("I", "F")):  # more than 8 bits per pixel, which a conversion would cut off
            values = np.asarray(picture, dtype=np.float64)
            spread = float(values.max() - values.min()) or 1.0
            colours = Image.fromarray(((values - values.min()) / spread * 255).astype(np.uint8)).convert("RGB")
        else:
            colours = picture.convert("RGB")
    medium = np.asarray(colours.resize((EDGE_SIDE, EDGE_SIDE), Image.Resampling.BILINEAR), dtype=np.float32) / 255
    small = np.asarray(colours.resize((SIDE, SIDE), Image.Resampling.BOX), dtype=np.float32) / 255
    grey = np.asarray(colours.convert("L").resize((GREY_SIDE, GREY_SIDE), Image.Resampling.BOX), dtype=np.float32) / 255
    tones = [np.histogram(medium[..., channel], bins=TONES, range=(0, 1))[0] / EDGE_SIDE**2 for channel in range(3)]
    shape = [width, height, width / height, *medium.mean((0, 1)), *medium.std((0, 1))]
    return np.concatenate([small.ravel(), grey.ravel(), *tones, _edges(medium.mean(axis=2)), shape]).astype(np.float32)


def with_one_copy(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], int]:
    """The features of many pictures with one of the two small copies, and how many of them are that copy.

    It comes first. Where no picture has colours, the grey copy shows more detail in fewer numbers.
    """
    red, green, blue = (rows[:, channel:_COLOURS:3] for channel in range(3))
    is_grey = bool(np.allclose(red, green, equal_nan=True) and np.allclose(red, blue, equal_nan=True))
    if is_grey:
        return rows[:, _COLOURS:], _GREYS
    return np.hstack([rows[:, :_COLOURS], rows[:, _COLOURS + _GREYS :]]), _COLOURS


def _edges(grey: Vector) -> Vector:
    """How strong edges are in each direction, cell by cell: a histogram of oriented gradients."""
    down, right = np.gradient(grey)
    strength, direction = np.hypot(down, right), np.arctan2(down, right) % np.pi
    slots = np.minimum((direction / np.pi * DIRECTIONS).astype(int), DIRECTIONS - 1)
    cell = np.arange(EDGE_SIDE) * CELLS // EDGE_SIDE
    places = (cell[:, None] * CELLS + cell[None, :]) * DIRECTIONS + slots
    sums = np.bincount(places.ravel(), strength.ravel(), CELLS * CELLS * DIRECTIONS)
    return np.asarray(sums / (np.linalg.norm(sums) + 1e-6), dtype=np.float32)
