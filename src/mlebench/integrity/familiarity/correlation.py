"""Correlations with 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

FEWEST = 4  # pairs from which an interval can be computed
_NORMAL = 1.959963984540054  # the 97.5 % quantile


@dataclass(frozen=True)
class Correlation:
    """A coefficient and where it is with 95 % confidence; None where there is too little for one."""

    coefficient: float | None
    lower: float | None
    upper: float | None

    def __str__(self) -> str:
        if self.coefficient is None:
            return "not defined"
        if self.lower is None or self.upper is None:
            return f"{self.coefficient:+.2f}, too few competitions for an interval"
        return f"{self.coefficient:+.2f}, 95 % from {self.lower:+.2f} to {self.upper:+.2f}"


def pearson(first: Sequence[float], second: Sequence[float]) -> Correlation:
    """Pearson's correlation, with an interval by Fisher's transformation.

    >>> str(pearson([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]))
    '+0.80, 95 % from -0.28 to +0.99'
    """
    return _with_interval(_coefficient(first, second), len(first), variance=1.0)


def spearman(first: Sequence[float], second: Sequence[float]) -> Correlation:
    """Spearman's rank correlation, with Bonett and Wright's interval.

    >>> str(spearman([1, 2, 3], [10, 20, 40]))
    '+1.00, too few competitions for an interval'
    """
    coefficient = _coefficient(_ranks(first), _ranks(second))
    return _with_interval(coefficient, len(first), variance=1.0 + (coefficient or 0.0) ** 2 / 2.0)


def _with_interval(coefficient: float | None, count: int, *, variance: float) -> Correlation:
    if coefficient is None or count < FEWEST:
        return Correlation(coefficient, None, None)
    if abs(coefficient) >= 1.0 - 1e-12:
        return Correlation(coefficient, coefficient, coefficient)
    middle = math.atanh(coefficient)
    reach = _NORMAL * math.sqrt(variance / (count - 3))
    return Correlation(coefficient, math.tanh(middle - reach), math.tanh(middle + reach))


def _coefficient(first: Sequence[float], second: Sequence[float]) -> float | None:
    """None for fewer than two pairs, or where one side is always the same."""
    count = len(first)
    if count < 2:
        return None
    means = math.fsum(first) / count, math.fsum(second) / count
    one, two = [value - means[0] for value in first], [value - means[1] for value in second]
    spread = math.sqrt(math.fsum(value * value for value in one)) * math.sqrt(math.fsum(value * value for value in two))
    if not spread > 0.0 or not math.isfinite(spread):
        return None
    return max(-1.0, min(1.0, math.fsum(a * b for a, b in zip(one, two, strict=True)) / spread))


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of theirs."""
    order = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(order, start=1)))}
    last = {value: place for place, value in enumerate(order, start=1)}
    return [(first[value] + last[value]) / 2 for value in values]
