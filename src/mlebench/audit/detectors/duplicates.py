"""Equal and nearly equal rows and texts on both sides, and whether they share labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found
from mlebench.audit.likeness import alike, nearest, sharing
from mlebench.audit.pairs import FEWEST, Pairs, equal, judged
from mlebench.audit.survey import Survey
from mlebench.audit.table import Table, as_numbers, canonical, each_once
from mlebench.audit.targets import Items, plain_key

_MOST_ROWS = 20_000


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for rows and texts."""
    if survey.train is None:
        return
    yield from _rows(survey)


def _rows(survey: Survey) -> Iterator[Found]:
    for test, train in _tables(survey)[:3]:
        shared = _shared(survey, test, train)
        if not shared:
            continue
        test_rows, test_items = _owned(test, survey.test, survey)
        train_rows, train_items = _owned(train, survey.train, survey)
        if len(test_rows) < FEWEST or len(train_rows) < 8:
            continue
        where = f"{test.where} and {train.where}"
        left = _keys(test, shared, test_rows)
        right = _keys(train, shared, train_rows)
        found = judged(survey, equal(left, right, test_items, train_items), where, "equal rows")
        if found is not None:
            yield found
        for what in ("nearly equal rows", "rows with several equal values"):
            if found is not None and found.severity == "leak":
                break
            if what == "nearly equal rows":
                pairs = _near(test, train, shared, test_rows, train_rows, test_items, train_items)
            else:
                pairs = sharing(
                    left[:_MOST_ROWS], right[:_MOST_ROWS], test_items[:_MOST_ROWS], train_items[:_MOST_ROWS]
                )
            if pairs is not None and (found := judged(survey, pairs, where, what)) is not None:
                yield found
        for name in [name for name in shared if _is_prose(test, name)][:3]:
            left = _keys(test, [name], test_rows)
            right = _keys(train, [name], train_rows)
            pairs = equal(left, right, test_items, train_items)
            found = judged(survey, pairs, f"{where}: {name}", "equal texts")
            if found is None or found.severity != "leak":
                words = [[key[0] for key in keys] for keys in (left, right)]
                near_texts = alike(words[0], words[1], test_items, train_items)
                found = judged(survey, near_texts, f"{where}: {name}", "nearly equal texts") or found
            if found is not None:
                yield found


def _tables(survey: Survey) -> list[tuple[Table, Table]]:
    """Pairs of tables with the same columns, one with items to predict, one with items of train."""
    found = []
    for test in survey.matched_test:
        if not test.has_keys or len(test.items) < 0.5 * survey.test.size:
            continue
        for train in survey.matched_train:
            if not train.has_keys:
                continue
            if len(set(test.table.columns) & set(train.table.columns)) > 1 and train.table is not test.table:
                found.append((test.table, train.table))
    found.sort(key=lambda pair: -len(set(pair[0].columns) & set(pair[1].columns)))
    return found


def _shared(survey: Survey, test: Table, train: Table) -> list[str]:
    """The columns that both have, without ids, answers, and what is different for every row of both."""
    answers = {target.column for target in survey.test.targets} | set(survey.task.key_columns)
    names = [name for name in test.columns if name in train.columns and name not in answers]
    return [name for name in names if not _is_id(test.columns[name], train.columns[name])][:300]


def _is_id(left: NDArray[np.object_], right: NDArray[np.object_]) -> bool:
    some = [str(value) for value in left[:500]]
    if len(set(some)) < len(some) or any(" " in value for value in some):
        return False
    return as_numbers(left[:500]) is None or all(value.isdecimal() and len(value) > 5 for value in some)


def _is_prose(table: Table, name: str) -> bool:
    some = [value for value in table.columns[name][:300] if value]
    return (
        bool(some)
        and float(np.mean([len(value) for value in some])) > 25
        and float(np.mean([" " in value for value in some])) > 0.7
    )


def _owned(table: Table, items: Items | None, survey: Survey) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(rows, their items) of a table."""
    assert items is not None
    key = (
        survey.task.key_columns[0] if survey.task.key_columns and survey.task.key_columns[0] in table.columns else None
    )
    if key is None:
        return np.array([], dtype=np.int64), np.array([], dtype=np.int64)
    rows, owners = [], []
    seen: set[int] = set()
    for row, value in enumerate(table.columns[key]):
        for owner in items.names.get(plain_key(value), ())[:1] if value else ():
            if owner not in seen:
                seen.add(owner)
                rows.append(row)
                owners.append(owner)
    return np.array(rows, dtype=np.int64), np.array(owners, dtype=np.int64)


def _keys(table: Table, names: Sequence[str], rows: NDArray[np.int64]) -> list[Any]:
    columns = [each_once(_folded, table.columns[name][rows]) for name in names]
    return list(zip(*columns, strict=True))


def _folded(value: str | None) -> str:
    return "" if value is None else " ".join(str(canonical(value)).split())


def _near(
    test: Table, train: Table, shared: list[str], test_rows: Any, train_rows: Any, test_items: Any, train_items: Any
) -> Pairs | None:
    """Rows whose numbers are far closer together than those of train usually are."""
    left, right = [], []
    for name in shared[:60]:
        one, other = as_numbers(test.columns[name][test_rows]), as_numbers(train.columns[name][train_rows])
        if one is None or other is None or len(set(other.tolist())) < 10:
            continue
        spread = np.nanstd(other)
        if spread > 0:
            left.append(np.nan_to_num((one - np.nanmean(other)) / spread))
            right.append(np.nan_to_num((other - np.nanmean(other)) / spread))
    if len(left) < 3 or len(right[0]) < 20:
        return None
    return nearest(np.column_stack(left), np.column_stack(right), test_items, train_items)
