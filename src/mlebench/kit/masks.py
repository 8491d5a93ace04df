"""Run-length encoded masks, as submissions carry them: "start length start length …", positions from 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlebench.errors import InvalidSubmissionError

_FAR = 1 << 62  # beyond every mask; two of them still add up within 64 bits


def integers(text: str) -> NDArray[np.int64]:
    """The blank-separated whole numbers of a cell."""
    try:
        return np.array(text.split(), dtype=np.int64)
    except (ValueError, OverflowError):
        raise InvalidSubmissionError(
            f"{text[:40]!r} is not a list of whole numbers separated by blanks (start length start length …)."
        ) from None


def fill_runs(starts: NDArray[np.int64], lengths: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    """A flat mask with the runs set, starts counted from 1; what is outside is cut off.

    A run without a positive length sets nothing.
    """
    # Each run adds 1 at its first pixel and takes it back after its last: the running sum counts the runs
    # that cover a pixel.
    change = np.zeros(size + 1, dtype=np.int64)
    first = np.clip(starts, -_FAR, _FAR) - 1
    np.add.at(change, np.clip(first, 0, size), 1)
    np.add.at(change, np.clip(first + np.clip(lengths, 0, _FAR), 0, size), -1)
    return np.asarray(np.cumsum(change[:-1]) > 0, dtype=np.bool_)


def require_orderly_runs(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
    """Starts ascend, runs are not empty, start at 1 or later and do not overlap."""
    if (starts <= 0).any():
        raise InvalidSubmissionError("A run starts before pixel 1; pixels are numbered from 1.")
    if (lengths <= 0).any():
        raise InvalidSubmissionError("A run has no length; every length must be at least 1.")
    if (np.diff(starts) < 0).any():
        raise InvalidSubmissionError("The runs of a mask are not in ascending order; sort them by their starts.")
    if (np.diff(starts) < lengths[:-1]).any():
        raise InvalidSubmissionError("Two runs of a mask overlap; every pixel may be listed once.")
