"""What another table says of both members of a pair, such as the cluster of each of two questions: equal or not.

Neither of the two values tells anything; whether they are the same, or whether both members are in one row, does.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import combinations, islice

import numpy as np

from mlebench.audit.column_values import Relation
from mlebench.audit.finding import Found, Severity
from mlebench.audit.judging import judge
from mlebench.audit.matching import Aligned, Matched
from mlebench.audit.predicting import predicted_values, predictions
from mlebench.audit.relations import relation
from mlebench.audit.survey import Survey
from mlebench.audit.table import Table, Texts, canonical_column, texts

_MOST_ROWS, _MOST_TABLES, _MOST_COLUMNS = 50_000, 20, 12
_MOST_TEST_TABLES = 2
_MOST_PAIRS = 15  # of columns that name members
_FEWEST, _SOME_KNOWN = 20, 0.5  # pairs whose members a table has, at all and of all
_ARE_MEMBERS = 0.3  # of the values in both columns of a table of pairs
_PROBE = 500  # values that tell whether a table has the members
_FEWEST_OF_EACH = 3
_NAMES = 8  # distinct members, at least
_NEARLY_ALL = 0.9  # of the way to certainty, on both sides
_EQUAL, _OTHER = "equal", "different"


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for tables about the members of pairs."""
    mains = (matched for matched in survey.matched_test if matched.has_keys and matched.by in survey.task.key_columns)
    for test in list(mains)[:_MOST_TEST_TABLES]:
        named = [(column, canonical_column(column.values)) for column in test.whole_columns[: 2 * _MOST_COLUMNS]]
        named = [(column, plain) for column, plain in named if len(set(plain.tolist())) >= _NAMES]
        for table in [table for table in survey.tables if len(named) > 1 and _may_tell(table, test)][:_MOST_TABLES]:
            cells = {name: canonical_column(values) for name, values in table.columns.items()}
            fitting = (pair for pair in combinations(named, 2) if _fits(cells, pair[0][1], pair[1][1]))
            pairs = list(islice(fitting, _MOST_PAIRS))
            found = next((found for one, two in pairs for found in _of_pair(survey, table, cells, one, two)), None)
            if found is not None:
                yield found


def _may_tell(table: Table, test: Matched) -> bool:
    is_copy = len(table) == len(test.table) and set(table.columns) >= set(test.table.columns)
    return (
        not table.is_artifact
        and not is_copy  # nor the table itself
        and 2 <= len(table.columns) <= _MOST_COLUMNS
        and _FEWEST <= len(table) <= _MOST_ROWS
        and table.keys is None
    )


def _fits(cells: dict[str, Texts], one: Texts, other: Texts) -> bool:
    """Whether a table has most of the members of either column, or members in two of its columns."""
    listed = [set(values.tolist()) for values in cells.values()]
    if min(max(_share(_some(names), values) for values in listed) for names in (one, other)) >= _SOME_KNOWN:
        return True
    members = {*one.tolist(), *other.tolist()}
    return sum(_share(_some(values), members) >= _ARE_MEMBERS for values in cells.values()) > 1


