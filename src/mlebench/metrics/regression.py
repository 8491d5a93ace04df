"""Metrics for predicted numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def rmse(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Root of the mean squared difference.

    >>> rmse([1.0, 2.0, 3.0], [1.0, 2.0, 6.0])
    1.7320508075688772
    """
    difference = _differences(truth, predicted)
    return float(np.sqrt(np.mean(difference**2)))


def rmsle(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Root of the mean squared difference of log(1 + x); both sides must be 0 or more.

    >>> round(rmsle([0.0, 1.0], [0.0, 3.0]), 6)
    0.490129
    """
    left, right = np.asarray(truth, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    if (left < 0).any() or (right < 0).any():
        raise ValueError("a logarithmic error needs values of 0 or more")
    return rmse(np.log1p(left), np.log1p(right))


def mean_absolute_error(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Mean of the absolute differences.

    >>> mean_absolute_error([1.0, 2.0, 3.0], [1.0, 2.0, 6.0])
    1.0
    """
    difference = _differences(truth, predicted)
    return float(np.mean(np.abs(difference)))


def mean_squared_error(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Mean of the squared differences.

    >>> mean_squared_error([1.0, 2.0, 3.0], [1.0, 2.0, 6.0])
    3.0
    """
    difference = _differences(truth, predicted)
    return float(np.mean(difference**2))


def median_absolute_error(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Median of the absolute differences, which a few large ones do not move.

    >>> median_absolute_error([1.0, 2.0, 3.0], [1.5, 2.0, 60.0])
    0.5
    """
    difference = _differences(truth, predicted)
    return float(np.median(np.abs(difference)))


def mape(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Mean absolute percentage error as a share: 0.1 stands for 10 %. A true value of 0 counts as the machine epsilon.

    >>> mape([1.0, 2.0], [1.5, 2.0])
    0.25
    """
    true = np.asarray(truth, dtype=np.float64)
    error = np.abs(true - np.asarray(predicted, dtype=np.float64))
    return float(np.mean(error / np.maximum(np.abs(true), np.finfo(np.float64).eps)))


def smape(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Symmetric mean absolute percentage error, from 0 to 2: the mean of |t - p| / ((|t| + |p|) / 2).

    Where both are 0 the error is 0.

    >>> smape([1.0, 0.0], [3.0, 0.0])
    0.5
    """
    true, guessed = np.asarray(truth, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    size = np.abs(true) + np.abs(guessed)
    return float(np.mean(np.divide(2 * np.abs(true - guessed), size, out=np.zeros_like(size), where=size > 0)))


def r2(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Coefficient of determination: 1 is perfect, 0 is as good as the mean of the truth, and it may be negative.

    Where the truth is constant it is 1 for right predictions and 0 for others, as with scikit-learn.

    >>> r2([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
    0.5
    """
    true = np.asarray(truth, dtype=np.float64)
    left_over = float(np.sum((true - np.asarray(predicted, dtype=np.float64)) ** 2))
    spread = float(np.sum((true - true.mean()) ** 2))
    if spread == 0:
        return float(left_over == 0)
    return 1 - left_over / spread


def modified_laplace(
    truth: ArrayLike, predicted: ArrayLike, deviation: ArrayLike, *, least_deviation: float, largest_error: float
) -> float:
    """Mean log likelihood of a Laplace distribution around each prediction, with a predicted standard deviation.

    With s the deviation, at least `least_deviation`, and d the absolute error, at most `largest_error`, it is the mean
    of -sqrt(2) d / s - ln(sqrt(2) s).

    >>> round(modified_laplace([2000, 3000], [2000, 2900], [50, 100], least_deviation=70, largest_error=1000), 6)
    -5.480513
    """
    spread = np.maximum(np.asarray(deviation, dtype=np.float64), least_deviation)
    difference = _differences(truth, predicted)
    error = np.minimum(np.abs(difference), largest_error)
    return float(np.mean(-np.sqrt(2) * error / spread - np.log(np.sqrt(2) * spread)))


def mcrmse(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Mean over columns of the root of the mean squared difference; both sides have a row per item.

    >>> mcrmse([[1.0, 0.0], [2.0, 0.0]], [[1.0, 3.0], [2.0, -3.0]])
    1.5
    """
    difference = _differences(truth, predicted)
    return float(np.mean(np.sqrt(np.mean(difference**2, axis=0))))


def mean_log_group_error(truth: ArrayLike, predicted: ArrayLike, groups: ArrayLike, *, floor: float = 0.0) -> float:
    """Mean over groups of the natural logarithm of the group's mean absolute error.

    Every group weighs the same. A group without any error makes the result minus infinity, unless a `floor` is given
    that every mean error counts as at least.

    >>> mean_log_group_error([1.0, 2.0, 3.0], [2.0, 3.0, 4.0], ["a", "a", "b"])
    0.0
    """
    errors = np.abs(np.asarray(truth, dtype=np.float64) - np.asarray(predicted, dtype=np.float64))
    _, codes = np.unique(np.asarray(groups), return_inverse=True)
    with np.errstate(divide="ignore"):
        means = np.bincount(codes, weights=errors) / np.bincount(codes)
        return float(np.mean(np.log(np.maximum(means, floor))))


def _differences(truth: ArrayLike, predicted: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(truth, dtype=np.float64) - np.asarray(predicted, dtype=np.float64)
