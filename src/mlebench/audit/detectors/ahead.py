"""Columns that were made from the answers of other moments: of any number of days later, or over a stretch of days.

A column of train whose value is that of two weeks later has the answers of test in its last rows, and a mean over the
week to come has them, too. Any lag and any stretch is tried, for each series by itself, also as a change since today.
Nothing honest is exactly what was computed from the answers: only values count that other lags do not explain.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.grids import Grid, grids_of
from mlebench.audit.panels import Rows, rows_of, series_of
from mlebench.audit.strength import of_hits
from mlebench.audit.stretches import Stretch, solved, stretches
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, Texts, as_numbers, canonical_column, texts
from mlebench.audit.targets import Target

_MOST_COLUMNS, _MOST_SERIES, _MOST_TARGETS, _MOST_TRIED = 60, 3, 3, 200
_FEWEST, _SHARE = 12, 0.02  # answers that must be told, at all and of all
_FURTHEST, _SOME = 400, 500  # moments; answers that are looked at to find a lag
_STRAIGHT = 0.999  # the correlation with the answers from which a lag is looked at
_RIGHT, _DIGITS = 0.9, 11.0
_EXACT = 1e-6  # of the spread of the answers
_FEW_VALUES = 3
_LARGEST_POWER = 30.0
Form = tuple[str, Numbers, Numbers]  # how it is to be read, the cells, and how much one unit of the column is there


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns of tables whose rows are series."""
    targets = [target for target in survey.test.targets if not target.is_derived and target.varies]
    for rows in rows_of(survey) if targets else ():
        seen: set[str] = set()
        parsed: dict[str, Numbers | None] = {}
        for series in [series for series, _ in zip(series_of(rows), range(_MOST_SERIES), strict=False)]:
            for target in targets[:_MOST_TARGETS]:
                labels = survey.train.target(target.name) if survey.train is not None else None
                for grid in grids_of(rows, series, target, labels):
                    named = {target.name, target.column, *series.by, *seen}
                    for found, name in _in_grid(survey, rows, grid, target, _columns(rows, target, named, parsed)):
                        seen.add(name)
                        yield found


def _in_grid(
    survey: Survey, rows: Rows, grid: Grid, target: Target, columns: dict[str, tuple[Numbers, float]]
) -> Iterator[tuple[Found, str]]:
    are_amounts = target.numbers is not None and len(target.classes) > 2
    with_changes = are_amounts and len(columns) <= _MOST_TRIED // 4
    for name, (numbers, unit) in columns.items():
        for words, cells, size in _forms(grid, grid.of(numbers), with_changes=with_changes):
            found = _lag(survey, rows, grid, target, name, (words, cells, size * unit))
            if found is None and (are_amounts or len(target.classes) == 2):
                found = _stretch(survey, rows, grid, target, name, (words, cells, size * unit))
            if found is not None:
                yield found, name
                break


def _columns(
    rows: Rows, target: Target, named: set[str | None], parsed: dict[str, Numbers | None]
) -> dict[str, tuple[Numbers, float]]:
    """The columns of numbers, or of classes as numbers, each with half of the last digit that it is written with."""
    found: dict[str, tuple[Numbers, float]] = {}
    place = {name: float(number) for number, name in enumerate(sorted(target.classes))}
    for name, values in [*rows.of_train.items(), *rows.columns.items()]:
        if name in named or len(found) >= _MOST_COLUMNS:
            continue
        if target.numbers is None:
            numbers: Numbers | None = np.array([place.get(str(value), np.nan) for value in canonical_column(values)])
        else:
            numbers = parsed[name] if name in parsed else parsed.setdefault(name, as_numbers(values))
        few = _FEW_VALUES if target.n_classes == 0 else 1
        if numbers is not None and len(np.unique(numbers[np.isfinite(numbers)])) > few:
            found[name] = numbers, _half_a_digit(values)
    return found


