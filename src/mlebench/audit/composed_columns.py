"""Columns that several columns of a table are together: a column per class, and answers written in two pieces."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlebench.audit.matching import Aligned, Matched
from mlebench.audit.said import verbatim
from mlebench.audit.survey import Survey
from mlebench.audit.table import as_numbers, canonical, texts
from mlebench.audit.targets import Items

_MOST_PIECES = 6  # columns of a table that are written one behind the other


def columns_of_classes(matched: Matched, survey: Survey) -> Iterator[Aligned]:
    """One column for several that are one class together, whatever their names are."""
    whole = next((target for target in survey.test.targets if target.column is None), None)
    keys = survey.task.key_columns
    asked = [] if whole is None else [str(name) for name in survey.task.sample.columns if name not in keys]
    classes = {canonical(name) for name in asked}
    own = [column.column for column in matched.columns if not column.is_artifact]
    # A matrix whose columns have numbers for names has those of the submission, in their order.
    is_unnamed = len(own) == len(asked) and not any(canonical(name) in classes for name in own)
    renamed = dict(zip(own, asked, strict=True)) if is_unnamed else {}
    binary = []
    for column in matched.columns[:600]:
        numbers = as_numbers(column.values, enough=1.0)
        if numbers is not None and not np.isnan(numbers).any() and np.isin(numbers, (0, 1)).all() and numbers.any():
            binary.append((renamed.get(column.column, column.column), numbers))
    if len(binary) > 2:
        matrix = np.column_stack([numbers for _, numbers in binary])
        if (matrix.sum(axis=1) == 1).mean() > 0.99:
            names = [name for name, _ in binary]
            where = matched.columns[0].where
            values = texts(names[place] for place in matrix.argmax(axis=1))
            name = f"(class: columns {names[0]} to {names[-1]})"
            yield Aligned(where, name, values, matched.items, matched.by, in_order=matched.in_order)
            return
    # Scores of classes: the largest is the class.
    scores = [
        (name, numbers)
        for column in matched.columns[:2000]
        if canonical(name := renamed.get(column.column, column.column)) in classes
        and (numbers := as_numbers(column.values, enough=1.0)) is not None
    ]
    if whole is not None and len(scores) >= max(2, 0.8 * len(whole.classes)):
        matrix = np.nan_to_num(np.column_stack([numbers for _, numbers in scores]))
        values = texts(scores[place][0] for place in matrix.argmax(axis=1))
        where, name = matched.columns[0].where, "(class: the column with the largest value)"
        yield Aligned(where, name, values, matched.items, matched.by, in_order=matched.in_order)


def columns_in_pieces(matched: Matched, items: Items) -> Iterator[Aligned]:
    """Two columns that are the answers where they are written one behind the other."""
    plain = [column for column in matched.columns if not column.is_artifact]
    if matched.table.is_artifact or not 2 <= len(plain) <= _MOST_PIECES:
        return
    for first in plain:
        for second in plain:
            if first is second:
                continue
            values = texts(f"{one or ''}{other or ''}" for one, other in zip(first.values, second.values, strict=True))
            for target in items.targets:
                part = target.part(matched.items)
                if verbatim(values, part).power >= 0.3 > verbatim(first.values, part).power:
                    name = f"{first.column} and {second.column}"
                    yield Aligned(first.where, name, values, matched.items, matched.by, in_order=matched.in_order)
                    break
