"""Run lengths of masks, column by column, positions from 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def encode_columns(mask: NDArray[np.bool_]) -> str:
    """The run lengths of a mask read top to bottom, then left to right.

    >>> encode_columns(np.array([[True, False], [True, True]]))
    '1 2 4 1'
    """
    flat = np.concatenate([[0], mask.T.flatten(), [0]]).astype(int)
    edges = np.flatnonzero(np.diff(flat)) + 1
    return " ".join(f"{start} {end - start}" for start, end in zip(edges[::2], edges[1::2], strict=True))


def decode_columns(runs: str, height: int, width: int) -> NDArray[np.bool_]:
    """The mask that run lengths stand for."""
    mask = np.zeros(height * width, bool)
    values = [int(number) for number in runs.split()]
    for start, length in zip(values[::2], values[1::2], strict=True):
        mask[start - 1 : start - 1 + length] = True
    return mask.reshape(width, height).T
