"""Numbers that are the answers on another scale, on both sides: their rank, their logarithm, a row of a sorted list.

However strong an honest feature is, it errs: rows that are next to one another by it are in the wrong order about as
often as not once there are enough of them. What never errs, or stands where the answer stands among all answers of
train and test together, was made of the answers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.column_values import Relation
from mlebench.audit.finding import Found
from mlebench.audit.matching import Aligned
from mlebench.audit.numbering import are_row_numbers, follows_rows_or_dates
from mlebench.audit.predicting import predicted_values, predictions
from mlebench.audit.strength import Strength, of_correlation, ranked
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, as_numbers
from mlebench.audit.targets import Target

_MOST_COLUMNS = 2000
_FEWEST, _FEWEST_PAIRS = 30, 60
_FEWEST_OF_A_SIDE, _FEWEST_OF_BOTH = 10, 60  # what counts is what both sides show together
_MOST_WRONG = 0.02  # of the neighbours are in the wrong order
_HARDLY_ANY = 0.005  # of the items, beside those of the usual class, are beyond the border of theirs
_MOST_CLASSES, _DISTINCT = 30, 0.5
_IN_ORDER = "is in the order of the answers without an error"
_STRAIGHT = 0.9999  # what is nearly the answer itself may be a measurement of it
_PLACE, _ROW = 0.9995, 0.97  # correlation with the place among all answers: of a rank, and of the row of a raw table
_CLOSER = 0.1  # of what is missing to certainty along a straight line
_MIXED = 0.5  # of the neighbours of the other side that there would be in a random order


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns of numbers, where the answers are numbers."""
    if survey.train is None:
        return
    targets = [(one, survey.train.target(one.name)) for one in survey.test.targets if not one.is_derived]
    pairs = [(one, labels) for one, labels in targets if labels is not None and _are_numbers(one, labels)]
    seen = set()
    for column in survey.test_columns[:_MOST_COLUMNS] if pairs else ():
        if column.in_order or column.is_artifact or column.column in survey.task.sample.columns:
            continue
        other = survey.counterpart(column)
        if other is None or not _are_enough(len(column.items), len(other.items)):
            continue
        for target, labels in pairs:
            found = None if column.column in seen else _judged(survey, column, other, target, labels)
            if found is not None:
                seen.add(column.column)
                yield found


def _are_enough(of_test: int, of_train: int) -> bool:
    return min(of_test, of_train) >= _FEWEST_OF_A_SIDE and of_test + of_train >= _FEWEST_OF_BOTH


def _are_numbers(target: Target, labels: Target) -> bool:
    if target.numbers is None or labels.numbers is None or (target.n_classes == 0) != (labels.n_classes == 0):
        return False
    return len(labels.classes) >= _FEWEST if target.n_classes == 0 else 2 < target.n_classes <= _MOST_CLASSES


def _judged(survey: Survey, column: Aligned, other: Aligned, target: Target, labels: Target) -> Found | None:
    numbers = [survey.numbers_of(column), as_numbers(other.values)]
    assert target.numbers is not None and labels.numbers is not None
    answers = [target.numbers[column.items], labels.numbers[other.items]]
    sides = []
    for x, y in zip(numbers, answers, strict=True):
        if x is None or np.isnan(x).mean() > 0.1 or len(set(x.tolist())) < _FEWEST_OF_A_SIDE:
            return None
        sides.append((x[~np.isnan(x)], y[~np.isnan(x)]))
    x, y = (np.concatenate([side[place] for side in sides]) for place in (0, 1))
    is_test = np.arange(len(x)) < len(sides[0][0])
    if target.n_classes:
        is_told = _is_mixed(x, is_test) and all(_parts_classes(*side) for side in (*sides, (x, y)))
        what = _IN_ORDER if is_told else None
    else:
        what = _what(x, y, is_test, are_rows=are_row_numbers(survey, column, other))
    if what is None or follows_rows_or_dates(survey, column, other):
        return None
    power = abs(_correlation(ranked(sides[0][0]), ranked(sides[0][1])))
    relation = Relation(Strength(power, of_correlation(power, len(sides[0][0])), "order"), "plain", what, column.values)
    values = predicted_values(column.values, relation, target.part(column.items))
    return Found(
        "predictive_artifact",
        "leak",
        f"{column.where}: {column.column}",
        f"The column {column.column} {what} for {target.name}, in train as among the {len(column.items):,} items to "
        "predict, as no feature is that was not made of the answers.",
        rank=power,
        predictions=predictions(target, survey.task.rows[column.items], values),
    )


def _what(x: Numbers, y: Numbers, is_test: NDArray[np.bool_], *, are_rows: bool) -> str | None:
    """What numbers are to the answers of both sides together; None where they may be honest."""
    place = abs(_correlation(ranked(x), ranked(y)))
    if place < _ROW or not _is_mixed(x, is_test):
        return None
    if are_rows:
        return "is a number of rows in the order of the answers"
    straight = abs(_correlation(x, y))
    by_rank = abs(_correlation(x, ranked(y)))
    if by_rank >= _PLACE and 1 - by_rank <= _CLOSER * (1 - straight):
        return "is the place of the answer among all answers"
    if straight < _STRAIGHT and place >= _PLACE and _never_errs(x, y):
        return _IN_ORDER
    return None


def _is_mixed(x: Numbers, is_test: NDArray[np.bool_]) -> bool:
    """Whether the sides lie between one another: later days have higher counts, and no day of test is in train."""
    shown = is_test[np.argsort(x, kind="stable")]
    share = float(is_test.mean())
    return float(np.mean(shown[1:] != shown[:-1])) >= _MIXED * 2 * share * (1 - share)


def _never_errs(x: Numbers, y: Numbers) -> bool:
    """Whether answers hardly ever fall where numbers rise, or never rise, whatever the order of equal numbers is."""
    wrong = []
    for direction in (y, -y):
        order = np.lexsort((direction, x))
        steps, gains = np.diff(x[order]), np.diff(y[order])
        told = (steps != 0) & (gains != 0)
        if told.sum() < _FEWEST_PAIRS:
            return False
        wrong.append(float(np.mean(gains[told] < 0)))
    return max(wrong) <= _MOST_WRONG or min(wrong) >= 1 - _MOST_WRONG


def _parts_classes(x: Numbers, y: Numbers) -> bool:
    """Whether the classes, which are numbers, follow one another along other numbers, with hardly an error."""
    if len(np.unique(x)) < _DISTINCT * len(x):
        return False  # few values are a code, which is judged as one
    base = float(np.unique(y, return_counts=True)[1].max()) / len(y)
    order = np.argsort(x, kind="stable")
    right = max(float(np.mean(y[order] == known)) for known in (np.sort(y), -np.sort(-y)))
    return right - base >= (1 - _HARDLY_ANY) * (1 - base)


def _correlation(x: Numbers, y: Numbers) -> float:
    if x.std() < 1e-300 or y.std() < 1e-300:
        return 0.0
    found = float(np.corrcoef(x, y)[0, 1])
    return found if np.isfinite(found) else 0.0
