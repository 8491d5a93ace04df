"""Tests for paired comparisons; competitions are the units whose signs are flipped, seeds stay together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

LEVEL = 0.05
POWER = 0.8
FEWEST = 5  # competitions that are no draws; with fewer, no outcome of a test by competition is significant
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

    >>> round(sign_test(5, 0), 5)
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
    """A mean difference and where it lies with 95 % confidence; without bounds where too few competitions differ."""

    difference: float
    lower: float | None
    upper: float | None

    @property
    def excludes_zero(self) -> bool:
        """Whether no difference at all is outside."""
        return (self.lower is not None and self.lower > 0) or (self.upper is not None and self.upper < 0)

    @property
    def bounds(self) -> str:
        """The bounds in words, for tables."""
        if self.lower is None or self.upper is None:
            return "too few competitions differ for an interval"
        return f"95 % from {self.lower:+.2f} to {self.upper:+.2f}"


def flip_interval(differences: ArrayLike, *, seed: int = 0) -> Interval:
    """All mean differences that the sign-flip test would not reject; each value is the mean over a competition's seeds.

    A flip of a subset of the signs leads farther than what was observed if, and only if, the mean of that subset is
    beyond the hypothesis; so the bounds are quantiles of the means of all subsets (Hartigan's typical values), or of a
    random choice of them. Where fewer than FEWEST competitions differ no hypothesis can be rejected: no bounds.

    >>> flip_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    Interval(difference=3.0, lower=1.0, upper=5.0)
    """
    import numpy as np

    values = np.asarray(differences, dtype=float)
    middle = float(values.mean())
    if np.count_nonzero(values) < FEWEST:
        return Interval(middle, None, None)
    signs, _ = _flips(len(values), seed)
    chosen = (signs < 0).astype(float)
    chosen = chosen[chosen.any(axis=1)]
    means = np.sort(chosen @ values / chosen.sum(axis=1))
    place = math.ceil(LEVEL / 2 * (len(means) + 1) - 0.5)  # the flip that was observed counts by half
    return Interval(middle, float(means[place - 1]), float(means[-place]))


def detectable_difference(differences: ArrayLike) -> float | None:
    """The mean difference that as many competitions with this spread show four times out of five; None without spread.

    >>> round(detectable_difference([-10.0, 5.0, 10.0, 20.0, -20.0]) or 0.0, 1)
    26.5
    """
    import numpy as np
    from scipy.stats import t

    values = np.asarray(differences, dtype=float)
    if np.count_nonzero(values) < FEWEST or not values.std():
        return None
    freedom = len(values) - 1
    reach = t.ppf(1 - LEVEL / 2, freedom) + t.ppf(POWER, freedom)
    return float(reach * values.std(ddof=1) / math.sqrt(len(values)))


def least_p_value(not_drawn: int) -> float:
    """The smallest p-value that sign flips or the sign test can give if this number of competitions are no draws."""
    return 0.5**not_drawn


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction for several tests: p-values that may be compared with one level each.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, largest = [1.0] * len(p_values), 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = largest
    return adjusted
