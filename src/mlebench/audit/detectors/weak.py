"""Columns whose dependence on the answers tells little, but is beyond chance in test and hardly there in train.

A code that is right three times of four, one class of many, the parity of a length, values that train does not have,
classes that take turns: none of them tells much, and none has an honest reason to be in test alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.coincidences import tells_what_is_asked
from mlebench.audit.column_values import Relation, Values
from mlebench.audit.evidence import (
    Dependence,
    Evidence,
    dependence,
    novelty,
    novelty_in_train,
    power_of,
    same_dependence,
    serial_dependence,
)
from mlebench.audit.finding import Found
from mlebench.audit.honesty import is_content
from mlebench.audit.judging import judge_dependence
from mlebench.audit.matching import Aligned
from mlebench.audit.predicting import predicted_values, predictions
from mlebench.audit.sides import rows_of_one_kind
from mlebench.audit.strength import Strength, by_groups, groups_of, is_of_order
from mlebench.audit.survey import Survey, explained_order
from mlebench.audit.table import texts
from mlebench.audit.targets import Target

_MOST_COLUMNS = 3000
_FEWEST = 40
_AS_MUCH, _LITTLE = 0.5, 0.1  # of what a property tells in test, and of certainty
_NOISE = 1.5  # standard deviations of what a property tells by chance
_MISSED = 0.1  # of the answers, whose classes train lacks
_ORDERS = ("(order of rows)", "order")


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for single columns."""
    if survey.train is None:
        return
    targets = [target for target in survey.test.targets if not target.is_derived and target.coded is not None][:5]
    for whole in [*survey.test_columns[:_MOST_COLUMNS], _order_of_sample(survey)]:
        column = survey.thinned(whole)
        if column.in_order or len(column.items) < _FEWEST or len(set(column.values)) < 2:
            continue
        if column.column in survey.task.sample.columns and column.column not in survey.task.key_columns:
            continue
        found = _of_column(survey, column, targets)
        if found is not None:
            yield found


def _order_of_sample(survey: Survey) -> Aligned:
    name, rows = survey.task.competition.sample_submission.name, rows_of_one_kind(survey)
    return Aligned(name, "(order of rows)", texts(survey.task.rows[rows].tolist()), rows, "its rows", True)


def _order_of_train(survey: Survey, column: Aligned) -> Aligned | None:
    """The rows of train as they are, against which an order is measured that has no counterpart."""
    if column.column != "(order of rows)" or survey.train is None:
        return None
    everything = np.arange(survey.train.size)
    places = everything if survey.train_rows is None else survey.train_rows
    return Aligned("train", column.column, texts(places.tolist()), everything, "itself", True)


def _of_column(survey: Survey, column: Aligned, targets: list[Target]) -> Found | None:
    whole, view = column, Values(column.values)
    other = survey.counterpart(column) or _order_of_train(survey, column)
    other = None if other is None else survey.thinned(other, train=True)
    of_train = None if other is None else Values(other.values)
    is_order = column.column in _ORDERS
    if other is not None and is_content(column, 0.0):
        return None
    if is_order and (view.numbers is None or explained_order(survey, view.numbers, column.items)):
        return None
    assert survey.train is not None
    for target in targets:
        if column is not whole:
            column, view = whole, Values(whole.values)
        part, labels = target.part(column.items), survey.train.target(target.name)
        known = None if labels is None or other is None else labels.part(other.items)
        if labels is None or part.coded is None or not part.varies:
            continue
        if known is not None and (known.coded is None or (known.n_classes == 0) != (part.n_classes == 0)):
            continue
        if known is not None and (missed := _missed(part, known)).mean() > _MISSED:
            # What tells these classes apart cannot tell anything in train; the others are compared without them.
            if is_order or (~missed).sum() < _FEWEST:
                continue
            column = column.of(~missed)
            view, part = Values(column.values), target.part(column.items)
            if part.coded is None or not part.varies:
                continue
        is_foreign = other is None and _is_foreign(survey, column)
        for found, in_train in _dependences(
            view, of_train, part, known, is_order=is_order, is_id=column.by == "itself"
        ):
            if judge_dependence(found, in_train, part.n_classes, is_foreign=is_foreign) and (
                is_order or not (_drifts(found, view, part) or _tells_in_train(found, view, part, of_train, known))
            ):
                if tells_what_is_asked(survey, column, found.groups, _rows_of(found, column)):
                    continue
                return _found(survey, column, target, part, found, in_train)
    return None


