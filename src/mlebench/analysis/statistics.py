"""Tests for paired comparisons; competitions are the units that are flipped and drawn, seeds stay together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

RESAMPLES = 10_000
_EXACT_UP_TO = 13  # competitions: 2 ** 13 flips are fewer than the resamples


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact McNemar test: of the pairs in which one of two had success, are they even halves? The p-value.

    >>> mcnemar(0, 5)
    0.0625
    """
    if only_first + only_second == 0:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(only_first, only_first + only_second, 0.5).pvalue)


def sign_test(wins: int, losses: int) -> float:
    """The sign test: are wins and losses even halves? The mid-p-value; draws do not count.

    >>> sign_test(5, 0)
    0.03125
    """
    from scipy.stats import binom

    count, fewer = wins + losses, min(wins, losses)
    if 2 * fewer == count:
        return 1.0
    return float(2 * binom.cdf(fewer - 1, count, 0.5) + binom.pmf(fewer, count, 0.5))


def sign_flip(differences: ArrayLike, *, seed: int = 0) -> float:
    """The sign-flip permutation test: could the mean be this far from 0 if signs were coin tosses? The mid-p-value.

    All flips are tried for a few differences, else a random choice of them. Flips that lead exactly as far as what was
    observed count by half: with few competitions, or many draws, they are so frequent that the test would else reject
    equal agents much less often than its level says.

    >>> sign_flip([1.0, 1.0, 1.0])
    0.125
    """
    import numpy as np

    values = np.asarray(differences, dtype=float)
    not_drawn = values[values != 0.0]  # a draw has no sign to flip
    if not len(not_drawn):
        return 1.0
    if len(not_drawn) <= _EXACT_UP_TO:
        values = not_drawn
    signs, observed = _flips(len(values), seed)
    far = np.abs(signs @ values)
    at, tolerance = abs(values.sum()), 1e-12 * np.abs(values).sum()  # sums in another order
    farther = int((far > at + tolerance).sum())
    as_far = int((far >= at - tolerance).sum()) - farther
    return (farther + (as_far + observed) / 2) / (len(signs) + observed)


@lru_cache(maxsize=4)
def _flips(count: int, seed: int) -> tuple[NDArray[np.float64], int]:
    """(signs, one row per flip; how often the flip that was observed must be counted beside them)."""
    import numpy as np

    if count <= _EXACT_UP_TO:
        bits = np.arange(2**count)[:, None] >> np.arange(count) & 1
        return (1.0 - 2.0 * bits).astype(np.float64), 0
    # The flip that was observed counts as one of them, so that no p-value is 0.
    return np.random.default_rng(seed).choice([-1.0, 1.0], (RESAMPLES, count)), 1


@dataclass(frozen=True)
class Interval:
    """A mean difference and where it lies with 95 % confidence."""

    difference: float
    lower: float
    upper: float

    @property
    def excludes_zero(self) -> bool:
        """Whether no difference at all is outside."""
        return self.lower > 0 or self.upper < 0


def clustered_bootstrap(differences: ArrayLike, *, seed: int = 0) -> Interval:
    """The percentile bootstrap of a mean difference; each value is the mean over the seeds of one competition."""
    import numpy as np

    values = np.asarray(differences, dtype=float)
    drawn = np.random.default_rng(seed).integers(0, len(values), (RESAMPLES, len(values)))
    lower, upper = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return Interval(float(values.mean()), float(lower), float(upper))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction for several tests: p-values that may be compared with one level each.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, largest = [1.0] * len(p_values), 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda each: p_values[each])):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = largest
    return adjusted
