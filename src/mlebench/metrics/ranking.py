"""Metrics of ranked lists."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def mean_average_precision_at_k(
    actual: Sequence[AbstractSet[str]], predicted: Sequence[Sequence[str]], k: int
) -> float:
    """Mean over rows of the average precision of the first k items of a ranked list (MAP@k).

    An item that is true and has not occurred earlier in the list is a hit; each hit adds the share of hits down to its
    rank, and the sum is divided by the number of true items, at most k. A row without true items counts 0. The names
    of the arguments are those of the published benchmark, where other projects import this function from.

    >>> mean_average_precision_at_k([{"a", "b"}], [["a", "x", "b"]], k=3)
    0.8333333333333333
    """
    return sum(map(_average_precision, actual, predicted, [k] * len(actual))) / len(actual)


def _average_precision(truth: AbstractSet[str], ranked: Sequence[str], k: int) -> float:
    if not truth:
        return 0.0
    hits, total = 0, 0.0
    remaining = set(truth)
    for rank, item in enumerate(ranked[:k], start=1):
        if item in remaining:
            remaining.remove(item)
            hits += 1
            total += hits / rank
    return total / min(len(truth), k)


def ndcg_at_k(relevance: ArrayLike, scores: ArrayLike, k: int) -> float:
    """Normalised discounted cumulative gain of the k items that are scored highest, the mean over rows.

    Both sides have a row per query and a column per item: how relevant it is (0 or more), and its score. An item at
    rank r adds its relevance divided by log2(1 + r); the sum is divided by the largest one possible. A row without a
    relevant item counts 0; items of equal score share the mean of their gains.

    >>> round(ndcg_at_k([[3, 2, 0]], [[0.1, 0.9, 0.5]], k=2), 6)
    0.469279
    """
    gains, values = np.atleast_2d(np.asarray(relevance, dtype=np.float64)), np.atleast_2d(np.asarray(scores))
    discounts = np.zeros(gains.shape[1])
    discounts[:k] = 1 / np.log2(2 + np.arange(min(k, gains.shape[1])))
    rows = [_dcg(gain, value, discounts) for gain, value in zip(gains, values, strict=True)]
    best = np.sort(gains, axis=1)[:, ::-1] @ discounts
    return float(np.mean([dcg / most if most > 0 else 0.0 for dcg, most in zip(rows, best, strict=True)]))


def _dcg(gains: NDArray[np.float64], scores: NDArray[Any], discounts: NDArray[np.float64]) -> float:
    """The gains of one row, those of equal scores averaged, times the discounts of their ranks."""
    _, group = np.unique(-scores, return_inverse=True)
    counts = np.bincount(group)
    last = np.cumsum(counts)
    upto = np.concatenate([[0.0], np.cumsum(discounts)])
    return float(np.sum(np.bincount(group, weights=gains) / counts * (upto[last] - upto[last - counts])))


def top_k_accuracy(truth: Sequence[Hashable], predicted: Sequence[Sequence[Hashable]], k: int) -> float:
    """Share of rows whose true class is among the first k of a ranked list.

    >>> top_k_accuracy(["a", "b"], [["x", "a"], ["x", "y", "b"]], k=2)
    0.5
    """
    return sum(true in ranked[:k] for true, ranked in zip(truth, predicted, strict=True)) / len(truth)


def pooled_kendall_tau(truth: Sequence[Sequence[Hashable]], predicted: Sequence[Sequence[Hashable]]) -> float:
    """Kendall's tau of predicted orders, pooled over rows: 1 - 4 S / N.

    S is the number of pairs of items that are in the wrong order, N the sum of n (n - 1) for rows of n items, both over
    all rows, so that long rows weigh more. Both orders of a row have the same distinct items. 1 is perfect, -1 is every
    row reversed.

    >>> pooled_kendall_tau([["a", "b", "c"], ["x", "y"]], [["b", "a", "c"], ["x", "y"]])
    0.5
    """
    wrong = sum(map(_discordant_pairs, truth, predicted))
    return 1 - 4 * wrong / sum(len(items) * (len(items) - 1) for items in truth)


def _discordant_pairs(truth: Sequence[Hashable], predicted: Sequence[Hashable]) -> int:
    """How many pairs of items the two orders disagree on."""
    places = {item: place for place, item in enumerate(predicted)}
    # Items in true order; each one is wrong with respect to those before it whose predicted place is later. Moving the
    # tail of a sorted list is so quick that anything cleverer pays off only for rows of many thousand items.
    before: list[int] = []
    wrong = 0
    for item in truth:
        place = places[item]
        wrong += len(before) - bisect_right(before, place)
        insort(before, place)
    return wrong


def lwlrap(truth: ArrayLike, scores: ArrayLike) -> float:
    """Label-weighted label-ranking average precision: how high the true labels of each row are ranked.

    `truth` has a row per item and a column per label, 1 where the label is true; `scores` has the same shape. For each
    true label of a row, the share of true labels among all labels of the row that are scored at least as high; the mean
    of these shares over all true labels of all rows. A row without true labels does not count.

    >>> lwlrap([[1, 0, 1], [0, 1, 0]], [[0.9, 0.8, 0.1], [0.2, 0.7, 0.5]])
    0.8888888888888888
    """
    true, values = np.asarray(truth, dtype=bool), np.asarray(scores, dtype=np.float64)
    rows, labels = np.nonzero(true)
    at_least = values[rows] >= values[rows, labels][:, None]
    return float(np.mean((at_least & true[rows]).sum(axis=1) / at_least.sum(axis=1)))
