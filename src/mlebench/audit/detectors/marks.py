"""Marks that depend on the answers in test alone: whether a value is there, and what files have for no reason.

A gap, the owner of a file or a comment in an archive has no honest reason to depend on the answers, unless it does so
in train, too, as with tests that are made for the sick alone, or files that come from several places. So evidence
decides here, and not how much of the answers a mark tells: one class of many is a leak as well.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.judging import judge_mark
from mlebench.audit.matching import Aligned
from mlebench.audit.predicting import predicted_values
from mlebench.audit.relations import Relation, few
from mlebench.audit.strength import Strength, association, by_groups, groups_of
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, is_missing, texts
from mlebench.audit.targets import Target

_MOST_COLUMNS = 3000
_PROPERTIES = (
    "mode",
    "owner",
    "comment",
    "extra",
    "attributes",
    "packed as",
    "system",
    "stored name",
    "xattr",
    "headers",
    "bytes behind the end",
    "link",
    "ending",
    "name around the id",
)


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for gaps and properties of files."""
    for column in survey.test_columns[:_MOST_COLUMNS]:
        if column.in_order or len(column.items) < 8:
            continue
        other = survey.counterpart(column)
        gaps = _gaps(column.values)
        if len(set(gaps)) == 2:
            yield from _judged(
                survey, column, gaps, None if other is None else (other, _gaps(other.values)), "is there or not"
            )
        if column.is_artifact and column.column.startswith(_PROPERTIES):
            known = None if other is None else (other, other.values)
            yield from _judged(survey, column, column.values, known, "differs")


def _gaps(values: Texts) -> Texts:
    return texts("gap" if is_missing(value) else "value" for value in values)


def _judged(
    survey: Survey, column: Aligned, marks: Texts, in_train: tuple[Aligned, Texts] | None, what: str
) -> Iterator[Found]:
    groups = groups_of(marks)
    for target in survey.test.targets:
        part = _part(target, column.items)
        if target.is_derived or part.coded is None or not few(groups, part.n_classes, len(groups)):
            continue
        digits = association(groups, part.coded, part.n_classes)
        power = by_groups(groups, part.coded, part.n_classes).power
        severity = judge_mark(digits, _honest(survey, target, in_train), part.n_classes)
        if severity is None:
            continue
        found = Relation(Strength(power, digits, "groups"), "plain", "tells the answers apart", marks)
        values = predicted_values(column.values, found, part)
        rows = survey.task.rows[column.items]
        yield Found(
            "predictive_artifact",
            severity,
            f"{column.where}: {column.column}",
            f"Whether {column.column} {what} depends on {target.name} among the {len(column.items):,} items to predict "
            f"({power:.0%} of the way from guessing to certainty), and not in train.",
            rank=max(power, 0.05),
            predictions=() if values is None else (Prediction(target.name, target.column, rows, values),),
        )
        return


def _honest(survey: Survey, target: Target, in_train: tuple[Aligned, Texts] | None) -> float | None:
    """The digits of the same dependence in train; None where train has no such column."""
    if survey.train is None or in_train is None:
        return None
    labels = next((known for known in survey.train.targets if known.name == target.name), None)
    if labels is None:
        return None
    column, marks = in_train
    part = _part(labels, column.items)
    return None if part.coded is None else association(groups_of(marks), part.coded, part.n_classes)


def _part(target: Target, items: NDArray[np.int64]) -> Target:
    return Target(target.name, target.column, target.values[items], target.is_derived)
