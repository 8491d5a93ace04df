"""Metrics for masks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

IOU_THRESHOLDS: NDArray[np.float64] = np.asarray(0.5 + 0.05 * np.arange(10), dtype=np.float64)


def intersection_over_union(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Pixels in both masks over pixels in either; two empty masks count 1.

    >>> intersection_over_union([True, True, False], [True, False, True])
    0.3333333333333333
    """
    left, right = np.asarray(truth, dtype=bool), np.asarray(predicted, dtype=bool)
    union = int(np.count_nonzero(left | right))
    return float(np.count_nonzero(left & right) / union) if union else 1.0


def share_of_thresholds_passed(iou: ArrayLike, thresholds: ArrayLike = IOU_THRESHOLDS) -> NDArray[np.float64]:
    """For each intersection over union, the share of thresholds that it strictly exceeds.

    >>> share_of_thresholds_passed([0.5, 0.72, 1.0]).tolist()
    [0.0, 0.5, 1.0]
    """
    passed = np.asarray(iou, dtype=np.float64)[:, None] > np.asarray(thresholds)[None, :]
    return np.asarray(passed.mean(axis=1), dtype=np.float64)
