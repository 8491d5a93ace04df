"""How well one column predicts another: the power of a prediction, and how far it is from chance.

Power goes from 0 (no better than always saying the most common answer) to 1 (right every time). Evidence is in digits:
6 means that chance does this once in a million columns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.table import Numbers

_MOST_CLASSES = 400
_LARGE = 20  # rows of a group, which may be of two classes in equal shares by chance
_MOST_DIGITS = 100_000.0
_ALSO_MOVED = 0.4  # of the evidence that is there when rows are moved


@dataclass(frozen=True)
class Strength:
    """Power, evidence, what kind of relation it is, and what it predicts for each row (in the form of the target).

    `spread` is by how much the power of one item would differ from draw to draw; None for that of a correlation.
    """

    power: float
    digits: float
    form: str
    predicted: NDArray[np.float64] | None = None
    spread: float | None = None


NONE = Strength(0.0, 0.0, "none")


def better(one: Strength, other: Strength) -> Strength:
    """The stronger of two; evidence decides where power is alike."""
    if abs(one.power - other.power) < 0.02:
        return one if one.digits >= other.digits else other
    return one if one.power > other.power else other


def of_correlation(r: float, n: int) -> float:
    """The digits of a correlation of n pairs."""
    from scipy.stats import norm

    if n < 5:
        return 0.0
    z = math.atanh(min(abs(r), 1 - 1e-12)) * math.sqrt(n - 3)
    by_order = (math.lgamma(n + 1) / math.log(10)) if n < 200 else _MOST_DIGITS  # not rarer than one order of all
    return float(min(-(norm.logsf(z) + math.log(2)) / math.log(10), by_order, _MOST_DIGITS))


def of_hits(hits: int, n: int, chance: float) -> float:
    """The digits of so many right among n where each is right with a chance."""
    from scipy.stats import binom

    if not hits:
        return 0.0
    chance = min(max(chance, 1e-9), 1.0)
    if chance >= 1.0:
        return 0.0
    logged = binom.logsf(hits - 1, n, chance)
    if not np.isfinite(logged):
        logged = hits * math.log(chance)
    return float(min(max(-logged / math.log(10), 0.0), _MOST_DIGITS))


def groups_of(x: NDArray[np.object_] | Numbers) -> NDArray[np.int64]:
    """The number of the group of equal values that each row is in."""
    import pandas as pd

    codes, _ = pd.factorize(x, use_na_sentinel=False)
    numbered: NDArray[np.int64] = codes.astype(np.int64)
    return numbered


def by_groups(codes: NDArray[np.int64], y: Numbers, n_classes: int) -> Strength:
    """How well the other rows of the same group predict a row."""
    n = len(y)
    counts = np.bincount(codes)
    if n < 5 or len(counts) < 2 or counts.max() < 2:
        return NONE
    others = counts[codes] - 1
    if n_classes == 0:  # numbers
        total = np.bincount(codes, weights=y)
        mean = (y.sum() - y) / (n - 1)
        guess = np.where(others > 0, (total[codes] - y) / np.maximum(others, 1), mean)
        return _correlation(guess, y, "groups")
    classes = y.astype(np.int64)
    if n_classes > _MOST_CLASSES or len(counts) * n_classes > 20_000_000:
        return NONE
    table = np.zeros((len(counts), n_classes), dtype=np.float64)
    np.add.at(table, (codes, classes), 1.0)
    overall = table.sum(axis=0)
    votes = table[codes]
    votes[np.arange(n), classes] -= 1
    few = 1e-6 * (overall / n)  # a row alone in its group is guessed as the most common class
    votes += few
    guess = votes.argmax(axis=1)
    # Of two classes that are equally frequent in a large group a row without its own vote is always in the other one.
    large = np.flatnonzero(counts >= _LARGE)
    most = np.sort(table[large], axis=1)[:, -2:]
    is_undecided = np.isin(codes, large[most[:, 0] == most[:, -1]])
    guess[is_undecided] = (table[codes[is_undecided]] + few).argmax(axis=1)
    # One's own row changes neither the vote of its group nor which class is the most common one.
    measured = _hits(guess, classes, overall, "groups", informed=others > 0)
    return replace(measured, digits=max(measured.digits, _of_table(table))) if measured.power else measured


def ranked(y: Numbers) -> Numbers:
    """Numbers by their rank."""
    from scipy.stats import rankdata

    ranks: Numbers = rankdata(y)
    return ranks


def association(codes: NDArray[np.int64], y: Numbers, n_classes: int) -> float:
    """The digits of evidence that groups and answers depend on one another, however little of them a group tells."""
    if n_classes == 0:
        if codes.max(initial=0) == 1:  # by ranks: a few large numbers must not decide
            return monotone(codes.astype(float), ranked(y), 0).digits
        return by_groups(codes, ranked(y), 0).digits
    if n_classes > _MOST_CLASSES or len(y) < 8:
        return 0.0
    table = np.zeros((int(codes.max(initial=0)) + 1, n_classes), dtype=np.float64)
    np.add.at(table, (codes, y.astype(np.int64)), 1.0)
    return _of_table(table)


def is_of_order(codes: NDArray[np.int64], y: Numbers, n_classes: int, by_chance: float = 0.0) -> bool:
    """Whether groups depend on answers of other rows, too: both only change slowly along the rows, as over time.

    Rows are in their order here. Two things that drift seem to depend on one another, but do so as well where one is
    moved against the other; what truly belongs to a row does not. `by_chance` are digits that a few rows may have so.
    """
    n = len(y)
    digits = association(codes, y, n_classes)
    moved = (association(np.roll(codes, int(share * n)), y, n_classes) for share in np.linspace(0.08, 0.92, 13))
    return max(moved) > max(_ALSO_MOVED * digits, by_chance)


def _of_table(table: Numbers) -> float:
    """The digits of a table of counts, by a likelihood ratio; it says nothing where counts are small throughout."""
    from scipy.stats import chi2

    total, freedom = float(table.sum()), (table.shape[0] - 1) * (table.shape[1] - 1)
    if freedom < 1 or total < 5 * table.shape[0] or total < 2 * freedom:
        return 0.0
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    ratio = likelihood_ratio(table)
    logged = float(chi2.logsf(ratio, freedom))
    if not np.isfinite(logged):  # too small for a float: the first term of the tail
        half = freedom / 2
        logged = (half - 1) * math.log(ratio / 2) - ratio / 2 - math.lgamma(half)
    return float(min(max(-logged / math.log(10), 0.0), arrangements(rows), arrangements(columns), _MOST_DIGITS))


def likelihood_ratio(table: Numbers) -> float:
    """How far counts are from those of rows and columns that do not depend on one another (the statistic G)."""
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    there = table > 0
    return 2 * float((table[there] * np.log(table[there] / expected[there])).sum())


def arrangements(counts: NDArray[np.int64] | Numbers) -> float:
    """How many digits the number of orders has in which values can stand that occur so often."""
    total = math.lgamma(float(counts.sum()) + 1) - sum(math.lgamma(count + 1) for count in counts.tolist())
    return total / math.log(10)


def of_blocks(y: Numbers) -> float:
    """The digits of classes that stand in one block each: of rare classes a table of neighbours shows little."""
    counts = np.unique(y, return_counts=True)[1]
    if int((np.diff(y) != 0).sum()) + 1 > len(counts):
        return 0.0
    return max(0.0, arrangements(counts) - math.lgamma(len(counts) + 1) / math.log(10))


def one_to_one(codes: NDArray[np.int64], classes: NDArray[np.int64]) -> float:
    """The digits of groups that are the classes by other names; 0 where a group has two of them, or a class is in two.

    As rare as one of the orders in which such values can stand, but for groups of one size that change names.
    """
    pairs = len(set(zip(codes.tolist(), classes.tolist(), strict=True)))
    counts = np.bincount(codes)
    if not 2 <= pairs == len(counts) == int(classes.max()) + 1:
        return 0.0
    alike = np.bincount(counts)
    return arrangements(counts) - sum(math.lgamma(count + 1) for count in alike.tolist()) / math.log(10)


def by_neighbours(x: Numbers, y: Numbers, n_classes: int, reach: int = 2) -> Strength:
    """How well the rows with the nearest values of x predict a row."""
    n = len(y)
    if n < 12:
        return NONE
    shuffled = np.random.default_rng(0).permutation(n)  # equal values are near one another in no order
    order = shuffled[np.argsort(x[shuffled], kind="stable")]
    ys = y[order]
    if n_classes == 0:
        total, count = np.zeros(n), np.zeros(n)
        for step in range(1, reach + 1):
            total[step:] += ys[:-step]
            count[step:] += 1
            total[:-step] += ys[step:]
            count[:-step] += 1
        guess = np.empty(n)
        guess[order] = total / np.maximum(count, 1)
        return _correlation(guess, y, "neighbours")
    if n_classes > _MOST_CLASSES or n * n_classes > 40_000_000:
        return NONE
    classes = ys.astype(np.int64)
    one_hot = np.zeros((n, n_classes))
    one_hot[np.arange(n), classes] = 1
    votes = np.zeros((n, n_classes))
    for step in range(1, reach + 1):
        votes[step:] += one_hot[:-step]
        votes[:-step] += one_hot[step:]
    overall = one_hot.sum(axis=0)
    votes += 1e-6 * (overall / n)
    return _hits(votes.argmax(axis=1), classes, overall, "neighbours")


def _hits(
    guess: NDArray[np.int64],
    truth: NDArray[np.int64],
    overall: Numbers,
    form: str,
    informed: NDArray[np.bool_] | None = None,
) -> Strength:
    n = len(truth)
    base = float(overall.max() / n)
    hits = int((guess == truth).sum())
    if base >= 1:
        return NONE
    power = (hits / n - base) / (1 - base)
    if power <= 0:
        return Strength(0.0, 0.0, form)
    subset = np.ones(n, dtype=bool) if informed is None else informed
    digits = of_hits(int((guess == truth)[subset].sum()), int(subset.sum()), base)
    return Strength(power, digits, form, spread=math.sqrt(hits / n * (1 - hits / n)) / (1 - base))


def _correlation(guess: Numbers, y: Numbers, form: str) -> Strength:
    if guess.std() < 1e-12 or y.std() < 1e-12:
        return NONE
    r = float(np.corrcoef(guess, y)[0, 1])
    return Strength(max(r, 0.0), of_correlation(r, len(y)) if r > 0 else 0.0, form)


def _of_area(area: float, share: float) -> float:
    """The spread of the area under a curve, stretched to a power, for a share of positives (Hanley and McNeil)."""
    of_positives, of_negatives = area / (2 - area) - area**2, 2 * area**2 / (1 + area) - area**2
    return 2 * math.sqrt(of_positives / share + of_negatives / (1 - share))


def monotone(x: Numbers, y: Numbers, n_classes: int) -> Strength:
    """How well the order of x gives the order of y: a rank correlation; for two classes, how well it parts them."""
    from scipy.stats import norm, rankdata

    n = len(y)
    if n < 5 or x.std() < 1e-300 or y.std() < 1e-300:
        return NONE
    ranks = rankdata(x)
    if n_classes == 2:
        positive = y > y.min()
        n1, n0 = int(positive.sum()), int((~positive).sum())
        if not n1 or not n0:
            return NONE
        area = (ranks[positive].sum() - n1 * (n1 + 1) / 2) / (n1 * n0)
        power = abs(2 * area - 1)
        z = abs(area - 0.5) * n1 * n0 / math.sqrt(n1 * n0 * (n + 1) / 12)
        digits = -(norm.logsf(z) + math.log(2)) / math.log(10)
        if power > 0.999999:  # as rare as one choice of the positives among all
            digits = (math.lgamma(n + 1) - math.lgamma(n1 + 1) - math.lgamma(n0 + 1)) / math.log(10)
        return Strength(power, float(min(digits, _MOST_DIGITS)), "order", spread=_of_area(max(area, 1 - area), n1 / n))
    r = float(np.corrcoef(ranks, rankdata(y))[0, 1])
    straight = float(np.corrcoef(x, y)[0, 1]) if x.std() > 1e-12 * max(1.0, abs(float(x.mean()))) else 0.0
    r = max(abs(r), abs(straight)) if np.isfinite(straight) else abs(r)
    if not np.isfinite(r):
        return NONE
    return Strength(r, of_correlation(r, n), "order")
