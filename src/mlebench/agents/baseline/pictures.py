"""Pictures as features: a small copy of the picture, its colours, its edges, and its size."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

SIDE = 12  # pixels of the small copy
EDGE_SIDE, CELLS, DIRECTIONS = 48, 4, 8
SMALL_COPY = 3 * SIDE * SIDE  # features that are the small copy, which come first
TONES = 8
LARGEST = 200_000_000  # pixels; a larger picture is not opened

Vector = NDArray[np.float32]


def picture_features(content: bytes) -> Vector:
    """A row of numbers, the same count for every picture, whatever its size and colours."""
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
    tones = [np.histogram(medium[..., channel], bins=TONES, range=(0, 1))[0] / EDGE_SIDE**2 for channel in range(3)]
    shape = [width, height, width / height, *medium.mean((0, 1)), *medium.std((0, 1))]
    return np.concatenate([small.ravel(), *tones, _edges(medium.mean(axis=2)), shape]).astype(np.float32)


def _edges(grey: Vector) -> Vector:
    """How strong edges are in each direction, cell by cell: a histogram of oriented gradients."""
    down, right = np.gradient(grey)
    strength, direction = np.hypot(down, right), np.arctan2(down, right) % np.pi
    slots = np.minimum((direction / np.pi * DIRECTIONS).astype(int), DIRECTIONS - 1)
    cell = np.arange(EDGE_SIDE) * CELLS // EDGE_SIDE
    places = (cell[:, None] * CELLS + cell[None, :]) * DIRECTIONS + slots
    sums = np.bincount(places.ravel(), strength.ravel(), CELLS * CELLS * DIRECTIONS)
    return np.asarray(sums / (np.linalg.norm(sums) + 1e-6), dtype=np.float32)
