"""Metrics of how well scores rank positives above negatives."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray


def roc_auc(truth: ArrayLike, scores: ArrayLike) -> float:
    """Probability that a random positive is scored above a random negative, ties counting one half.

    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    positive = np.asarray(truth).astype(bool)
    positives = int(positive.sum())
    negatives = len(positive) - positives
    if positives == 0 or negatives == 0:
        raise ValueError("the area under the ROC curve needs both classes in the truth")
    ranks = average_ranks(np.asarray(scores, dtype=np.float64))
    above = float(ranks[positive].sum()) - positives * (positives + 1) / 2
    return above / (positives * negatives)


def weighted_auc(truth: ArrayLike, scores: ArrayLike, *, limits: Sequence[float], weights: Sequence[float]) -> float:
    """Area under the ROC curve, some bands of true positive rates counting more than others; at most 1.

    `limits` are the true positive rates that bound the bands, from 0 to 1 and one more than there are `weights`. A band
    counts as the area between its limits and right of the curve times its weight, and the sum is divided by the one
    that perfect scores have.

    >>> weighted_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], limits=[0, 0.5, 1], weights=[3, 1])
    0.875
    """
    false_rate, true_rate = _roc_curve(np.asarray(truth).astype(bool), np.asarray(scores, dtype=np.float64))
    # The curve gets a corner at every limit, so that cutting it off there leaves straight lines.
    corners = np.setdiff1d(limits, true_rate)
    where = np.searchsorted(true_rate, corners, side="right")
    false_rate = np.insert(false_rate, where, np.interp(corners, true_rate, false_rate))
    true_rate = np.insert(true_rate, where, corners)
    area = whole = 0.0
    for (low, high), weight in zip(pairwise(limits), weights, strict=True):
        height = np.clip(true_rate, low, high) - low
        area += weight * float(np.sum(np.diff(false_rate) * (height[1:] + height[:-1]) / 2))
        whole += weight * (high - low)
    return area / whole


def _roc_curve(positive: NDArray[np.bool_], scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """(false, true positive rates) from 0 to 1: a point for each distinct score as threshold, the highest first."""
    positives = int(positive.sum())
    negatives = len(positive) - positives
    if positives == 0 or negatives == 0:
        raise ValueError("the ROC curve needs both classes in the truth")
    order = np.argsort(-scores, kind="stable")
    descending = scores[order]
    last = np.append(np.flatnonzero(descending[1:] != descending[:-1]), len(scores) - 1)
    hits = np.cumsum(positive[order])[last]
    alarms = last + 1 - hits
    return np.append(0.0, alarms / negatives), np.append(0.0, hits / positives)


def average_ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1 in ascending order; equal values share the mean of their ranks.

    The same as scipy.stats.rankdata, which takes more than a second to import.

    >>> average_ranks([10, 30, 20, 20]).tolist()
    [1.0, 4.0, 2.5, 2.5]
    """
    data = np.asarray(values)
    order = np.argsort(data, kind="stable")
    ascending = data[order]
    first = np.concatenate([[True], ascending[1:] != ascending[:-1]])[: len(data)]
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], len(data))
    ranks = np.empty(len(data), dtype=np.float64)
    ranks[order] = np.repeat((starts + 1 + ends) / 2, ends - starts)
    return ranks


def mean_column_auc(truth: ArrayLike, scores: ArrayLike) -> float:
    """Mean over columns of the area under the ROC curve.

    >>> mean_column_auc([[0, 1], [1, 0]], [[0.1, 0.2], [0.9, 0.8]])
    0.5
    """
    left, right = np.asarray(truth), np.asarray(scores)
    return float(np.mean([roc_auc(left[:, column], right[:, column]) for column in range(left.shape[1])]))
