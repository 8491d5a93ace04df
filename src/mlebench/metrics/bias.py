"""Metrics of how evenly a model serves groups of people."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mlebench.metrics.roc import roc_auc

POWER = -5.0  # so that the worst group weighs most


def bias_auc(truth: ArrayLike, scores: ArrayLike, groups: ArrayLike) -> float:
    """Mean of the overall AUC and of three power means, over groups, of AUCs that reveal bias.

    `truth` has 1 for a positive; `groups` has one column per group, 1 for its members. The three kinds of AUC are on
    the members of a group, on its negatives with the positives of the rest, and on its positives with the negatives of
    the rest. A group with an AUC of 0 makes its power mean 0.

    >>> bias_auc([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.1], [[1], [1], [0], [0]])
    0.6875
    """
    positive, members = np.asarray(truth).astype(bool), np.asarray(groups).astype(bool)
    values = np.asarray(scores, dtype=np.float64)
    same_side = members == positive[:, None]
    kinds = (members, ~same_side, same_side)
    means = [_power_mean([roc_auc(positive[rows], values[rows]) for rows in kind.T]) for kind in kinds]
    return float(np.mean([roc_auc(positive, values), *means]))


def _power_mean(values: list[float]) -> float:
    data: NDArray[np.float64] = np.array(values)
    with np.errstate(divide="ignore"):
        return float(np.mean(data**POWER) ** (1 / POWER))
