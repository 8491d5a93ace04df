"""Marks that depend on the answers in test alone: whether a value is there, and what files have for no reason.

A gap, the owner of a file or a comment in an archive has no honest reason to depend on the answers, unless it does so
in train, too, as with tests that are made for the sick alone, or files that come from several places. So evidence
decides here, and not how much of the answers a mark tells: one class of many is a leak as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mlebench.audit.column_values import Relation, few
from mlebench.audit.finding import Found
from mlebench.audit.judging import judge_mark
from mlebench.audit.matching import Aligned
from mlebench.audit.predicting import predicted_values, predictions
from mlebench.audit.quoting import WRITTEN
from mlebench.audit.strength import Strength, association, by_groups, groups_of
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, each_once, is_missing, texts
from mlebench.audit.targets import Target

_MOST_COLUMNS = 3000
_WRITTEN, _DIGITS = 0.6, 8.0  # power for one class, and evidence, of a way of writing on both sides
_FEW_CLASSES = 12
_WAYS: dict[str, Callable[[str], bool]] = {
    "ends or begins with a blank": lambda value: value != value.strip(),
    "has two blanks in a row": lambda value: "  " in value.strip(),
    "has an invisible character": lambda value: any(mark in value for mark in "\u200b\u200c\u200d\ufeff\u2060\xa0"),
    "is in quotes": lambda value: len(value) > 2 and value[0] == value[-1] and value[0] in "\"'",
}
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
    "ends of lines",
    "end of the text",
    "byte order mark",
    "blanks behind lines",
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
        if not column.is_artifact and other is not None:
            for what, way in _WAYS.items():
                marks = _marks(column.values, way)
                if len(set(marks)) == 2:
                    yield from _written(survey, column, other, marks, _marks(other.values, way), what)
        is_writing = column.column.startswith(WRITTEN)
        if is_writing and other is not None:
            yield from _written(survey, column, other, column.values, other.values, "differs")
        if is_writing or (column.is_artifact and column.column.startswith(_PROPERTIES)):
            known = None if other is None else (other, other.values)
            yield from _judged(survey, column, column.values, known, "differs")


def _written(
    survey: Survey, column: Aligned, other: Aligned, marks: Texts, of_train: Texts, what: str
) -> Iterator[Found]:
    """A way of writing that goes with the answer on both sides: no text has it for what it says."""
    for target in survey.test.targets:
        known = survey.train.target(target.name) if survey.train is not None else None
        if known is None or target.is_derived:
            continue
        part, labels = target.part(column.items), known.part(other.items)
        if part.coded is None or not 2 <= part.n_classes <= _FEW_CLASSES:
            continue
        powers = [0.0, 0.0]
        for name in part.classes:  # it may go with one class of several
            sides = ((marks, part.plain), (of_train, labels.plain))
            tried = [by_groups(groups_of(found), (plain == name).astype(float), 2).power for found, plain in sides]
            powers = max(powers, tried, key=min)
        digits = association(groups_of(marks), part.coded, part.n_classes)
        if min(powers) < _WRITTEN or digits < _DIGITS:
            continue
        relation = Relation(Strength(powers[0], digits, "groups"), "plain", "tells the answers apart", marks)
        values = predicted_values(column.values, relation, part)
        yield Found(
            "predictive_artifact",
            "leak",
            f"{column.where}: {column.column}",
            f"Whether {column.column} {what} tells {target.name} ({powers[0]:.0%} of the way from guessing to "
            f"certainty; in train it is {powers[1]:.0%}), and no text has that for what it says.",
            rank=powers[0],
            predictions=predictions(target, survey.task.rows[column.items], values),
        )
        return


def _marks(values: Texts, way: Callable[[str], bool]) -> Texts:
    return each_once(lambda value: str(way(value or "")), values)


def _gaps(values: Texts) -> Texts:
    return texts("gap" if is_missing(value) else "value" for value in values)


def _judged(
    survey: Survey, column: Aligned, marks: Texts, in_train: tuple[Aligned, Texts] | None, what: str
) -> Iterator[Found]:
    groups = groups_of(marks)
    for target in survey.test.targets:
        part = target.part(column.items)
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
            predictions=predictions(target, rows, values),
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
    part = labels.part(column.items)
    return None if part.coded is None else association(groups_of(marks), part.coded, part.n_classes)