def _some(values: Texts) -> list[str | None]:
    """Some of the values, from all over the column."""
    chosen: list[str | None] = values[:: max(1, len(values) // _PROBE)].tolist()
    return chosen


def _share(values: list[str | None], of: AbstractSet[str | None]) -> float:
    return sum(value in of for value in values) / max(1, len(values))


def _of_pair(
    survey: Survey, table: Table, cells: dict[str, Texts], one: tuple[Aligned, Texts], two: tuple[Aligned, Texts]
) -> Iterator[Found]:
    (left, first), (right, second) = one, two
    others = [survey.counterpart(column) for column in (left, right)]
    known = None
    if others[0] is not None and others[1] is not None and np.array_equal(others[0].items, others[1].items):
        known = (others[0], canonical_column(others[0].values), canonical_column(others[1].values))
    for what, said in _ways(cells, {*first.tolist(), *second.tolist()}):
        if isinstance(said, _Together) and survey.train_table is not None and table.where == survey.train_table.where:
            continue  # all pairs of train are there, and those of test are where they are common
        mine = said(first, second)
        there = np.array([value is not None for value in mine])
        if there.sum() < max(_FEWEST, _SOME_KNOWN * len(mine)) or not _varies(mine[there]):
            continue
        column = Aligned(table.where, what, mine, left.items, left.by).of(there)
        other = None
        if known is not None:
            of_train = said(*known[1:])
            kept = np.array([value is not None for value in of_train])
            if kept.sum() >= _FEWEST and _varies(of_train[kept]):
                other = Aligned(table.where, what, of_train, known[0].items, known[0].by).of(kept)
        names = f"{left.column} and {right.column}"
        if (found := _judged(survey, column, other, names)) is not None:
            yield found


class _Said:
    """Whether a table says the same of two members, by a column with a row for each of them."""

    def __init__(self, keys: Texts, values: Texts) -> None:
        self._said = dict(zip(keys.tolist(), values.tolist(), strict=True))

    def __call__(self, first: Texts, second: Texts) -> Texts:
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        return texts(self._of(one, other) for one, other in pairs)

    def _of(self, one: str | None, other: str | None) -> str | None:
        left, right = self._said.get(one), self._said.get(other)
        if left is None or right is None:
            return None
        # What stands for a cluster may be one of its members.
        return _EQUAL if left in (right, other) or right == one else _OTHER


class _Together:
    """Whether two members are in one row of a table."""

    def __init__(self, one: Texts, other: Texts) -> None:
        self._rows = {frozenset(pair) for pair in zip(one.tolist(), other.tolist(), strict=True)}

    def __call__(self, first: Texts, second: Texts) -> Texts:
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        return texts(_EQUAL if frozenset(pair) in self._rows else _OTHER for pair in pairs)


def _ways(cells: dict[str, Texts], members: AbstractSet[str | None]) -> Iterator[tuple[str, _Said | _Together]]:
    keys = [name for name, values in cells.items() if len(set(values.tolist())) == len(values)]
    for key in keys[:2]:
        for name, values in cells.items():
            if name != key and len(set(values.tolist())) < len(values):
                yield name, _Said(cells[key], values)
    naming = [name for name, values in cells.items() if _share(_some(values), members) >= _ARE_MEMBERS]
    for one, other in list(combinations(naming, 2))[:_MOST_PAIRS]:
        yield f"{one} and {other}", _Together(cells[one], cells[other])


def _varies(values: Texts) -> bool:
    equal = int((values == _EQUAL).sum())
    return min(equal, len(values) - equal) >= _FEWEST_OF_EACH


def _judged(survey: Survey, column: Aligned, other: Aligned | None, names: str) -> Found | None:
    for target in survey.test.targets:
        part = target.part(column.items)
        if target.is_derived or not part.varies:
            continue
        labels = survey.train.target(target.name) if survey.train is not None else None
        found = relation(column.values, part, survey.test.ids[column.items], thorough=False)
        in_train: Relation | None = None
        if other is not None and labels is not None and survey.train is not None:
            known = labels.part(other.items)
            if known.varies:
                in_train = relation(other.values, known, survey.train.ids[other.items], thorough=False, in_train=True)
        severity: Severity | None = judge(
            found,
            len(column.items),
            in_train,
            0 if other is None else len(other.items),
            has_train=labels is not None,
            is_artifact=False,
            same_name=False,
        )
        if severity is None and in_train is not None and min(found.power, in_train.power) >= _NEARLY_ALL:
            severity = "suspicious"
        if severity not in ("leak", "suspicious"):
            continue
        values = predicted_values(column.values, found, part)
        train = "" if in_train is None else f"; in train it is {in_train.power:.0%}"
        words = (
            f"Whether {column.column} is the same for {names}, or has both of them, tells {target.name} "
            f"({found.power:.0%} of the way from guessing to certainty, {len(column.items):,} items{train})"
        )
        rows = survey.task.rows[column.items]
        return Found(
            "answers_in_public",
            severity,
            f"{column.where}: {column.column}",
            f"{words}.",
            rank=found.power * len(column.items) / survey.test.size,
            predictions=predictions(target, rows, values),
        )
    return None
