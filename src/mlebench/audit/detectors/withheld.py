"""Columns that train has and what is given of the items to predict has not, and that another file has for these.

What is withheld is so for a reason: where it follows from the answers, such as the opinion of most of those whose votes
are to be predicted, it tells them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.matching import Aligned
from mlebench.audit.strength import of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, canonical, texts
from mlebench.audit.targets import Items, present

_FEWEST, _FEWEST_TARGETS, _MOST_VALUES = 8, 3, 40
_FOLLOWS = 0.8  # of the items, whose value is that of the largest of their answers in train
_DIGITS = 8.0  # that test needs: some items may share a whole, and so an answer


def detect(survey: Survey) -> Iterator[Found]:
    """Columns that say which of several answers is the largest."""
    train, table = survey.train, survey.train_table
    largest = _largest(survey.test)
    known = None if train is None else _largest(train)
    if train is None or table is None or largest is None or known is None or survey.train_rows is None:
        return
    given = _given(survey)
    withheld = [name for name in table.columns if name not in given and name not in survey.task.sample.columns]
    for column in survey.test_columns:
        if column.column not in withheld or column.where == table.where or column.is_artifact or column.in_order:
            continue
        found = _judged(survey, column, table.columns[column.column][survey.train_rows], largest, known)
        if found is not None:
            yield found


def _largest(items: Items) -> Texts | None:
    """Which of several amounts is the largest, for each item."""
    targets = [one for one in items.targets if not one.is_derived and one.column is not None]
    numbers = [one.numbers for one in targets if one.numbers is not None]
    if len(numbers) < _FEWEST_TARGETS or len(numbers) < len(targets):
        return None
    names = [str(one.column) for one in targets]
    return texts(names[place] for place in np.column_stack(numbers).argmax(axis=1))


def _given(survey: Survey) -> set[str]:
    """The columns of tables that have more of what train has than a withheld column and an id."""
    assert survey.train_table is not None
    shared = len(survey.train_table.columns) // 4
    return {
        name
        for matched in survey.matched_test
        if matched.has_keys and len(matched.table.columns.keys() & survey.train_table.columns.keys()) > max(2, shared)
        for name in matched.table.columns
    }


def _judged(survey: Survey, column: Aligned, labels: Texts, largest: Texts, known: Texts) -> Found | None:
    there = present(column.values)
    if there.sum() < _FEWEST or len({canonical(value) for value in labels}) > _MOST_VALUES:
        return None
    votes: dict[str | None, Counter[str]] = {}
    for value, answer in zip(labels, known, strict=True):
        votes.setdefault(canonical(value), Counter())[str(answer)] += 1
    follow = sum(counts.most_common(1)[0][1] for counts in votes.values())
    if follow < _FOLLOWS * len(labels) or len({counts.most_common(1)[0][0] for counts in votes.values()}) < 2:
        return None
    items = column.items[there]
    said = [
        votes[key].most_common(1)[0][0] if (key := canonical(value)) in votes else None
        for value in column.values[there]
    ]
    truth = largest[items]
    right = sum(one == other for one, other in zip(said, truth, strict=True))
    base = Counter(truth.tolist()).most_common(1)[0][1] / len(truth)
    if right < _FOLLOWS * len(truth) or of_hits(right, len(truth), base) < _DIGITS:
        return None
    rows = survey.task.rows[items]
    names = [str(one.column) for one in survey.test.targets if not one.is_derived and one.column is not None]
    predictions = tuple(Prediction(name, name, rows, texts(int(one == name) for one in said)) for name in names)
    return Found(
        "answers_in_public",
        "leak",
        f"{column.where}: {column.column}",
        f"The column {column.column}, which train has and what is given of the items to predict lacks, says which "
        f"of the answers is the largest, for {right:,} of {len(truth):,} items (matched by {column.by}), as in train.",
        rank=right / len(truth),
        predictions=predictions,
    )
