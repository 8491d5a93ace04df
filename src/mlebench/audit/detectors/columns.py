"""Columns, names, numbers, sizes, dates, orders and metadata that tell the answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlebench.audit.coincidences import follows_groups, is_row_of_train
from mlebench.audit.column_hits import Hit, findings_of
from mlebench.audit.column_values import Relation, Values
from mlebench.audit.column_verdicts import OnBothSides, Verdicts, by_presence, drifts, is_beyond_search
from mlebench.audit.composed_columns import columns_in_pieces, columns_of_classes
from mlebench.audit.finding import SEVERITIES, Found, Kind, Severity
from mlebench.audit.honesty import is_content, is_given
from mlebench.audit.judging import CERTAIN, NEEDED
from mlebench.audit.matching import Aligned
from mlebench.audit.mentions import are_said, numbers_within
from mlebench.audit.relations import in_blocks, relation
from mlebench.audit.said import verbatim
from mlebench.audit.survey import Survey, explained_order
from mlebench.audit.table import canonical, texts
from mlebench.audit.targets import Target, present
from mlebench.base import progress

_MOST_COLUMNS = 6000
_FEWEST_GAPS = 0.03  # of the values of a column; with fewer it is what it is with all
_ALL = 0.9  # the power of what tells nearly all
_IN_ORDER, _IN_ORDER_DIGITS = 0.97, 7.0  # what a list without ids needs, since it is tried in several orders


def detect(survey: Survey) -> Iterator[Found]:
    """Findings per file, each with all the columns of it that tell something."""
    columns = [
        *survey.test_columns,
        *(column for matched in survey.matched_test for column in columns_of_classes(matched, survey)),
        *(column for matched in survey.matched_test for column in columns_in_pieces(matched, survey.test)),
    ]
    hits: dict[str, list[Hit]] = {}
    verdicts = Verdicts(survey)
    with progress.stage("compare", "columns", total=len(columns), unit="columns") as stage:
        for column in columns[:_MOST_COLUMNS]:
            stage.advance()
            for hit in (*_hits(column, verdicts), *_of_numbers_within(column, verdicts)):
                hits.setdefault(hit.column.where, []).append(hit)
    for where, found in hits.items():
        yield from findings_of(survey, where, found)


def _hits(column: Aligned, verdicts: Verdicts) -> Iterator[Hit]:
    """The hits of a column; else of the values that it has, which may be the answers of some items in a code."""
    if len(set(column.values)) < 2 and not column.column.startswith("(class"):
        return
    if _is_sample(verdicts.survey, column):
        return
    other = verdicts.survey.counterpart(column)
    whole = list(_hits_of(OnBothSides(column, other), verdicts))
    yield from whole
    there = present(column.values)
    if any(hit.severity == "leak" for hit in whole) or column.in_order or not _FEWEST_GAPS <= np.mean(~there) < 1:
        return
    if len(set(column.values[there])) > 1:
        known = None if other is None else other.of(present(other.values))
        partly = _hits_of(OnBothSides(column.of(there), known), verdicts)
        # What tells something with its gaps is a leak where it tells all without them.
        yield from (hit for hit in partly if not whole or hit.severity == "leak")


def _of_numbers_within(column: Aligned, verdicts: Verdicts) -> Iterator[Hit]:
    """The hits of the numbers in comments, tags and names of files: so many are tried that evidence must be more."""
    if not are_said(column):
        return
    for part, other in numbers_within(column, verdicts.survey.counterpart(column)):
        found = _hits_of(OnBothSides(part, other), verdicts)
        yield from (hit for hit in found if is_beyond_search(hit.relation))


def _hits_of(sides: OnBothSides, verdicts: Verdicts) -> Iterator[Hit]:
    survey, column = verdicts.survey, sides.test
    coverage = len(column.items) / survey.test.size
    for target in () if column.in_order or column.is_artifact else survey.task.further:
        same = verbatim(sides.values, part := target.part(column.items))
        if part.varies and same.power >= CERTAIN and same.strength.digits >= NEEDED["plain"]:
            yield Hit("leak", "answers_in_public", column, target, same, None, coverage)
    if _is_by_order(sides, survey):
        return
    for target in survey.test.targets:
        if not verdicts.part(target, column.items).varies:
            continue
        found, train, severity = _told(sides, target, verdicts)
        if severity is None or (target.is_derived and severity != "leak"):
            continue
        severity = _of_content(column, found, train, severity)
        if severity is None or _is_explained(survey, column, found, train, verdicts.part(target, column.items)):
            continue
        spoken = found.strength.form in ("equal", "sequence") and not target.is_derived
        kind: Kind = "answers_in_public" if spoken else "predictive_artifact"
        yield Hit(severity, kind, column, target, found, train, coverage)


def _told(sides: OnBothSides, target: Target, verdicts: Verdicts) -> tuple[Relation, Relation | None, Severity | None]:
    """(what a column tells of a target, the same in train, how bad that is)."""
    survey, column = verdicts.survey, sides.test
    part = verdicts.part(target, column.items)
    found = relation(sides.values, part, survey.test.ids[column.items], thorough=not column.in_order)
    if column.is_artifact and found.power < CERTAIN:
        blocks = in_blocks(sides.values, part)
        found = max(found, blocks, key=lambda one: one.power if is_beyond_search(one) else 0.0)
    is_plain = found.strength.digits >= _IN_ORDER_DIGITS or (found.power >= _IN_ORDER and found.tier != "code")
    if column.in_order and not is_plain:
        return found, None, None
    train, severity = verdicts.of(sides, target, found)
    if severity is not None and train is not None and drifts(sides, found, train, part):
        severity = None
    thin = survey.thinned(column)
    if severity is None:
        pure = by_presence(thin, verdicts.part(target, thin.items))
        if pure.power > 0:
            train, severity = verdicts.of_presence(sides, target, pure)
            found = by_presence(column, part) if severity is not None else found
    elif thin is not column and found.strength.form not in ("equal", "sequence"):
        # Items that share a patient, or a row, are one observation.
        thin_train = None if sides.train is None else survey.thinned(sides.train, train=True)
        few = OnBothSides(thin, thin_train)
        again = relation(few.values, verdicts.part(target, thin.items), survey.test.ids[thin.items])
        _, confirmed = verdicts.of(few, target, again, is_confirmation=True)
        severity = None if confirmed is None else max(severity, confirmed, key=SEVERITIES.index)
    return found, train, severity


def _is_by_order(sides: OnBothSides, survey: Survey) -> bool:
    """Whether it is no news that a column goes with the order of the rows."""
    numbers = sides.values.numbers
    if sides.test.column == "(order of rows)" and numbers is not None:
        return explained_order(survey, numbers, sides.test.items)
    return sides.test.in_order and _is_sorted(sides.values)


def _of_content(column: Aligned, found: Relation, train: Relation | None, severity: Severity) -> Severity | None:
    """The severity of what is in a picture or a sound: it is there to be used, unless it says nearly all."""
    if train is None:
        is_unsure = severity == "leak" and found.power < 0.995 and is_content(column, found.power)
        return "suspicious" if is_unsure else severity
    is_feature = train.power >= 0.5 * found.power or found.power < _ALL
    return None if is_feature and is_content(column, min(train.power, found.power)) else severity


def _is_explained(survey: Survey, column: Aligned, found: Relation, train: Relation | None, target: Target) -> bool:
    """Whether there is an honest reason for what a column tells."""
    if column.by == "itself" and train is None and found.power < 0.95:
        return True  # ids may have the place in a sequence in them
    if (column.is_artifact or found.tier == "derived") and is_given(survey, column, found):
        return True
    return follows_groups(survey, column, found, target) or is_row_of_train(survey, column, found, target)


def _is_sample(survey: Survey, column: Aligned) -> bool:
    """Whether a column repeats the sample submission, which is looked at by itself."""
    sample = survey.task.sample
    if column.column not in sample.columns or column.column in survey.task.key_columns:
        return False
    shown = sample[column.column].iloc[survey.task.rows[column.items]]
    # Nearly all: words such as NA are missing to one reader and words to another.
    same = [canonical(one) == canonical(other) for one, other in zip(texts(shown), column.values, strict=True)]
    return float(np.mean(same)) > 0.95


def _is_sorted(view: Values) -> bool:
    numbers = view.numbers
    if numbers is None or np.isnan(numbers).any():
        return False
    steps = np.diff(numbers)
    return bool((steps >= 0).all() or (steps <= 0).all()) and len(set(numbers.tolist())) > 10
