"""Tables that both sides have: one of items to predict, and the one of train that is like it."""

from __future__ import annotations

from collections.abc import Iterator

from mlebench.audit.matching import Aligned, Matched
from mlebench.audit.survey import Survey

_SHARED = 0.6  # of the columns, in tables that are alike whatever they are called


def both_sides(survey: Survey) -> Iterator[tuple[Matched, Matched]]:
    """(a table of test, the same of train): by their names, or by their columns where names say nothing."""
    theirs = [matched for matched in survey.matched_train if matched.has_keys]
    for test in survey.matched_test:
        if not test.has_keys:
            continue
        same = [train for train in survey.tables_of_train(test.table.where) if train.has_keys]
        yield from ((test, train) for train in same or theirs[:1] if train in same or _alike(test, train))


def columns_of_both(survey: Survey) -> Iterator[tuple[Matched, Matched, Aligned, Aligned]]:
    """(a table of test, the same of train, a column of both) for columns that are neither ids nor of files."""
    for test, train in both_sides(survey):
        for column in test.columns:
            other = next((found for found in train.columns if found.column == column.column), None)
            if other is not None and not column.is_artifact and column.column not in survey.task.key_columns:
                yield test, train, column, other


def _alike(test: Matched, train: Matched) -> bool:
    if test.table is train.table:
        return False
    shared = [name for name in test.table.columns if name in train.table.columns]
    return len(shared) >= max(2, _SHARED * len(test.table.columns))
