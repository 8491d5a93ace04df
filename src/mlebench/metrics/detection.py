"""Metrics for boxes found in pictures: how much boxes overlap, which of them match, and average precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

_RECALLS = np.linspace(0, 1, 101)
_TINY = np.spacing(1)  # keeps a precision of nothing from being 0/0


def rectangle_overlaps(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Intersection over union of upright rectangles, row by row; one is x_min, y_min, x_max, y_max along the last axis.

    0 where boxes do not overlap, or where a coordinate is not a finite number.

    >>> rectangle_overlaps([[0, 0, 2, 2], [0, 0, 1, 1]], [[1, 0, 3, 2], [1, 0, 2, 1]]).tolist()
    [0.3333333333333333, 0.0]
    """
    left, right = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        sides = np.minimum(left[..., 2:], right[..., 2:]) - np.maximum(left[..., :2], right[..., :2])
        shared = np.prod(np.maximum(sides, 0), axis=-1)
        union = np.prod(left[..., 2:] - left[..., :2], axis=-1) + np.prod(right[..., 2:] - right[..., :2], axis=-1)
        union = union - shared
        ratio = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    return np.asarray(np.where(np.isfinite(ratio), ratio, 0.0))


def greedy_matches(predictions: ArrayLike, boxes: ArrayLike, overlaps: ArrayLike) -> NDArray[np.bool_]:
    """Which pairs of a prediction and a true box become matches, where each may be part of one match only.

    Pairs are given as the numbers of both and their overlap, which should be large enough for a match. Predictions
    choose in the order of their numbers: each takes the free box with the largest overlap, the first of equals.

    >>> greedy_matches([0, 0, 1, 1], [0, 1, 0, 1], [0.6, 0.9, 0.7, 0.8]).tolist()
    [False, True, True, False]
    """
    prediction, box = np.asarray(predictions), np.asarray(boxes)
    order = np.lexsort((-np.asarray(overlaps, dtype=np.float64), prediction))
    matches = np.zeros(len(order), dtype=np.bool_)
    served, taken = set(), set()
    for pair, chooser, wanted in zip(order.tolist(), prediction[order].tolist(), box[order].tolist(), strict=True):
        if chooser not in served and wanted not in taken:
            matches[pair] = True
            served.add(chooser)
            taken.add(wanted)
    return matches


def average_precision(truth: ArrayLike, scores: ArrayLike) -> float:
    """Sum over distinct scores, from high to low, of the gain in recall times the precision there.

    The same as scikit-learn's average_precision_score; 0 without a positive.

    >>> average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.8333333333333333
    """
    positive, score = np.asarray(truth).astype(bool), np.asarray(scores, dtype=np.float64)
    order = np.argsort(-score, kind="stable")
    last_of_equals = np.append(np.diff(score[order]) != 0, True)[: len(order)]
    found = np.cumsum(positive[order])[last_of_equals]
    if not len(found) or not found[-1]:
        return 0.0
    precision = found / (np.flatnonzero(last_of_equals) + 1)
    return float(np.sum(np.diff(found, prepend=0) / found[-1] * precision))


def voc_average_precision(right: ArrayLike, scores: ArrayLike, positives: int) -> float:
    """Area below the best precision at each or a higher recall, as VOC computes it since 2010.

    What no detection finds of the `positives` lowers the recall that can be reached; equal scores are taken in the
    order given.

    >>> voc_average_precision([True, False, True], [0.9, 0.8, 0.7], 4)
    0.41666666666666663
    """
    order = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")
    hits = np.cumsum(np.asarray(right, dtype=np.float64)[order])
    precision = hits / np.arange(1, len(hits) + 1)
    best_from_here = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(np.diff(hits, prepend=0.0) / positives * best_from_here))


def interpolated_average_precision(scores: ArrayLike, right: ArrayLike, wrong: ArrayLike, positives: int) -> float:
    """Mean over the recalls 0, 0.01, …, 1 of the best precision at this or a higher recall, as COCO computes it.

    Detections that are neither right nor wrong do not count; equal scores are taken in the order given.

    >>> round(interpolated_average_precision([0.9, 0.8, 0.7], [True, False, True], [False, True, False], 2), 4)
    0.835
    """
    order = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")
    hits, misses = (np.cumsum(np.asarray(side, dtype=np.float64)[order]) for side in (right, wrong))
    recall = hits / positives
    precision = hits / (hits + misses + _TINY)
    best_from_here = np.maximum.accumulate(precision[::-1])[::-1]
    reached = np.searchsorted(recall, _RECALLS, side="left")
    return float(np.sum(best_from_here[reached[reached < len(recall)]]) / len(_RECALLS))
