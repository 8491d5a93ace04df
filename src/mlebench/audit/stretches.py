"""Columns that are the mean or sum of the answers of a stretch of moments before, around or after their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.grids import Grid
from mlebench.audit.strength import of_hits
from mlebench.audit.table import Numbers

_FURTHEST, _SHARE = 40, 3  # moments, at all and of the length of a series
_FEWEST, _SOME = 24, 1000  # rows that are looked at to find a stretch
_STRAIGHT = 0.995  # the correlation from which a stretch is looked at: whole numbers are rounded
_NOTHING = 1e-12
_RIGHT = 0.9
_FEWEST_TOLD = 12
_DAMPED = 1e-3  # how much an answer is drawn to the mean of its series, beside what is known of it
_MOST_SOLVED = 20_000
_Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Stretch:
    """The moments from `first` to `last`, counted from the own one, of which a column is the mean times a factor.

    `right` of `count` values that answers to predict went into are as computed; `told` is how many answers these are.
    """

    first: int
    last: int
    factor: float
    start: float
    right: int
    count: int
    told: int
    digits: float


def stretches(grid: Grid, cells: Numbers, sizes: Numbers) -> Stretch | None:
    """The stretch that a column is the mean or sum of, where this can be seen in the values that answers went into."""
    y = grid.known
    most = min(_FURTHEST, grid.shape[1] // _SHARE)
    if most < 2:
        return None
    totals, counts = (np.pad(np.cumsum(part, axis=1), ((0, 0), (1, 0))) for part in _summable(y))
    whole = _rows_with(counts, cells, -most, most)
    if len(whole[0]) < _FEWEST:
        return None
    if len(whole[0]) > _SOME:
        taken = np.random.default_rng(0).choice(len(whole[0]), _SOME, replace=False)
        whole = whole[0][taken], whole[1][taken]
    x = cells[whole]
    if float(x.std()) <= 1e-9 * max(1.0, float(np.abs(x).max())):
        return None
    first, last = _best(totals, whole, x, most)
    if first == last:
        return None  # a single moment, or none
    means = _means(totals, whole, first, last)
    factor = float(np.cov(means, x)[0, 1] / max(float(np.var(means, ddof=1)), 1e-300))
    for plain in (1.0, float(last - first + 1)):
        factor = plain if abs(factor / plain - 1) < 0.02 else factor
    start = float(np.median(x - factor * means))
    start = 0.0 if abs(start) < float(sizes[whole].mean()) else start
    return _checked(grid, cells, sizes, (totals, counts), Stretch(first, last, factor, start, 0, 0, 0, 0.0))


def _summable(y: Numbers) -> tuple[Numbers, Numbers]:
    return np.nan_to_num(y), np.isfinite(y).astype(float)


def _rows_with(counts: Numbers, cells: Numbers, first: int, last: int) -> tuple[_Ints, _Ints]:
    """The cells of a column that have all moments of a stretch."""
    group, place = np.nonzero(np.isfinite(cells))
    inside = (place + first >= 0) & (place + last < cells.shape[1])
    group, place = group[inside], place[inside]
    is_whole = counts[group, place + last + 1] - counts[group, place + first] == last - first + 1
    return group[is_whole], place[is_whole]


def _means(totals: Numbers, rows: tuple[_Ints, _Ints], first: int, last: int) -> Numbers:
    group, place = rows
    found: Numbers = (totals[group, place + last + 1] - totals[group, place + first]) / (last - first + 1)
    return found


def _best(totals: Numbers, rows: tuple[_Ints, _Ints], x: Numbers, most: int) -> tuple[int, int]:
    """The first and last moment of the stretch whose means go with a column most; (0, 0) where none does."""
    group, place = rows
    around = totals[group[:, None], place[:, None] + np.arange(-most, most + 2)[None, :]]
    around -= around[:, :1]  # so that no large numbers are taken from one another
    around -= around.mean(axis=0)
    one = x - x.mean()
    # The sum over a stretch is the difference of two totals: its spread follows from how any two go together.
    together, with_x = around.T @ around, one @ around
    of_both = np.diag(together)[:, None] + np.diag(together)[None, :]
    spread = of_both - 2 * together
    spread[spread < _NOTHING * of_both] = 0.0  # what rounding leaves
    scale = np.sqrt(spread * (one @ one))
    r = np.triu(np.abs(with_x[None, :] - with_x[:, None]) / np.where(scale > 0, scale, np.inf), 1)
    if float(r.max()) <= _STRAIGHT:
        return 0, 0
    first, end = min(np.argwhere(r >= r.max() - _NOTHING).tolist(), key=lambda both: both[1] - both[0])
    return first - most, end - 1 - most


def _checked(
    grid: Grid, cells: Numbers, sizes: Numbers, sums: tuple[Numbers, Numbers], found: Stretch
) -> Stretch | None:
    """A stretch with the evidence of the values that answers to predict went into, and train alone does not give."""
    totals, counts = sums
    first, last, length = found.first, found.last, found.last - found.first + 1
    rows = _rows_with(counts, cells, first, last)
    known, many = (np.pad(np.cumsum(part, axis=1), ((0, 0), (1, 0))) for part in _summable(grid.labels))
    group, place = rows
    labels = many[group, place + last + 1] - many[group, place + first]
    of_train = (known[group, place + last + 1] - known[group, place + first]) / np.maximum(labels, 1)
    made = found.factor * _means(totals, rows, first, last) + found.start
    honest = found.factor * of_train + found.start
    tolerance = sizes[rows] + 1e-6 * float(np.abs(made).mean() if len(made) else 0.0)
    with_answers = labels < length
    informed = with_answers & ~((labels > 0) & (np.abs(honest - made) <= tolerance))
    if informed.sum() < _FEWEST_TOLD:
        return None
    x = cells[rows][informed]
    right = np.abs(made[informed] - x) <= tolerance[informed]
    shuffled = np.random.default_rng(0).permutation(len(x))
    by_chance = float(np.mean(np.abs(made[informed][shuffled] - x) <= tolerance[informed]))
    if right.mean() < _RIGHT or found.factor == 0:
        return None
    told = np.zeros(grid.shape, dtype=bool)
    for step in range(first, last + 1):
        told[group[informed], place[informed] + step] = True
    answers = int((told & np.isfinite(grid.answers)).sum())
    # Stretches that overlap repeat one another.
    apart = int(min(right.sum(), answers) * right.mean())
    digits = of_hits(apart, max(apart, int(min(len(right), answers))), max(by_chance, 1e-3))
    return Stretch(first, last, found.factor, found.start, int(right.sum()), len(right), answers, digits)


def solved(grid: Grid, cells: Numbers, found: Stretch) -> tuple[tuple[_Ints, _Ints], Numbers]:
    """(cells of answers, what they are) as the values that they went into tell together."""
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import lsqr

    y, length = grid.known, found.last - found.first + 1
    counts = np.pad(np.cumsum(_summable(y)[1], axis=1), ((0, 0), (1, 0)))
    group, place = _rows_with(counts, cells, found.first, found.last)
    is_asked = np.isfinite(grid.answers)
    asked = np.cumsum(np.pad(is_asked, ((0, 0), (1, 0))), axis=1)
    has_answers = asked[group, place + found.last + 1] > asked[group, place + found.first]
    group, place = group[has_answers][:_MOST_SOLVED], place[has_answers][:_MOST_SOLVED]
    steps = place[:, None] + np.arange(found.first, found.last + 1)[None, :]
    number = np.full(grid.shape, -1, dtype=np.int64)
    number[is_asked] = np.arange(int(is_asked.sum()))
    which = number[group[:, None], steps]
    labels = np.where(which < 0, np.nan_to_num(grid.labels[group[:, None], steps]), 0.0).sum(axis=1)
    total = (cells[group, place] - found.start) / found.factor * length - labels
    usual = float(np.nanmean(grid.labels)) if np.isfinite(grid.labels).any() else float(np.mean(total)) / length
    rows, columns = np.nonzero(which >= 0)
    matrix = coo_array((np.ones(len(rows)), (rows, which[rows, columns])), shape=(len(group), int(is_asked.sum())))
    rest = total - matrix.sum(axis=1) * usual
    told = usual + lsqr(matrix.tocsr(), rest, damp=_DAMPED, iter_lim=300)[0]
    there = np.unique(which[which >= 0])
    every = np.nonzero(is_asked)
    return (every[0][there], every[1][there]), told[there]
