"""The pictures in a file: the picture, each of its colours and its transparency, its pages, the slices of an array."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.entries import DAMAGED, Entry

Grey = NDArray[np.float64]
_MOST_BYTES = 64 << 20
_MOST_PIXELS = 40_000_000  # of a picture, and of a stack
_MOST_PAGES = 50
_FEW_BANDS = 4


def picture_of(entry: Entry) -> Grey | None:
    """The first picture in a file; None where it has none."""
    return next(frames(entry), None)


def frames(entry: Entry) -> Iterator[Grey]:
    """All pictures in a file, the whole one first."""
    try:
        data = entry.read(_MOST_BYTES)
        if data[:6] == b"\x93NUMPY":
            yield from _slices(np.load(io.BytesIO(data), allow_pickle=False).squeeze())
        else:
            yield from _pages(data)
    except (*DAMAGED, SyntaxError, TypeError):
        return


def _slices(array: Any) -> Iterator[Grey]:
    """An array that is a picture, or a stack of them along its first or its last axis."""
    if array.dtype.kind not in "iufb" or array.size > _MOST_PIXELS:
        return
    if array.ndim == 2:
        yield array.astype(float)
    elif array.ndim == 3:
        is_first = array.shape[1] == array.shape[2] or array.shape[2] > _FEW_BANDS
        for axis in (0, 2) if len(set(array.shape)) < 3 else (0,) if is_first else (2,):
            yield from (part.astype(float) for part in np.moveaxis(array, axis, 0))


def _pages(data: bytes) -> Iterator[Grey]:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as picture:
        if picture.width * picture.height > _MOST_PIXELS:
            return
        pages = min(getattr(picture, "n_frames", 1), _MOST_PAGES, _MOST_PIXELS // (picture.width * picture.height))
        for page in range(max(pages, 1)):
            if page:
                picture.seek(page)
            yield np.asarray(picture.convert("F"), dtype=float)
            pixels = np.asarray(picture)
            if pixels.ndim == 3 and pixels.shape[2] <= _FEW_BANDS:
                yield from (pixels[..., band].astype(float) for band in range(pixels.shape[2]))
