"""Columns that name items of train, such as nearest neighbours: whose labels are there to be looked up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.matching import Aligned
from mlebench.audit.pairs import share_agreed
from mlebench.audit.strength import of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, texts
from mlebench.audit.targets import Items, Target, plain_key

_FEWEST, _SHARE = 12, 0.3  # items whose value names one of train, at least
_TELLS, _MORE, _NEEDED = 0.6, 0.2, 6.0  # the power that is a leak; by how much more than in train; digits
_MOST_COLUMNS = 400


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns of items to predict that name items of train."""
    if survey.train is None:
        return
    columns = (column for column in survey.test_columns if column.by != "itself" and not column.in_order)
    for column, _ in zip(columns, range(_MOST_COLUMNS), strict=False):
        known, rows = _named(column, survey.train)
        if len(rows) < max(_FEWEST, _SHARE * len(column.items)):
            continue
        for target in survey.test.targets:
            labels = survey.train.target(target.name)
            if labels is None or target.is_derived:
                continue
            items = column.items[known]
            part, given = target.part(items), labels.values[rows]
            power = _power(part, given)
            if power < _TELLS or _digits(part, given) < _NEEDED or _in_train(survey, column, labels) > power - _MORE:
                continue
            yield Found(
                "answers_in_public",
                "leak",
                f"{column.where}: {column.column}",
                f"The column names items of train for {len(items):,} of {survey.test.size:,} items to predict, whose "
                f"label in train is the answer for {target.name} ({power:.0%} of the way from guessing to certainty).",
                rank=power * len(items) / survey.test.size,
                predictions=(Prediction(target.name, target.column, survey.task.rows[items], given),),
            )


def _named(column: Aligned, train: Items, but: NDArray[np.int64] | None = None) -> tuple[NDArray[np.int64], list[int]]:
    """(places in the column, rows of train) of the values that name one item of train, and not the item itself."""
    places, rows = [], []
    for place, value in enumerate(column.values):
        found = train.names.get(plain_key(value), ()) if value else ()
        if len(found) == 1 and (but is None or found[0] != but[place]):
            places.append(place)
            rows.append(found[0])
    return np.array(places, dtype=np.int64), rows


def _digits(target: Target, given: Texts) -> float:
    """The evidence that labels which are looked up are no chance."""
    looked_up = Target(target.name, target.column, texts(given))
    if target.n_classes == 0 and target.numbers is not None and looked_up.numbers is not None:
        far = 0.1 * float(np.std(target.numbers))
        right = np.abs(looked_up.numbers - target.numbers) < far
        chance = float(np.mean(np.abs(np.roll(looked_up.numbers, 1) - target.numbers) < far))
    else:
        right = looked_up.plain == target.plain
        shares, others = Counter(target.plain), Counter(looked_up.plain)
        chance = sum(count * others[name] for name, count in shares.items()) / len(right) ** 2
    return of_hits(int(right.sum()), len(right), max(chance, 1 / len(right)))


def _power(target: Target, given: Texts) -> float:
    return share_agreed(target, np.arange(len(given)), given)


def _in_train(survey: Survey, column: Aligned, labels: Target) -> float:
    """The power of the same column in train, where it names items of train, too."""
    other = survey.counterpart(column)
    if other is None or survey.train is None:
        return 0.0
    known, rows = _named(other, survey.train, other.items)
    if len(rows) < _FEWEST:
        return 0.0
    return _power(labels.part(other.items[known]), labels.values[rows])
