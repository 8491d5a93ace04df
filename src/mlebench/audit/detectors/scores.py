"""Scores of a model for each class: as many columns as there are classes, of which the largest is the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.matching import Matched
from mlebench.audit.strength import by_groups
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, as_numbers, texts
from mlebench.audit.targets import Target

_FEWEST_CLASSES, _MOST_CLASSES = 3, 400
_TELLS, _DIGITS = 0.7, 10.0


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for tables that train has not, or that say nothing of train."""
    targets = [
        target
        for target in survey.test.targets
        if not target.is_derived and _FEWEST_CLASSES <= target.n_classes <= _MOST_CLASSES and target.coded is not None
    ]
    seen: set[str] = set()
    for matched in survey.matched_test if targets else ():
        if matched.table.is_artifact or matched.table.where in seen or len(matched.table.columns) > _MOST_CLASSES + 2:
            continue
        for target in targets:
            scores = _scores(survey, matched, target)
            found = None if scores is None else _told(survey, matched, target, scores)
            if found is not None:
                seen.add(matched.table.where)
                yield found
                break


def _scores(survey: Survey, matched: Matched, target: Target) -> Numbers | None:
    """A column per class, where that is what a table has beside names; None where train has them, too."""
    known = survey.train.target(target.name) if survey.train is not None else None
    classes = {*target.classes, *(known.classes if known is not None else ())}
    counts = {target.n_classes, len(classes)} | {
        int(name) + 1 for name in classes if name.isdecimal() and len(name) < 4
    }
    columns = [
        (column, numbers)
        for column in matched.whole_columns
        if (numbers := as_numbers(column.values, enough=1.0)) is not None
    ]
    if len(columns) not in counts or len(columns) < _FEWEST_CLASSES:
        return None
    if any(survey.counterpart(column) is not None for column, _ in columns[:_FEWEST_CLASSES]):
        return None
    return np.column_stack([numbers for _, numbers in columns])


def _told(survey: Survey, matched: Matched, target: Target, scores: Numbers) -> Found | None:
    part = target.part(matched.items)
    if part.coded is None or not part.varies:
        return None
    largest = np.nan_to_num(scores).argmax(axis=1)
    measured = by_groups(np.unique(largest, return_inverse=True)[1], part.coded, part.n_classes)
    if measured.power < _TELLS or measured.digits < _DIGITS:
        return None
    meant = {place: Counter(part.values[largest == place]).most_common(1)[0][0] for place in set(largest.tolist())}
    values = texts(meant[place] for place in largest.tolist())
    return Found(
        "answers_in_public",
        "leak",
        f"{matched.table.where}: the column with the largest value",
        f"It has {scores.shape[1]} columns, and the one with the largest value tells {target.name} "
        f"({measured.power:.0%} of the way from guessing to certainty, {len(largest):,} items matched by "
        f"{matched.by}); train has no such scores.",
        rank=measured.power,
        predictions=(Prediction(target.name, target.column, survey.task.rows[matched.items], values),),
    )
