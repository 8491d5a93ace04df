"""Metrics for predicted classes and probabilities."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import ArrayLike, NDArray


def accuracy(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Share of predictions that equal the truth.

    >>> accuracy([1, 0, 1, 1], [1, 1, 1, 0])
    0.5
    """
    return float(np.mean(np.asarray(truth) == np.asarray(predicted)))


def kl_divergence(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Mean over rows of the Kullback-Leibler divergence of predicted from true distributions.

    A term whose true share is 0 counts 0, and so does a term that is not a number. A prediction of 0 where the true
    share is positive makes the result infinite; clip beforehand if that is not wanted.

    >>> round(kl_divergence([[0.5, 0.5]], [[0.25, 0.75]]), 6)
    0.143841
    """
    shares = np.asarray(truth, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(shares != 0, shares * np.log(shares / np.asarray(predicted, dtype=np.float64)), 0.0)
    return float(np.mean(np.nansum(terms, axis=1)))


# Probabilities are kept this far from 0 and 1: the machine epsilon, as scikit-learn does for float64.
EPSILON = float(np.finfo(np.float64).eps)


def log_loss(truth: ArrayLike, predicted: ArrayLike, *, epsilon: float = EPSILON) -> float:
    """Mean of -ln(predicted probability of the true class), probabilities clipped to [epsilon, 1 - epsilon].

    `truth` has one column per class, 1 for the true one; `predicted` the probabilities, which are not rescaled.

    >>> round(log_loss([[1, 0], [0, 1]], [[0.5, 0.5], [0.25, 0.75]]), 6)
    0.490415
    """
    clipped = np.clip(np.asarray(predicted, dtype=np.float64), epsilon, 1 - epsilon)
    return float(np.mean(-(np.asarray(truth, dtype=np.float64) * np.log(clipped)).sum(axis=1)))


def binary_log_loss(truth: ArrayLike, predicted: ArrayLike, *, epsilon: float = EPSILON) -> float:
    """Log loss of the predicted probability of class 1 against 0/1 truth.

    >>> round(binary_log_loss([1, 0], [0.5, 0.25]), 6)
    0.490415
    """
    positive = np.asarray(predicted, dtype=np.float64)
    true = np.asarray(truth, dtype=np.float64)
    both = np.column_stack([1 - true, true]), np.column_stack([1 - positive, positive])
    return log_loss(*both, epsilon=epsilon)


def quadratic_weighted_kappa(
    truth: ArrayLike, predicted: ArrayLike, *, ratings: Sequence[float] | None = None
) -> float:
    """Agreement of two ratings beyond chance, disagreements weighted by the square of their distance.

    The distance of two ratings is that of their positions among `ratings`, or if these are not given among all that
    occur on either side.

    >>> quadratic_weighted_kappa([0, 1, 2, 2], [0, 2, 2, 1])
    0.6363636363636364
    """
    left, right = np.asarray(truth), np.asarray(predicted)
    if ratings is None:
        labels, codes = np.unique(np.concatenate([left, right]), return_inverse=True)
    else:
        labels = np.sort(np.asarray(ratings))
        codes = np.searchsorted(labels, np.concatenate([left, right]))
    count = len(labels)
    observed = np.zeros((count, count))
    np.add.at(observed, (codes[: len(left)], codes[len(left) :]), 1)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / observed.sum()
    weights = (np.arange(count)[:, None] - np.arange(count)[None, :]) ** 2
    with np.errstate(invalid="ignore"):
        return float(1 - np.sum(weights * observed) / np.sum(weights * expected))


def macro_f1(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Mean over classes of the F1 score; the classes are those that occur in the truth or among the predictions.

    A class without a single right prediction counts 0, as with scikit-learn.

    >>> macro_f1([0, 0, 1], [0, 1, 1])
    0.6666666666666666
    """
    return float(np.mean(_f1_of_classes(*_counts(truth, predicted))))


def weighted_f1(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Mean of the F1 scores of the classes, each weighted by how often the class is true.

    >>> weighted_f1([0, 0, 0, 1], [0, 0, 1, 1])
    0.7666666666666667
    """
    right, true, guessed = _counts(truth, predicted)
    return float(np.average(_f1_of_classes(right, true, guessed), weights=true))


def f1(truth: ArrayLike, predicted: ArrayLike, *, positive: Hashable = 1) -> float:
    """F1 score of one class, the positive one: the harmonic mean of its precision and its recall; 0 if none is right.

    The F1 score over all rows and classes (`micro`), where each row has one class, is the accuracy.

    >>> f1([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    true, guessed = np.asarray(truth) == positive, np.asarray(predicted) == positive
    both = int(np.count_nonzero(true & guessed))
    return 2 * both / (int(np.count_nonzero(true)) + int(np.count_nonzero(guessed))) if both else 0.0


def balanced_accuracy(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Mean over the true classes of the share of a class that is predicted right, so that rare ones count as much.

    >>> balanced_accuracy([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    right, true, _ = _counts(truth, predicted)
    return float(np.mean(right[true > 0] / true[true > 0]))


def _counts(truth: ArrayLike, predicted: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For each class that occurs: how often it is predicted and right, how often it is true, how often predicted."""
    left, right = np.asarray(truth), np.asarray(predicted)
    labels, codes = np.unique(np.concatenate([left, right]), return_inverse=True)
    true, guessed = codes[: len(left)], codes[len(left) :]
    counted = (np.bincount(codes, minlength=len(labels)) for codes in (true[true == guessed], true, guessed))
    hits, occurrences, guesses = counted
    return hits, occurrences, guesses


def _f1_of_classes(
    right: NDArray[np.int64], true: NDArray[np.int64], guessed: NDArray[np.int64]
) -> NDArray[np.float64]:
    # 2 TP + FP + FN: how often a class is true plus how often it is predicted; never 0 for a class that occurs.
    return np.asarray(2 * right / (true + guessed))


def micro_f1_of_sets(truth: Sequence[AbstractSet[str]], predicted: Sequence[AbstractSet[str]]) -> float:
    """F1 over all pairs of row and label, where each row has a set of labels; 0 if nothing is right.

    >>> micro_f1_of_sets([{"a", "b"}, {"c"}], [{"a"}, {"c", "d"}])
    0.6666666666666666
    """
    both = sum(len(true & guessed) for true, guessed in zip(truth, predicted, strict=True))
    either = sum(map(len, truth)) + sum(map(len, predicted))
    return 2 * both / either if both else 0.0


def mean_f1_of_sets(truth: Sequence[AbstractSet[str]], predicted: Sequence[AbstractSet[str]]) -> float:
    """Mean over rows of the F1 of a row's labels, where each row has a set of them; 1 where both sets are empty.

    >>> mean_f1_of_sets([{"a", "b"}, {"c"}], [{"a"}, {"c", "d"}])
    0.6666666666666666
    """
    rows = zip(truth, predicted, strict=True)
    return float(
        np.mean([2 * len(true & guess) / (len(true) + len(guess)) if true or guess else 1 for true, guess in rows])
    )


def matthews(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Matthews (phi) correlation of predicted and true classes, two or more; 0 if either side is constant.

    With `c` right predictions of `s`, and `t` and `p` how often each class is true and predicted, it is
    (c s - t·p) / sqrt((s² - t·t) (s² - p·p)).

    >>> matthews([1, 1, 1, 0], [1, 0, 1, 1])
    -0.3333333333333333
    """
    left, right = np.asarray(truth), np.asarray(predicted)
    labels, codes = np.unique(np.concatenate([left, right]), return_inverse=True)
    true, guessed = codes[: len(left)], codes[len(left) :]
    t, p = (np.bincount(side, minlength=len(labels)).astype(np.float64) for side in (true, guessed))
    count, right_ones = float(len(true)), float(np.count_nonzero(true == guessed))
    spread = (count**2 - t @ t) * (count**2 - p @ p)
    return float((right_ones * count - t @ p) / np.sqrt(spread)) if spread else 0.0


def probabilistic_f1(truth: ArrayLike, predicted: ArrayLike) -> float:
    """F1 in which each probability, clipped to 0 to 1, counts as that much of a positive prediction.

    0 where precision or recall is not above 0, also where they are not numbers.

    >>> probabilistic_f1([1, 1, 0, 0], [1.0, 0.5, 0.5, 0.0])
    0.75
    """
    positive = np.asarray(truth).astype(bool)
    shares = np.clip(np.asarray(predicted, dtype=np.float64), 0, 1)
    found, false = float(shares[positive].sum()), float(shares[~positive].sum())
    if not (found > 0 and found + false > 0):
        return 0.0
    precision, recall = found / (found + false), found / int(positive.sum())
    return 2 * precision * recall / (precision + recall)


def weighted_log_loss(truth: ArrayLike, predicted: ArrayLike, weights: ArrayLike, *, epsilon: float = EPSILON) -> float:
    """Mean over rows of the weighted mean of the binary log losses of a row's labels.

    All three have a row per case and a column per label: 0/1 truth, the predicted probability of 1, clipped to
    [epsilon, 1 - epsilon], and a weight.

    >>> round(weighted_log_loss([[1, 0]], [[0.5, 0.25]], [[3, 1]]), 6)
    0.591781
    """
    true, weight = np.asarray(truth, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    clipped = np.clip(np.asarray(predicted, dtype=np.float64), epsilon, 1 - epsilon)
    losses = -(true * np.log(clipped) + (1 - true) * np.log(1 - clipped))
    return float(np.mean((weight * losses).sum(axis=1) / weight.sum(axis=1)))
