"""Columns of few values, each of which has a range of the numbers to predict: bins of the answers, on both sides.

A feature that is nearly as good as the answers is in doubt where two ranges meet, and categories that differ by nature
have nothing between them. What was cut from the answers is neither.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.matching import Aligned
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, Texts, texts
from mlebench.audit.targets import Target

_FEWEST, _FEWEST_OF_EACH = 30, 8  # items of a side, and of a band in train
_MOST_BANDS = 24
_OF_TWO, _OF_MORE = 0.985, 0.96  # of the items that are in the range of their band
_DIFFERENT, _OF_A_BAND = 20, 4  # numbers, in all and within a band
_TIED = 0.1  # of the items that may be where two ranges meet
_NEAR, _GAP = 12, 2.0  # numbers on either side of where ranges meet; how many of their largest steps it may be wide


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns that train has, too."""
    for target in survey.test.targets:
        labels = None if survey.train is None else survey.train.target(target.name)
        if target.is_derived or labels is None or target.n_classes or labels.n_classes:
            continue
        for column in survey.test_columns:
            other = None if column.is_artifact or column.in_order else survey.counterpart(column)
            if other is not None:
                yield from _banded(survey, column, other, target, labels)


def _banded(survey: Survey, column: Aligned, other: Aligned, target: Target, labels: Target) -> Iterator[Found]:
    y, known = target.part(column.items).numbers, labels.part(other.items).numbers
    if y is None or known is None or min(len(y), len(known)) < _FEWEST:
        return
    order = _order(other.values, known)
    if not 2 <= len(order) <= _MOST_BANDS:
        return
    needed = _OF_TWO if len(order) == 2 else _OF_MORE
    shares = [_share(side, numbers, order) for side, numbers in ((column.values, y), (other.values, known))]
    if min(shares) < needed or not _are_cut(_ranks(other.values, order), known):
        return
    middles = {name: float(np.median(known[other.values == name])) for name in order}
    usual = float(np.median(known))
    given = texts(middles.get(str(value), usual) for value in column.values)
    evidence = (
        f"Each of the {len(order)} values of {column.column} has a range of {target.name}, without gaps between them: "
        f"{shares[0]:.0%} of {len(y):,} items to predict are in theirs, and {shares[1]:.0%} of train."
    )
    prediction = Prediction(target.name, target.column, survey.task.rows[column.items], given)
    where = f"{column.where}: {column.column}"
    yield Found("predictive_artifact", "leak", where, evidence, rank=shares[0], predictions=(prediction,))


def _order(values: Texts, y: Numbers) -> dict[str, int]:
    """The values by the middle of their numbers; none where some are rare, or have hardly different ones."""
    names, groups, counts = np.unique(values.astype(str), return_inverse=True, return_counts=True)
    if not 2 <= len(names) <= _MOST_BANDS or len(np.unique(y)) < _DIFFERENT:
        return {}
    parts = [y[groups == group] for group in range(len(names))]
    if counts.min() < _FEWEST_OF_EACH or any(len(np.unique(part)) < _OF_A_BAND for part in parts):
        return {}
    middles = [float(np.median(part)) for part in parts]
    return {str(names[group]): rank for rank, group in enumerate(np.argsort(middles, kind="stable"))}


def _ranks(values: Texts, order: dict[str, int]) -> NDArray[np.int64]:
    return np.array([order.get(str(value), -1) for value in values], dtype=np.int64)


def _share(values: Texts, y: Numbers, order: dict[str, int]) -> float:
    """How many items are in the range of their value; 0 where equal numbers leave open what that range is."""
    ranks = _ranks(values, order)
    if len(np.unique(ranks)) < 2:
        return 0.0
    expected = np.sort(ranks)
    best, worst = (float(np.mean(ranks[np.lexsort((sign * ranks, y))] == expected)) for sign in (1, -1))
    return best if best - worst <= _TIED else 0.0


def _are_cut(ranks: NDArray[np.int64], y: Numbers) -> bool:
    """Whether numbers go on where one range ends and the next begins, as they do within ranges."""
    numbers = np.sort(y)
    for end in np.cumsum(np.bincount(ranks))[:-1]:
        steps = np.diff(numbers[max(0, int(end) - _NEAR) : int(end) + _NEAR])
        between = int(end) - 1 - max(0, int(end) - _NEAR)
        if steps[between] > _GAP * float(np.delete(steps, between).max(initial=0.0)):
            return False
    return True
