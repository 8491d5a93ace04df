"""What tells answers though nobody wrote them down: rows of a group in a row, another mix of values, equal numbers."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.column_values import Relation, Values
from mlebench.audit.honesty import transferred
from mlebench.audit.judging import tells_more
from mlebench.audit.matching import Aligned
from mlebench.audit.relations import told_by
from mlebench.audit.strength import by_groups, groups_of, likelihood_ratio
from mlebench.audit.survey import Survey
from mlebench.audit.table import as_numbers
from mlebench.audit.targets import Target, present

_GROUPED, _BROKEN = 0.5, 1.2  # groups of two rows and more, whose rows follow one another
_AS_WELL = 0.8  # of what the neighbours tell
_COVERED, _FEW_VALUES, _BY_CHANCE = 0.95, 12, 1e-3
_LABELLED = 0.5  # of the rows
_SHOWN, _MOSTLY = 5, 0.9  # rows of train that a value needs to be known from there; the share of test with such ones
_AGREED = 0.5  # of the power
_MOST_ASKED = 60  # columns of train that a row may ask for


def is_row_of_train(survey: Survey, column: Aligned, found: Relation, target: Target) -> bool:
    """Whether rows are other items, of train, that have the numbers of items to predict and labels of their own."""
    if survey.train_table is None or column.where != survey.train_table.where or found.tier == "verbatim":
        return False
    return any(
        labels.where == column.where and labels.column == target.name and present(labels.values).mean() > _LABELLED
        for labels in survey.test_columns
    )


def follows_groups(survey: Survey, column: Aligned, found: Relation, target: Target) -> bool:
    """Whether rows are like their neighbours only because those of a group, such as a breath, follow one another."""
    if column.column != "(order of rows)" or found.strength.form != "neighbours" or target.coded is None:
        return False
    order = as_numbers(column.values)
    if order is None:
        return False
    places = np.argsort(order, kind="stable")
    for other in survey.test_columns:
        if other.is_artifact or other.in_order or not np.array_equal(other.items, column.items):
            continue
        groups = groups_of(other.values)
        count = int(groups.max(initial=0)) + 1
        runs = int(np.count_nonzero(np.diff(groups[places]))) + 1
        is_grouped = 2 <= count <= _GROUPED * len(groups) and runs <= count * _BROKEN
        is_like_neighbours = not target.n_classes or (
            by_groups(groups, target.coded, target.n_classes).power >= _AS_WELL * found.power
        )
        if is_grouped and is_like_neighbours:
            return True
    return False


def says_the_same(view: Values, of_train: Values, test: Target, train: Target) -> bool:
    """Whether few values go with the classes in test as they do in train, so that train says all there is to know."""
    from scipy.stats import chi2

    if not test.n_classes or not train.n_classes:
        return False
    mine, theirs = set(view.plain), set(of_train.plain)
    if len(mine) > _FEW_VALUES or np.mean([value in theirs for value in view.plain]) < _COVERED:
        return False
    sides = [Counter(zip(one.plain, other.plain, strict=True)) for one, other in ((view, test), (of_train, train))]
    classes = sorted(set(test.plain) | set(train.plain), key=str)
    ratio, freedom = 0.0, 0
    for value in mine & theirs:
        table = np.array([[side[value, name] for name in classes] for side in sides], dtype=float)
        table = table[:, table.sum(axis=0) > 0]
        ratio += likelihood_ratio(table)
        freedom += table.shape[1] - 1
    return freedom == 0 or float(chi2.sf(ratio, freedom)) > _BY_CHANCE


def is_told_by_rare_values(view: Values, of_train: Values, found: Relation, test: Target, train: Target) -> bool:
    """Whether a column tells more than in train only by values that hardly occur there, and say the same there.

    Of two rows of train far away from everywhere neither can be guessed from the other, of fifty in test all can.
    """
    if found.strength.form != "groups" or test.coded is None or train.coded is None:
        return False
    in_test, in_train = told_by(view, found), told_by(of_train, found)
    if in_test is None or in_train is None:
        return False
    (mine, rows), (theirs, rows_of_train) = in_test, in_train
    counts = Counter(theirs.tolist())
    known = np.array([counts[value] >= _SHOWN for value in mine])
    known_in_train = np.array([counts[value] >= _SHOWN for value in theirs])
    if not _MOSTLY <= known.mean() < 1:
        return False
    power = by_groups(groups_of(mine[known]), test.coded[rows[known]], test.n_classes).power
    same = by_groups(groups_of(theirs[known_in_train]), train.coded[rows_of_train[known_in_train]], train.n_classes)
    if tells_more(power, int(known.sum()), same, int(known_in_train.sum())):
        return False
    return transferred(view, of_train, found, test, train) >= _AGREED * found.power


def tells_what_is_asked(survey: Survey, column: Aligned, told: NDArray[np.object_], rows: NDArray[np.int64]) -> bool:
    """Whether a property of some rows only says which of several columns of train a row asks for.

    Each of these has its own share of every answer, and a row says which one it is about, by a column or in its id.
    """
    names = list(survey.train_table.columns) if survey.train_table is not None else []
    if not 2 <= len(names) <= _MOST_ASKED:
        return False
    longest = sorted(names, key=len, reverse=True)
    asked = [
        next((name for name in longest if value is not None and _ends_in(value, name)), None)
        for value in column.values[rows]
    ]
    if len(set(asked)) < 2 or float(np.mean([name is None for name in asked])) > 1 - _COVERED:
        return False
    return len(set(zip(asked, told, strict=True))) == len(set(asked))


def _ends_in(value: str, name: str) -> bool:
    return value.endswith(name) and not value[: -len(name)][-1:].isalnum()
