"""Metrics of ranked lists."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet


def mean_average_precision_at_k(truth: Sequence[AbstractSet[str]], ranked: Sequence[Sequence[str]], k: int) -> float:
    """Mean over rows of the average precision of the first k items of a ranked list (MAP@k).

    An item that is true and has not occurred earlier in the list is a hit; each hit adds the share of hits down to its
    rank, and the sum is divided by the number of true items, at most k. A row without true items counts 0.

    >>> mean_average_precision_at_k([{"a", "b"}], [["a", "x", "b"]], k=3)
    0.8333333333333333
    """
    return sum(map(_average_precision, truth, ranked, [k] * len(truth))) / len(truth)


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
