"""Columns that are filled in after the outcome is known: fees for those who did not pay, days until a case was closed.

They tell as much in train as in test, as a strong feature does. But a feature that ranks items well leaves a range in
which both answers occur; what follows from an outcome is there for hardly anybody else, and for nearly all who had it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found
from mlebench.audit.matching import Aligned
from mlebench.audit.sides import columns_of_both
from mlebench.audit.strength import groups_of
from mlebench.audit.survey import Survey
from mlebench.audit.table import as_numbers, is_missing
from mlebench.audit.targets import Target

_RIGHT, _COMPLETE = 0.99, 0.92  # of the items with a mark had the outcome; of those who had it have the mark
_FEWEST = 15  # items with either answer, on either side
_FEW_VALUES = 30
_Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class _Mark:
    """What marks an outcome in train: values from a limit on, up to it, one value, or none."""

    words: str
    train: _Flags
    test: _Flags


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns that both sides have, where there are two answers."""
    if survey.train is None:
        return
    seen: set[str] = set()
    for target in survey.test.targets:
        labels = survey.train.target(target.name)
        if target.is_derived or target.n_classes != 2 or labels is None or set(labels.classes) != set(target.classes):
            continue
        for test, _, column, other in columns_of_both(survey):
            if column.column in seen or column.column in survey.task.sample.columns or column.in_order:
                continue
            found = _marked(column, other, target, labels)
            if found is not None:
                seen.add(column.column)
                words = (
                    f"{column.column} is {found[0].words} for {found[1]:.0%} of the items whose {target.name} is "
                    f"{found[2]!r}, and for hardly any other, in train as in test: it seems to be known only afterwards"
                )
                yield Found(
                    "predictive_artifact", "suspicious", f"{test.table.where}: {column.column}", f"{words}.", rank=0.9
                )


def _marked(column: Aligned, other: Aligned, target: Target, labels: Target) -> tuple[_Mark, float, str] | None:
    """(the mark, for how many with the outcome it is there, the outcome)."""
    mine, theirs = target.plain[column.items], labels.plain[other.items]
    for outcome in target.classes:
        sides = (theirs == outcome), (mine == outcome)
        if any(min(side.sum(), (~side).sum()) < _FEWEST for side in sides):
            return None
        for mark in _marks(column, other, sides[0]):
            complete = [
                float(np.mean(flags[side]))
                for flags, side in ((mark.train, sides[0]), (mark.test, sides[1]))
                if flags.any() and np.mean(side[flags]) >= _RIGHT and np.mean(flags[~side]) <= 1 - _COMPLETE
            ]
            if len(complete) == 2 and min(complete) >= _COMPLETE:
                return mark, min(complete), str(outcome)
    return None


def _marks(column: Aligned, other: Aligned, had: _Flags) -> Iterator[_Mark]:
    """The marks that part train best."""
    gaps = [np.array([is_missing(value) for value in side.values], dtype=bool) for side in (other, column)]
    if gaps[0].any():
        yield _Mark("missing", gaps[0], gaps[1])
        yield _Mark("there", ~gaps[0], ~gaps[1])
    numbers = [as_numbers(side.values) for side in (other, column)]
    if numbers[0] is not None and numbers[1] is not None:
        known, mine = numbers[0], numbers[1]
        there = ~np.isnan(known)
        order = np.argsort(known[there], kind="stable")
        values, outcomes = known[there][order], had[there][order].astype(float)
        ends = np.flatnonzero(np.diff(values) > 0)
        if not len(ends):
            return
        # The limit at which most items are on the right side, either way round.
        gain = np.cumsum(2 * outcomes - 1)[ends]
        for place, words, is_above in ((gain.argmin(), "above", True), (gain.argmax(), "at most", False)):
            limit = (values[ends[place]] + values[ends[place] + 1]) / 2
            flags = [(side > limit) if is_above else (side <= limit) for side in (known, mine)]
            yield _Mark(f"{words} {values[ends[place]]:g}", flags[0], flags[1])
        return
    codes = groups_of(np.concatenate([other.values, column.values]))
    if codes.max(initial=0) < _FEW_VALUES:
        of_train, of_test = codes[: len(other.values)], codes[len(other.values) :]
        count = np.bincount(of_train, minlength=int(codes.max()) + 1)
        share = np.bincount(of_train, weights=had.astype(float), minlength=len(count)) / np.maximum(count, 1)
        chosen = np.flatnonzero(share > 0.5)
        yield _Mark("one of a few values", np.isin(of_train, chosen), np.isin(of_test, chosen))
