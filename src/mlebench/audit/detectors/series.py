"""Columns that were computed from the answers of neighbours in a series: running totals, moving averages, changes.

Each tells as much in train, so that no comparison of both sides finds it. A column is guessed from its own neighbours,
with and without the answers to predict: honest columns, however strong, leave something open that no answer explains.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.panels import Rows, Series, rows_of, series_of
from mlebench.audit.strength import of_correlation
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, as_numbers, texts
from mlebench.audit.targets import Target

_REACHES = (1, 3, 7)  # rows before and after whose answers may have gone into a value
_FEWEST, _PER_COLUMN = 24, 3  # rows to predict, at all and for each number that is fitted
_EXPLAINED, _DIGITS = 0.99, 8.0  # of what the neighbours leave open
_ITSELF = 0.95  # of a column that the answer of its own row tells: other searches judge that
_MOST_COLUMNS = 60
_CONSTANT = 1e-9  # the spread of what does not vary, but for rounding
_NEIGHBOURS = 2  # values before and after that tell an answer
_Rows = NDArray[np.bool_]


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns of tables whose rows are series."""
    targets = [
        target
        for target in survey.test.targets
        if not target.is_derived and target.varies and target.coded is not None and target.n_classes in (0, 2)
    ]
    for rows in rows_of(survey) if targets else ():
        numbers = _numbers(rows)
        seen: set[str] = set()
        for series in series_of(rows) if numbers else ():
            for target in targets[:3]:
                labels = survey.train.target(target.name) if survey.train is not None else None
                answers = rows.answers(target, labels)
                for name, values in numbers.items():
                    if name in seen or name in series.by:
                        continue
                    found = _computed(survey, rows, series, name, values, target, answers)
                    if found is not None:
                        seen.add(name)
                        yield found


def _numbers(rows: Rows) -> dict[str, Numbers]:
    """The columns of numbers that vary."""
    found = {}
    for name, values in list(rows.columns.items())[:_MOST_COLUMNS]:
        numbers = as_numbers(values)
        if numbers is not None and len(np.unique(numbers[rows.items >= 0])) > 5:
            found[name] = numbers
    return found


def _computed(
    survey: Survey, rows: Rows, series: Series, name: str, values: Numbers, target: Target, answers: Numbers
) -> Found | None:
    x, y = values[series.order], answers[series.order]
    mine = rows.items[series.order] >= 0
    itself = mine & np.isfinite(x) & np.isfinite(y)
    if itself.sum() < _FEWEST or x[itself].std() == 0 or y[itself].std() == 0:
        return None
    if np.corrcoef(x[itself], y[itself])[0, 1] ** 2 > _ITSELF:
        return None
    unit = _unit(rows.columns[name][rows.items >= 0])
    around = [series.shifted(values, step) for step in (-1, 1)]
    # The mean of the series stands for an answer that one does not know.
    usual = float(np.nanmean(answers))
    honest = np.where(rows.items >= 0, usual, answers)
    for reach in _REACHES:
        steps = range(-reach, reach + 1)
        known, told = ([series.shifted(side, step) for step in steps] for side in (honest, answers))
        whole = mine & np.isfinite(np.column_stack([x, *around, *told])).all(axis=1)
        if whole.sum() < max(_FEWEST, _PER_COLUMN * (len(told) + 3)):
            break
        # Labels of train are few around the cut, so that what is fitted to them may be worse than nothing.
        guesses: tuple[list[NDArray[np.float64]], ...] = ([], around, [*around, *known])
        without = min(_left_open(x[whole], [part[whole] for part in parts]) for parts in guesses)
        left = _left_open(x[whole], [part[whole] for part in (*around, *told)])
        count = int(whole.sum())
        if np.sqrt(without / count) < max(0.5 * unit, 1e-9 * float(np.abs(x[whole]).max())):
            return None  # it is computed from its own neighbours, as the number of a day is
        explained = 1 - left / without
        digits = of_correlation(float(np.sqrt(max(explained, 0.0))), count)
        if explained >= _EXPLAINED and digits >= _DIGITS:
            words = (
                f"In the order of {series.what}, {name} was computed from {target.name} of the rows around: of what "
                f"its own neighbours and train leave open the answers to predict tell {explained:.1%} ({count:,} rows)"
            )
            given = _guessed(series, values, y, whole)
            told_items = rows.items[series.order][given[0]]
            prediction = Prediction(target.name, target.column, survey.task.rows[told_items], texts(given[1].tolist()))
            return Found(
                "predictive_artifact",
                "leak",
                f"{rows.where}: {name}",
                f"{words}.",
                rank=explained,
                predictions=(prediction,) if target.numbers is not None else (),
            )
    return None


def _left_open(x: Numbers, parts: list[Numbers]) -> float:
    """The sum of squares that a sum of parts leaves open in rows that it was not fitted to."""
    varying = [part for part in parts if part.std() > _CONSTANT * max(1.0, float(np.abs(part).max()))]
    design = np.column_stack([np.ones(len(x)), *((part - part.mean()) / part.std() for part in varying)])
    halves = np.random.default_rng(0).permutation(len(x)) % 2 == 0
    left = 0.0
    for fitted in (halves, ~halves):
        weights = np.linalg.lstsq(design[fitted], x[fitted], rcond=None)[0]
        left += float(np.sum((x[~fitted] - design[~fitted] @ weights) ** 2))
    return left


def _guessed(series: Series, values: Numbers, y: Numbers, whole: _Rows) -> tuple[_Rows, Numbers]:
    """(which rows, in order, can be told; their answers) from the values around each row."""
    parts = [series.shifted(values, step) for step in range(-_NEIGHBOURS, _NEIGHBOURS + 1)]
    design = np.column_stack([np.ones(len(y)), *(np.nan_to_num(part - parts[_NEIGHBOURS]) for part in parts), parts[2]])
    weights = np.linalg.lstsq(design[whole], y[whole], rcond=None)[0]
    return whole, design[whole] @ weights


def _unit(values: NDArray[np.object_]) -> float:
    """The last digit that values are written with."""
    decimals = [len(str(value).partition(".")[2]) for value in values[:1000] if value and "e" not in str(value)]
    return float(10.0 ** -max(decimals, default=6))
