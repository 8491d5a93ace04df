"""Metrics of ranked lists."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import ArrayLike


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