def _missed(part: Target, known: Target) -> NDArray[np.bool_]:
    """Which items have an answer of a class that train lacks."""
    classes = set(known.classes)
    return np.array([part.n_classes > 0 and str(value) not in classes for value in part.plain], dtype=bool)


def _dependences(
    view: Values, of_train: Values | None, part: Target, known: Target | None, *, is_order: bool, is_id: bool
) -> Iterator[tuple[Dependence, Evidence | None]]:
    """(what answers depend on, the evidence for the same in train) of a column."""
    assert part.coded is not None
    found = [dependence(view, part.coded, part.n_classes)]
    if is_order and view.numbers is not None:
        found.append(serial_dependence(view.numbers, part.coded, part.n_classes))
    for dependent in found:
        if dependent is None:
            continue
        if of_train is None or known is None or known.coded is None:
            yield dependent, None
            continue
        in_train: Evidence = same_dependence(of_train, dependent, known.coded, known.n_classes)
        if (is_order or is_id) and of_train.numbers is not None:
            # Runs of alike items are long in a short table and short in a long one.
            runs = serial_dependence(of_train.numbers, known.coded, known.n_classes)
            in_train = max(in_train, runs or in_train, key=lambda evidence: evidence.per_item)
        yield dependent, in_train
    if of_train is not None and known is not None and known.coded is not None and not is_order:
        yield (
            novelty(view, of_train, part.coded, part.n_classes),
            novelty_in_train(of_train, known.coded, known.n_classes),
        )


def _drifts(found: Dependence, view: Values, part: Target) -> bool:
    """Whether column and answers only change slowly along the rows, both."""
    assert part.coded is not None
    rows = np.arange(len(found.groups)) if len(found.groups) == len(part.values) else view.sample
    order = np.argsort(rows)
    return is_of_order(groups_of(found.groups)[order], part.coded[rows[order]], part.n_classes)


def _tells_in_train(
    found: Dependence, view: Values, part: Target, of_train: Values | None, known: Target | None
) -> bool:
    """Whether the property tells about as much in train, though it makes too many groups there to be evidence."""
    if of_train is None or known is None or known.coded is None:
        return False
    assert part.coded is not None
    in_test = power_of(view, found.what, part.coded, part.n_classes)
    by_chance = min(_LITTLE, _NOISE / math.sqrt(len(of_train.sample)))
    return power_of(of_train, found.what, known.coded, known.n_classes) >= max(_AS_MUCH * in_test, by_chance)


def _is_foreign(survey: Survey, column: Aligned) -> bool:
    """Whether train has the same table, or the same files, without this column."""
    return bool(survey.tables_of_train(column.where))


def _rows_of(found: Dependence, column: Aligned) -> NDArray[np.int64]:
    """The rows of a column whose property is known."""
    is_whole = len(found.groups) == len(column.values)
    return np.arange(len(found.groups)) if is_whole else Values(column.values).sample


def _found(
    survey: Survey, column: Aligned, target: Target, part: Target, found: Dependence, in_train: Evidence | None
) -> Found:
    assert part.coded is not None
    rows = _rows_of(found, column)
    groups = groups_of(found.groups)
    power = by_groups(groups, part.coded[rows], part.n_classes).power
    relation = Relation(Strength(power, found.digits, "groups"), "derived", found.what, found.groups)
    items = column.items[rows]
    values = predicted_values(found.groups, relation, target.part(items))
    what = "property" if column.is_artifact else "column"
    in_words = "train has no such column" if in_train is None else "in train there is hardly any dependence"
    return Found(
        "predictive_artifact",
        "leak",
        f"{column.where}: {column.column}",
        f"{target.name} depends on the {what} {column.column} by {found.what}, among {len(items):,} items to predict: "
        f"chance does so once in 10^{found.digits:.0f} columns, and {in_words} ({power:.0%} of the way from guessing "
        "to certainty).",
        rank=max(power, 0.05),
        predictions=predictions(target, survey.task.rows[items], values),
    )
