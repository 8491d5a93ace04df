"""Values that spell out which labels an item has, where the submission has a column for each label.

Column by column such a value tells little, since each label is rare; all of them together have the answers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.honesty import is_content
from mlebench.audit.judging import NEEDED
from mlebench.audit.matching import Aligned
from mlebench.audit.strength import of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, as_numbers, canonical, is_missing, texts
from mlebench.audit.targets import Target

_FEWEST, _FEWEST_LABELS = 8, 3  # items; labels of which items may have several
_MOST_COLUMNS = 4000
_ARE_LABELS = 0.95  # of the values
_RIGHT, _RIGHT_IN_TRAIN = 0.6, 0.9  # of the items, where train has no such column, and where it has one
_SEVERAL = re.compile(r"\s*[,;|]\s*")
Labels = frozenset[str]


def detect(survey: Survey) -> Iterator[Found]:
    """The columns, tags and folders whose values are labels, one finding per place."""
    asked = {str(canonical(str(name))) for name in survey.task.sample.columns if name not in survey.task.key_columns}
    targets = [one for one in (*survey.test.targets, *survey.task.further) if one.column and _is_flag(one)]
    if len(asked) < _FEWEST_LABELS or len(targets) < _FEWEST_LABELS or any(name.isdecimal() for name in asked):
        return
    truth = _truth(targets, survey.test.size)
    seen = set()
    for column in survey.test_columns[:_MOST_COLUMNS]:
        if column.in_order or column.where in seen or is_content(column, 0.0):
            continue
        found = _judged(survey, column, asked, targets, truth)
        if found is not None:
            seen.add(column.where)
            yield found


def _is_flag(target: Target) -> bool:
    return not target.is_derived and set(target.classes) <= {"0", "1"}


def _truth(targets: Sequence[Target], size: int) -> list[Labels]:
    """The labels of each item."""
    flags = {str(canonical(one.column)): one.plain == "1" for one in targets}
    return [frozenset(name for name, has in flags.items() if has[row]) for row in range(size)]


def _spelled(values: Texts, asked: set[str]) -> list[Labels] | None:
    """The labels that each value names, where nearly all values do nothing else."""
    names: dict[str, Labels] = {}
    for value in {str(value) for value in values if not is_missing(value)}:
        parts = [value] if canonical(value) in asked else _SEVERAL.split(value.strip("[]() "))
        names[value] = frozenset(str(canonical(part)) for part in parts)
        if len(names) >= _FEWEST and not any(known <= asked for known in names.values()):
            return None
    spelled = [names[str(value)] if not is_missing(value) else frozenset() for value in values]
    known = [labels for labels in spelled if labels]
    if len(known) < _FEWEST or float(np.mean([labels <= asked for labels in known])) < _ARE_LABELS:
        return None
    return spelled


def _judged(
    survey: Survey, column: Aligned, asked: set[str], targets: Sequence[Target], truth: list[Labels]
) -> Found | None:
    if len(set(column.values)) < 2 or (spelled := _spelled(column.values, asked)) is None:
        return None
    pairs = [(said, truth[item]) for said, item in zip(spelled, column.items.tolist(), strict=True) if said]
    right = sum(said <= labels for said, labels in pairs)
    said_so, have = Counter(said for said, _ in pairs), Counter(labels for _, labels in pairs)
    fitting = sum(n * m for said, n in said_so.items() for labels, m in have.items() if said <= labels)
    digits = of_hits(right, len(pairs), fitting / len(pairs) ** 2)
    in_train = survey.counterpart(column)
    share = right / len(pairs)
    if digits < NEEDED["derived"] or share < (_RIGHT if in_train is None else _RIGHT_IN_TRAIN):
        return None
    rows = survey.task.rows[column.items]
    predictions = tuple(
        Prediction(one.name, one.column, rows, texts(int(canonical(one.column) in said) for said in spelled))
        for one in targets
        if as_numbers(one.values) is not None
    )
    return Found(
        "answers_in_public",
        "leak" if in_train is None or column.is_artifact else "suspicious",  # a tag has no honest reason to do so
        f"{column.where}: {column.column}",
        f"The column {column.column} names labels that the item has, for {share:.0%} of {len(pairs):,} items "
        f"(matched by {column.by}).",
        rank=1 + share,
        predictions=predictions,
    )
