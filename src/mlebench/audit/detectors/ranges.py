"""Columns whose ranges are the classes, on both sides and without a mistake: a date of export, a sum paid back.

A feature, however strong, has items of one class among those of another. Where the limits between the classes in train
divide the items to predict as well, the column was filled when the answer was known.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, as_numbers, texts
from mlebench.audit.targets import Target

_FEWEST, _FEWEST_OF_CLASS, _MOST_CLASSES = 40, 5, 30
_RIGHT = 0.985  # of the items to predict: one may lie between the values that train has


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns that train has, too, and for ids."""
    if survey.train is None:
        return
    targets = [target for target in survey.test.targets if not target.is_derived]
    for column in survey.test_columns:
        if (column.is_artifact and column.by != "itself") or column.in_order or len(column.items) < _FEWEST:
            continue
        other = survey.counterpart(column)
        for target in targets if other is not None else ():
            known = survey.train.target(target.name)
            if other is None or known is None or not 2 <= target.n_classes <= _MOST_CLASSES or not known.n_classes:
                continue
            told = _told(column.values, other.values, known.part(other.items))
            if told is None or _are_few(column.values):
                continue
            right = float(np.mean([one == two for one, two in zip(told, target.plain[column.items], strict=True)]))
            counts = [int((target.plain[column.items] == name).sum()) for name in target.classes]
            if right < _RIGHT or sorted(counts)[-2] < _FEWEST_OF_CLASS:
                continue
            rows = survey.task.rows[column.items]
            meant = dict(zip(known.plain, known.values, strict=True))
            prediction = Prediction(target.name, target.column, rows, texts(meant.get(name) for name in told))
            yield Found(
                "predictive_artifact",
                "leak",
                f"{column.where}: {column.column}",
                f"The ranges of {column.column} are the classes of {target.name}: the limits between them in train, "
                f"where no item is on the wrong side, divide {right:.1%} of {len(column.items):,} items "
                "to predict rightly.",
                rank=right,
                predictions=(prediction,),
            )
            break


def _are_few(values: Texts) -> bool:
    """Whether values are a code, which is looked at by itself."""
    return len(set(values.tolist())) <= max(12, 0.05 * len(values))


def _told(values: Texts, of_train: Texts, known: Target) -> Texts | None:
    """The class in whose range each value is; None where classes have no ranges of their own in train."""
    here, there = as_numbers(values, enough=1.0), as_numbers(of_train, enough=1.0)
    if here is None or there is None or np.isnan(there).any() or np.isnan(here).any() or len(there) < _FEWEST:
        return None
    levels, codes = np.unique(there, return_inverse=True)
    order = np.argsort(there, kind="stable")
    labels = known.plain[order]
    changes = np.flatnonzero(labels[1:] != labels[:-1])
    if len(changes) + 1 != known.n_classes or len(levels) < 3:
        return None
    if any(codes[order[place]] == codes[order[place + 1]] for place in changes):
        return None  # the same value for two classes
    limits = [(there[order[place]] + there[order[place + 1]]) / 2 for place in changes]
    names = [str(labels[0]), *(str(labels[place + 1]) for place in changes)]
    return texts(names[place] for place in np.searchsorted(np.array(limits), here).tolist())
