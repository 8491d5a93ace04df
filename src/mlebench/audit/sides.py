"""Tables that both sides have, one of items to predict and the one of train like it; and the kinds of rows in one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.matching import Aligned, Matched
from mlebench.audit.survey import Survey

MOST_KINDS = 12  # of rows, such as studies and pictures
_FORM = re.compile(r"^.*[\d\W_](?=[a-zA-Z]+$)")  # of an id, all but the word that it ends in
_SHARED = 0.6  # of the columns, in tables that are alike whatever they are called


def kinds_of_rows(survey: Survey) -> list[str]:
    """The word that each id ends in, such as `study` and `image`, where there are few; else nothing for all."""
    ends = [_FORM.sub("", str(name)) for name in survey.test.ids]
    # Few ids that end in no word would be a kind each.
    return ends if 1 < len(set(ends)) <= min(MOST_KINDS, len(ends) // 2) else [""] * len(ends)


def rows_of_one_kind(survey: Survey) -> NDArray[np.int64]:
    """The items of the most frequent kind: a sample lists kind after kind, and each has answers of its own."""
    kinds = kinds_of_rows(survey)
    usual = Counter(kinds).most_common(1)[0][0]
    return np.array([place for place, kind in enumerate(kinds) if kind == usual], dtype=np.int64)


def both_sides(survey: Survey) -> Iterator[tuple[Matched, Matched]]:
    """(a table of test, the same of train): by their names, or by their columns where names say nothing."""
    theirs = [matched for matched in survey.matched_train if matched.has_keys]
    for test in survey.matched_test:
        if not test.has_keys:
            continue
        same = [train for train in survey.tables_of_train(test.table.where) if train.has_keys]
        others = [] if same else [train for train in theirs[:1] if _alike(test, train)]
        yield from ((test, train) for train in (*same, *others))


def tables_to_combine(survey: Survey, fewest: float, most: int) -> list[Matched]:
    """The tables whose columns are worth trying together: those that share most with the table of train, and others.

    In lists of checksums many a number is an id by chance; they must not crowd out the table of test.
    """
    tables = [matched for matched in survey.matched_test if matched.has_keys and len(matched.items) >= fewest]
    shared = [sum(survey.counterpart(column) is not None for column in matched.columns) for matched in tables]
    known = survey.train_table.columns if survey.train_table is not None else {}
    of_train = [sum(column.column in known for column in matched.columns) for matched in tables]
    places = sorted(range(len(tables)), key=lambda place: (-of_train[place], -shared[place]))
    chosen = [place for place in places if shared[place]][:most]
    chosen += [place for place in places if not shared[place]][: most - 1]
    return [tables[place] for place in chosen]


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