def _half_a_digit(values: Texts) -> float:
    some = [str(value) for value in values if value][-1000:]
    decimals = [len(value.partition(".")[2].rstrip("0")) for value in some if "e" not in value.lower()]
    return 0.51 * 10.0 ** -min(max(decimals, default=9), 9)


def _forms(grid: Grid, cells: Numbers, *, with_changes: bool) -> Iterator[Form]:
    """A column as it is, as a logarithm, and as a change or a ratio to the label of its own row."""
    ones = np.ones(grid.shape)
    yield "", cells, ones
    if with_changes and np.nanmax(np.abs(cells)) < _LARGEST_POWER:
        yield ", as a logarithm,", np.exp(cells), np.exp(cells)
    if with_changes:
        yield ", as the change since then,", grid.labels + cells, ones
        yield ", as a share of its own,", grid.labels * cells, np.abs(grid.labels)
        yield ", as a rate of growth,", grid.labels * (1 + cells), np.abs(grid.labels)


def _lag(survey: Survey, rows: Rows, grid: Grid, target: Target, name: str, form: Form) -> Found | None:
    words, cells, sizes = form
    y = grid.known
    straight, lag = _correlated(cells, grid.answers)
    if straight < _STRAIGHT:
        return None
    here, there = _pairs(grid.answers, cells, lag)
    x, truth = cells[here], y[there]
    slope, start = _line(x, truth)
    told = slope * x + start
    spread = float(np.std(truth))
    loose = sizes[here] * abs(slope) + _EXACT * spread
    for tolerance in (np.full(len(x), _EXACT * spread), loose):
        right = np.abs(told - truth) <= tolerance
        digits = _digits(grid, y, told, right, tolerance, there, lag)
        if right.mean() >= _RIGHT and digits >= _DIGITS and len(x) >= max(_FEWEST, _SHARE * survey.test.size):
            side = "after" if lag > 0 else "before"
            evidence = (
                f"In the order of {grid.what}, {name}{words} has {target.name} of the row {abs(lag)} {side} it: "
                f"{int(right.sum()):,} of {len(x):,} answers to predict can be read off other rows."
            )
            return _found(survey, rows, grid, target, name, evidence, float(right.mean()), there, told)
    return None


def _found(
    survey: Survey,
    rows: Rows,
    grid: Grid,
    target: Target,
    name: str,
    evidence: str,
    rank: float,
    cells: tuple[NDArray[np.int64], NDArray[np.int64]],
    told: Numbers,
) -> Found:
    items = grid.owners(rows.items)[cells]
    if target.numbers is None:
        shown = dict(zip(target.plain, target.values, strict=True))
        names = sorted(target.classes)
        given = texts(shown[names[int(place)]] for place in np.clip(np.rint(told), 0, len(names) - 1))
    else:
        given = texts(told.tolist())
    where = rows.train_where if name in rows.of_train else rows.where
    prediction = Prediction(target.name, target.column, survey.task.rows[items], given)
    return Found("answers_in_public", "leak", f"{where}: {name}", evidence, rank=rank, predictions=(prediction,))


