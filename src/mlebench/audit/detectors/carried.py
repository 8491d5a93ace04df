"""Answers in the rows of other items: the value that follows, or the one before, as columns of lags have it.

Where train and test take turns in time, a lag in train is the answer of the row of test before it; where test has the
lags of its own rows, each row tells the answer of the one before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.matching import Matched
from mlebench.audit.strength import groups_of, of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, as_numbers, canonical_column, texts
from mlebench.audit.targets import Target

_STEPS = (1, -1, 2, -2, 3, -3)
_FEWEST = 12
_MOST_ORDERS = 16
_MOST_COLUMNS = 60
_MOST_ROWS = 20_000
_DIGITS, _RIGHT = 8.0, 0.9


@dataclass(frozen=True)
class _Rows:
    """The rows of test and, behind them, of train: columns, and the answers of those of test."""

    columns: dict[str, Texts]
    owner: NDArray[np.int64]  # the item of test, or -1
    ids: Texts
    where: str


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns that have the answers of other rows."""
    for matched in survey.matched_test:
        if not matched.has_keys or len(matched.items) < 2 * _FEWEST:
            continue
        known = next(iter(survey.tables_of_train(matched.table.where)), None)
        for rows in (_together(survey, matched, known), _together(survey, matched, None)):
            if len(rows.owner) > _MOST_ROWS:
                continue
            found = _carried(survey, rows)
            if found is not None:
                yield found
                break


def _together(survey: Survey, matched: Matched, known: Matched | None) -> _Rows:
    columns = {column.column: column.values for column in matched.whole_columns}
    owner, ids = matched.items, survey.test.ids[matched.items]
    if known is not None and survey.train is not None:
        others = {column.column: column.values for column in known.columns if len(column.items) == len(known.items)}
        columns = {name: np.concatenate([values, others[name]]) for name, values in columns.items() if name in others}
        owner = np.concatenate([owner, np.full(len(known.items), -1)])
        ids = np.concatenate([ids, survey.train.ids[known.items]])
    return _Rows(columns, owner, ids, matched.table.where)


def _carried(survey: Survey, rows: _Rows) -> Found | None:
    targets = [target for target in survey.test.targets if not target.is_derived and target.varies][:3]
    plain = {name: canonical_column(values) for name, values in list(rows.columns.items())[:_MOST_COLUMNS]}
    for target in targets:
        answers = set(target.plain)
        spoken = {
            name: values
            for name, values in plain.items()
            if len(set(values) & answers) >= min(2, len(answers)) and len(set(values)) > 1
        }
        if not spoken:
            continue
        for what, order, group in _orders(rows):
            for name, values in spoken.items():
                for step in _STEPS:
                    found = _told(survey, rows, target, values, order, group, step)
                    if found is not None:
                        hits, count, prediction = found
                        side = "after" if step > 0 else "before"
                        return Found(
                            "time",
                            "leak",
                            f"{rows.where}: {name}",
                            f"In the order of {what}, {name} has {target.name} of the item {abs(step)} {side} it: "
                            f"{hits:,} of {count:,} answers can be read off other rows.",
                            rank=hits / count,
                            predictions=(prediction,),
                        )
    return None


def _orders(rows: _Rows) -> Iterator[tuple[str, NDArray[np.int64], NDArray[np.int64]]]:
    """(what it is, the rows in that order, their groups): by the file, ids and columns, also within groups."""
    n = len(rows.owner)
    none = np.zeros(n, dtype=np.int64)
    if (rows.owner >= 0).all():
        yield "the rows", np.arange(n), none
    by: list[tuple[str, NDArray[np.float64]]] = []
    numbers = as_numbers(rows.ids, enough=1.0)
    if numbers is not None and not np.isnan(numbers).any():
        by.append(("the ids", numbers))
    within: list[tuple[str, NDArray[np.int64]]] = []
    for name, values in rows.columns.items():
        found = as_numbers(values, enough=1.0)
        distinct = len(set(values))
        if found is not None and not np.isnan(found).any() and distinct > 0.3 * n:
            by.append((name, found))
        elif 3 <= distinct <= n / 4 and len(within) < 4:
            within.append((name, groups_of(values)))
    count = 0
    for label, keys in by[:6]:
        yield label, np.argsort(keys, kind="stable"), none
    for group_name, groups in within:
        for label, keys in [*by[:3], ("the rows", np.arange(n, dtype=float))]:
            if label == "the rows" and (rows.owner < 0).any():
                continue
            count += 1
            if count > _MOST_ORDERS:
                return
            yield f"{label} within {group_name}", np.lexsort((keys, groups)), groups


def _told(
    survey: Survey,
    rows: _Rows,
    target: Target,
    values: Texts,
    order: NDArray[np.int64],
    group: NDArray[np.int64],
    step: int,
) -> tuple[int, int, Prediction] | None:
    """(right, how many, what one would submit) where a column has the answers of items so many rows away."""
    if step > 0:
        here, there = order[:-step], order[step:]
    else:
        here, there = order[-step:], order[:step]
    taken = (group[here] == group[there]) & (rows.owner[there] >= 0)
    here, there = here[taken], there[taken]
    shown = values[here]
    is_there = np.array([value is not None and value != "" for value in shown], dtype=bool)
    here, there, shown = here[is_there], there[is_there], shown[is_there]
    if len(here) < max(_FEWEST, 0.1 * len(target.values)):
        return None
    items = rows.owner[there]
    truth = target.plain[items]
    hits = int((shown == truth).sum())
    if hits < _RIGHT * len(items):
        return None
    shares, answers = Counter(shown), Counter(truth)
    chance = sum(count * shares.get(value, 0) for value, count in answers.items()) / len(items) ** 2
    own = rows.owner[here] >= 0
    itself = float(np.mean(shown[own] == target.plain[rows.owner[here][own]])) if own.any() else 0.0
    if of_hits(hits, len(items), chance) < _DIGITS or itself > hits / len(items) - 0.1:
        return None  # a column that has the answers of its own rows is found as such
    written = dict(zip(target.plain, target.values, strict=True))
    given = texts(written.get(value, value) for value in shown)
    prediction = Prediction(target.name, target.column, survey.task.rows[items], given)
    return hits, len(items), prediction
