"""Pieces of recordings to predict that overlap pieces of train: with the same class, or with what is to come in these.

Recordings that are cut into overlapping windows and then split by window put the same moments on both sides. Exact
numbers in a row, at another place of a window, are no chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.pairs import Pairs, agreement
from mlebench.audit.sides import both_sides
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, texts
from mlebench.audit.targets import Target
from mlebench.audit.windows import Overlap, Pieces, continued, of_files, of_table, overlaps

_FEWEST, _SOME = 12, 0.2  # items that overlap, at all and of all
_AGREE = 0.9  # beyond chance, of the overlapping ones that share a class
_NEAR, _MOSTLY, _BEYOND = 0.02, 0.8, 0.4  # of the spread of the answers; of the items; more than one's own moments tell
_FURTHEST = 64  # moments to come
_Overlaps = Mapping[int, Sequence[Overlap]]
_OF_MOMENTS: dict[str, Callable[[Numbers], float]] = {
    "the mean": lambda values: float(values.mean()),
    "the sum": lambda values: float(values.sum()),
    "the largest": lambda values: float(values.max()),
    "the smallest": lambda values: float(values.min()),
    "the last": lambda values: float(values[-1]),
}


def detect(survey: Survey) -> Iterator[Found]:
    """A finding for each kind of pieces."""
    if survey.train is None:
        return
    told: set[str] = set()
    for where, mine, theirs in _pieces(survey):
        if where in told or min(len(mine), len(theirs)) < _FEWEST:
            continue
        found = overlaps(mine, theirs)
        if len(found) < max(_FEWEST, _SOME * len(mine)):
            continue
        finding = _of_class(survey, where, mine, theirs, found) or _to_come(survey, where, mine, theirs, found)
        if finding is not None:
            told.add(where)
            yield finding


def _pieces(survey: Survey) -> Iterator[tuple[str, Pieces, Pieces]]:
    assert survey.train is not None
    mine, theirs = of_files(survey.test_files, survey.test), of_files(survey.train_files, survey.train)
    for kind in mine:
        if kind in theirs:
            yield f"files like {kind.rpartition(' ')[0]}", mine[kind], theirs[kind]
    for test, train in both_sides(survey):
        if test.by not in test.table.columns:
            continue
        mine = of_table(test.table, survey.test, test.by)
        theirs = of_table(train.table, survey.train, test.by) if mine else {}
        for kind in mine:
            if kind in theirs:
                yield f"{test.table.where}: {kind}", mine[kind], theirs[kind]


def _of_class(survey: Survey, where: str, mine: Pieces, theirs: Pieces, found: _Overlaps) -> Found | None:
    """Classes that pieces share with those they overlap; numbers change slowly, and past ones are given."""
    assert survey.train is not None
    if not any(target.n_classes and not target.is_derived for target in survey.test.targets):
        return None
    pairs = Pairs(
        {item: [one.other for one in others] for item, others in found.items()}, len(mine), 0, survey.train.size
    )
    agreed, predictions = agreement(survey, pairs)
    if agreed is None or agreed < _AGREE:
        return None
    return Found(
        "duplicates",
        "leak",
        where,
        f"{len(found):,} of {len(mine):,} items to predict have moments of items of train, at other places, and "
        f"{agreed:.0%} of them share the answer.",
        rank=len(found) / len(mine),
        predictions=predictions,
    )


def _to_come(survey: Survey, where: str, mine: Pieces, theirs: Pieces, found: _Overlaps) -> Found | None:
    """Numbers that follow from the moments behind a piece, which train has."""
    ahead = {item: continued(mine[item], others, theirs)[:_FURTHEST] for item, others in found.items()}
    for target in survey.test.targets:
        if target.numbers is None or target.n_classes:
            continue
        best: tuple[float, str, Prediction] | None = None
        for many in range(1, _FURTHEST + 1):
            items = [item for item, values in ahead.items() if len(values) >= many]
            if len(items) < max(_FEWEST, _SOME * len(mine)):
                break
            for what, of in _OF_MOMENTS.items():
                share, given = _right(target, items, [of(ahead[item][:many]) for item in items])
                own = [of(mine[item][-many:]) for item in items]
                if share < _MOSTLY or _right(target, items, own)[0] > share - _BEYOND:
                    continue
                if best is None or share * len(items) > best[0]:
                    rows = survey.task.rows[np.array(items)]
                    said = f"{what} of the {many} moments to come, for {len(items):,} of {len(mine):,} items"
                    best = share * len(items), said, Prediction(target.name, target.column, rows, texts(given.tolist()))
        if best is not None:
            return Found(
                "answers_in_public",
                "leak",
                where,
                f"Items of train go on where those to predict end, and show {target.name}: {best[1]}.",
                rank=best[0] / len(mine),
                predictions=(best[2],),
                rests_on_likeness=True,
            )
    return None


def _right(target: Target, items: Sequence[int], values: Sequence[float]) -> tuple[float, Numbers]:
    assert target.numbers is not None
    truth, given = target.numbers[np.array(items)], np.array(values)
    return float(np.mean(np.abs(truth - given) <= _NEAR * max(float(target.numbers.std()), 1e-12))), given
