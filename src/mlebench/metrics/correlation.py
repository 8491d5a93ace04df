"""Metrics of how well predicted and true numbers rise and fall together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mlebench.metrics.roc import average_ranks


def pearson(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Linear correlation, between -1 and 1; not a number where one side is constant.

    >>> round(pearson([1.0, 2.0, 3.0], [10.0, 30.0, 20.0]), 12)
    0.5
    """
    left, right = _direction(truth), _direction(predicted)
    return float(np.clip(np.dot(left, right), -1, 1))


def _direction(values: ArrayLike) -> NDArray[np.float64]:
    """The differences from the mean, scaled to length 1."""
    data = np.asarray(values, dtype=np.float64)
    if (data == data[0]).all():  # the mean of equal numbers may differ from them in the last digit
        return np.full(len(data), np.nan)
    centred = data - data.mean()
    centred /= np.abs(centred).max()  # so that squares neither overflow nor vanish
    return np.asarray(centred / np.linalg.norm(centred))


def spearman(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Linear correlation of the ranks, where equal values share the mean of their ranks; texts can be ranked too.

    >>> round(spearman([0.1, 0.2, 0.3, 0.4], [1, 100, 10, 1000]), 12)
    0.8
    """
    return pearson(average_ranks(truth), average_ranks(predicted))