def _pairs(
    answers: Numbers, cells: Numbers, lag: int
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """(cells of a column, cells of answers so many moments later) where both are there."""
    group, place = np.nonzero(np.isfinite(answers))
    inside = (place - lag >= 0) & (place - lag < answers.shape[1])
    group, place = group[inside], place[inside]
    is_there = np.isfinite(cells[group, place - lag])
    group, place = group[is_there], place[is_there]
    return (group, place - lag), (group, place)


def _correlated(cells: Numbers, answers: Numbers) -> tuple[float, int]:
    """(the correlation with the answers, the lag) where it is largest: 0 where there are too few, on some answers."""
    chosen = np.argwhere(np.isfinite(answers))
    if len(chosen) > _SOME:
        chosen = chosen[np.random.default_rng(0).choice(len(chosen), _SOME, replace=False)]
    group, place = chosen[:, 0], chosen[:, 1]
    furthest = min(_FURTHEST, answers.shape[1] - 1)
    lags = np.array([lag for lag in range(-furthest, furthest + 1) if lag], dtype=np.int64)
    before = place - lags[:, None]
    is_inside = (before >= 0) & (before < answers.shape[1])
    x = np.where(is_inside, cells[group, np.clip(before, 0, answers.shape[1] - 1)], np.nan)
    is_there = np.isfinite(x)
    enough = is_there.sum(axis=1) >= max(_FEWEST, _SHARE * len(chosen))
    if not enough.any():
        return 0.0, 0
    x, is_there = x[enough], is_there[enough]
    one, two = (_centred(values, is_there) for values in (x, np.broadcast_to(answers[group, place], x.shape)))
    scales = np.sqrt(_products(one, one) * _products(two, two))
    found = np.abs(_products(one, two)) / np.where(scales > 0, scales, np.inf)
    return max(zip(found.round(9).tolist(), lags[enough].tolist(), strict=True))


def _centred(values: Numbers, is_there: NDArray[np.bool_]) -> Numbers:
    """Each row less its mean, 0 where nothing is."""
    filled = np.where(is_there, values, 0.0)
    means = filled.sum(axis=1) / is_there.sum(axis=1)
    centred: Numbers = np.where(is_there, filled - means[:, None], 0.0)
    return centred


def _products(left: Numbers, right: Numbers) -> Numbers:
    found: Numbers = np.einsum("ij,ij->i", left, right)
    return found


def _line(x: Numbers, y: Numbers) -> tuple[float, float]:
    """The slope and start of the line through most points; the plain one where that fits as well."""
    if float(np.mean(np.isclose(x, y, rtol=1e-6, atol=1e-9))) >= _RIGHT:
        return 1.0, 0.0
    slope = float(np.cov(x, y)[0, 1] / max(float(np.var(x, ddof=1)), 1e-300))
    return slope, float(y.mean() - slope * x.mean())


def _digits(
    grid: Grid,
    y: Numbers,
    told: Numbers,
    right: NDArray[np.bool_],
    tolerance: Numbers,
    there: tuple[NDArray[np.int64], NDArray[np.int64]],
    lag: int,
) -> float:
    """The evidence of this lag: what the moments beside it and the own row say differently must be right, too."""
    group, place = there
    worst = np.inf
    shuffled = np.random.default_rng(0).permutation(len(told))
    by_chance = float(np.mean(np.abs(told[shuffled] - told) <= tolerance))
    for step in (-1, 1, -lag):
        inside = (place + step >= 0) & (place + step < grid.shape[1])
        other = np.full(len(told), np.nan)
        other[inside] = y[group[inside], place[inside] + step]
        differs = np.abs(other - y[there]) > tolerance
        if not np.isfinite(other).any():
            continue
        count = int(differs.sum())
        if count < _FEWEST or right[differs].mean() < _RIGHT:
            return 0.0
        worst = min(worst, of_hits(int(right[differs].sum()), count, max(by_chance, 1e-3)))
    return worst if np.isfinite(worst) else 0.0


def _stretch(survey: Survey, rows: Rows, grid: Grid, target: Target, name: str, form: Form) -> Found | None:
    words, cells, sizes = form
    found: Stretch | None = stretches(grid, cells, sizes)
    if found is None or found.told < max(_FEWEST, _SHARE * survey.test.size) or found.digits < _DIGITS:
        return None
    there, told = solved(grid, cells, found)
    evidence = (
        f"In the order of {grid.what}, {name}{words} was computed from {target.name} of the rows from {found.first:+d} "
        f"to {found.last:+d}, and answers to predict are in it: {found.right:,} of {found.count:,} values are as "
        f"computed from them, and not from train alone."
    )
    share = found.right / found.count
    return _found(survey, rows, grid, target, name, evidence, 0.9 * share, there, told)
