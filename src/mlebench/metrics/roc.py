"""Metrics of how well scores rank positives above negatives."""

from __future__ import annotations

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
