"""Answers that are two numbers, such as a place on a map, in a table without ids, in whatever order.

One number may be there by chance; that both stand in one row, to the last digits, for many items is none. Whoever knows
roughly where an item is, or when, finds its row. A map of all places has those of train as well, and is honest.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.strength import of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, Table, as_numbers, texts
from mlebench.audit.targets import Target

_FEWEST, _MOST_ROWS, _MOST_COLUMNS, _MOST_TARGETS = 20, 300_000, 30, 4
_CLOSE = 2e-5  # of the spread of the answers
_SOME, _DIGITS = 0.2, 12.0
_DISTINCT = 0.5
_SHIFTS = (1, 7, 31)


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for tables that have pairs of answers."""
    targets = [one for one in survey.test.targets if _is_fine(one)][:_MOST_TARGETS]
    if survey.test.size < _FEWEST or len(targets) < 2:
        return
    for table in survey.tables:
        if not table.is_artifact and table is not survey.train_table and _FEWEST <= len(table) <= _MOST_ROWS:
            found = next(_findings(survey, table, targets), None)
            if found is not None:
                yield found


def _is_fine(target: Target) -> bool:
    """Whether answers are numbers with so many digits that two of them are hardly ever equal."""
    if target.numbers is None or target.n_classes or target.is_derived:
        return False
    return len(target.classes) >= _DISTINCT * len(target.values)


def _findings(survey: Survey, table: Table, targets: list[Target]) -> Iterator[Found]:
    columns = {
        name: numbers
        for name, values in list(table.columns.items())[:_MOST_COLUMNS]
        if (numbers := as_numbers(values)) is not None
    }
    for pair in combinations(targets, 2):
        likely = [
            name
            for name, numbers in columns.items()
            if any(_near(numbers[:, None], _pairs_of((one,)), _tolerances((one,))).mean() >= _SOME for one in pair)
        ]
        for names in permutations(likely, 2):
            found = _judged(survey, table, names, np.column_stack([columns[name] for name in names]), pair)
            if found is not None:
                yield found


def _pairs_of(targets: tuple[Target, ...]) -> Numbers:
    return np.column_stack([one.numbers for one in targets if one.numbers is not None])


def _tolerances(targets: tuple[Target, ...]) -> Numbers:
    return np.array([_CLOSE * float(spread) for spread in _pairs_of(targets).std(axis=0)])


def _near(known: Numbers, wanted: Numbers, tolerances: Numbers) -> NDArray[np.bool_]:
    """Which of the wanted points are among the known ones, to the last digits."""
    return _nearest(known, wanted, tolerances)[0] <= 1.0


def _nearest(known: Numbers, wanted: Numbers, tolerances: Numbers) -> tuple[Numbers, NDArray[np.int64]]:
    from scipy.spatial import cKDTree

    there = np.flatnonzero(~np.isnan(known).any(axis=1))
    if not len(there) or not (tolerances > 0).all():
        return np.full(len(wanted), np.inf), np.zeros(len(wanted), dtype=np.int64)
    distances, places = cKDTree(known[there] / tolerances).query(wanted / tolerances, p=np.inf)
    return distances, there[places]


def _judged(
    survey: Survey, table: Table, names: tuple[str, ...], known: Numbers, pair: tuple[Target, Target]
) -> Found | None:
    truth, tolerances = _pairs_of(pair), _tolerances(pair)
    distances, places = _nearest(known, truth, tolerances)
    close = distances <= 1.0
    n, hits = len(close), int(close.sum())
    if hits < max(_FEWEST, _SOME * n) or len(set(places[close].tolist())) < _DISTINCT * hits:
        return None
    moved = (np.column_stack([truth[:, 0], np.roll(truth[:, 1], by)]) for by in _SHIFTS)
    chance = max(float(_near(known, one, tolerances).mean()) for one in moved)
    if of_hits(hits, n, max(chance, 1 / n)) < _DIGITS:
        return None
    labels = [None if survey.train is None else survey.train.target(one.name) for one in pair]
    of_train = tuple(one for one in labels if one is not None and one.numbers is not None)
    if len(of_train) == len(pair) and float(_near(known, _pairs_of(of_train), tolerances).mean()) > 0.5 * hits / n:
        return None
    rows = survey.task.rows[close]
    predictions = tuple(
        Prediction(one.name, one.column, rows, texts(known[places[close], place].tolist()))
        for place, one in enumerate(pair)
    )
    words = (
        f"{hits:,} of {n:,} pairs of answers for {pair[0].name} and {pair[1].name} "
        f"stand in its rows, to the last digits"
    )
    where = f"{table.where}: {', '.join(names)}"
    return Found("answers_in_public", "leak", where, f"{words}.", rank=1 + hits / n, predictions=predictions)
