"""Two ids in a row, as of the two texts of a pair, whose numbers follow one another where the answer is one class.

Things that were added together, such as a question and its copy, get numbers next to one another. No feature is in
that. What is near in time or in space may tell much, and is honest: ids are whole numbers that are spread evenly over
one range in both columns, with no regard to the answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.column_values import Relation
from mlebench.audit.finding import Found
from mlebench.audit.matching import Matched
from mlebench.audit.numbering import are_ids, number_in
from mlebench.audit.predicting import predicted_values, predictions
from mlebench.audit.sides import both_sides
from mlebench.audit.strength import NONE, Strength, by_groups
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, texts
from mlebench.audit.targets import Items, Target

_MOST_TABLES, _MOST_COLUMNS, _MOST_CLASSES = 12, 12, 30
_FEWEST = 40
_DISTANCES = (0, 1, 3, 10, 30, 100, 1000)
_NEARLY_ALL = 0.9  # power on both sides
_DIGITS = 12.0
_FAR = 0.1  # of the range of the ids, that others than neighbours are from one another


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for tables of both sides that have two columns of ids."""
    if survey.train is None:
        return
    seen = set()
    for test, train in islice(both_sides(survey), _MOST_TABLES):
        if min(len(test.items), len(train.items)) < _FEWEST or test.table.where in seen:
            continue
        mine, theirs = _ids(test, survey.test), _ids(train, survey.train)
        shared = [name for name in mine if name in theirs][:_MOST_COLUMNS]
        for pair in combinations(shared, 2):
            sides = [tuple(side[name] for name in pair) for side in (mine, theirs)]
            found = _judged(survey, test, train, pair, sides) if all(_have_one_range(*side) for side in sides) else None
            if found is not None:
                seen.add(test.table.where)
                yield found
                break


def _ids(matched: Matched, items: Items) -> dict[str, Numbers]:
    """What may be ids in a table, and the names of its items, as numbers."""
    columns = {one.column: one.values for one in matched.whole_columns if not one.is_artifact}
    columns = {"the id": items.ids[matched.items], **columns}
    numbers = ((name, number_in(values)) for name, values in columns.items())
    return {name: found for name, found in numbers if found is not None and are_ids(found)}


def _have_one_range(one: Numbers, other: Numbers) -> bool:
    """Whether two columns have ids of the same things, most of which are far from one another in their rows."""
    low, high = min(one.min(), other.min()), max(one.max(), other.max())
    shared = min(one.max(), other.max()) - max(one.min(), other.min())
    gaps = np.abs(one - other)
    beyond = gaps[gaps > _DISTANCES[2]]
    return bool(shared >= 0.8 * (high - low) and len(beyond) and np.median(beyond) >= _FAR * (high - low))


def _judged(
    survey: Survey, test: Matched, train: Matched, pair: tuple[str, ...], sides: list[tuple[Numbers, ...]]
) -> Found | None:
    assert survey.train is not None
    codes = [np.searchsorted(_DISTANCES, np.abs(one - other)).astype(np.int64) for one, other in sides]
    for target in survey.test.targets:
        labels = survey.train.target(target.name)
        if labels is None or target.is_derived or not 2 <= target.n_classes <= _MOST_CLASSES:
            continue
        parts = [target.part(test.items), labels.part(train.items)]
        found, known = (_told(near, part) for near, part in zip(codes, parts, strict=True))
        if min(found.power, known.power) < _NEARLY_ALL or found.digits < _DIGITS:
            continue
        shown = codes[0].astype(object)
        values = predicted_values(texts(shown.tolist()), Relation(found, "derived", "nearness", shown), parts[0])
        return Found(
            "predictive_artifact",
            "leak",
            f"{test.table.where}: {pair[0]} and {pair[1]}",
            f"How near the numbers in {pair[0]} and {pair[1]} are tells {target.name} ({found.power:.0%} of the way "
            f"from guessing to certainty, in train {known.power:.0%}): ids in a row were given together.",
            rank=found.power,
            predictions=predictions(target, survey.task.rows[test.items], values),
        )
    return None


def _told(codes: NDArray[np.int64], part: Target) -> Strength:
    """What is told by how near ids are."""
    return NONE if part.coded is None or not part.varies else by_groups(codes, part.coded, part.n_classes)
