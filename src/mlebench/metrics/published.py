"""Metrics under the names and with the arguments that competitions written for the published benchmark use."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike


def dice_coefficient(y_true: ArrayLike, y_pred: ArrayLike, both_empty_value: float = math.nan) -> float:
    """The Dice coefficient of two masks, arrays of truth values of any shape; ours is `dice`, which works on runs.

    >>> dice_coefficient([[1, 1], [0, 0]], [[1, 0], [1, 0]])
    0.5
    """
    left, right = np.asarray(y_true, dtype=bool), np.asarray(y_pred, dtype=bool)
    total = int(np.count_nonzero(left)) + int(np.count_nonzero(right))
    return 2 * int(np.count_nonzero(left & right)) / total if total else both_empty_value
