"""Answers one after the other in tables that name neither the items nor, in a known writing, their days.

A table with a column per day and a row per shop, or the other way round, an array of either, or a list that goes on
from train to test has the answers of a series, or of a day, in a row. Such a passage is looked for by its values alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.grids import grids_of
from mlebench.audit.panels import rows_of, series_of
from mlebench.audit.survey import Survey
from mlebench.audit.table import Table, Texts, canonical_column
from mlebench.audit.targets import Target

_FEWEST, _SHARE = 12, 0.1  # answers that must be told, at all and of all
_SHORTEST, _LONGEST = 4, 40  # answers of a passage
_MOST_PASSAGES, _MOST_ORDERS = 600, 4
_DIGITS = 10.0  # of a passage; of all of them together by more
_DIGITS_IN_ALL = 14.0
_PART = 6.0  # digits of a part that train has by itself
_MOST_COLUMNS, _MOST_CELLS, _MOST_IN_ALL = 3000, 400_000, 2_000_000
_PROBE, _KNOWN = 60, 0.3  # values of a column, and the share of them that answers or labels have
_Ints = NDArray[np.int64]


@dataclass(frozen=True)
class _Passage:
    """Answers that follow one another: the items, and the numbers of the values."""

    items: _Ints
    codes: _Ints
    what: str


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for tables that have answers one after the other."""
    targets = [target for target in survey.test.targets if not target.is_derived and target.varies][:2]
    for target in targets:
        labels = survey.train.target(target.name) if survey.train is not None else None
        known = [] if labels is None else labels.plain.tolist()
        number = {value: place for place, value in enumerate(dict.fromkeys([*target.plain.tolist(), *known]))}
        codes = np.array([number[value] for value in target.plain])
        theirs = np.array([number[value] for value in known], dtype=np.int64)
        passages = list(_passages(survey, target, codes, theirs))
        left = _MOST_IN_ALL
        for table in _tables(survey) if passages else ():
            matrix = _numbered(table, number)
            if matrix is None or (left := left - matrix.size) < 0:
                continue
            found = _in_table(survey, target, table, matrix, passages)
            if found is not None:
                yield found


def _tables(survey: Survey) -> Iterator[Table]:
    """The tables that are not those of the items themselves."""
    own = {id(matched.table) for matched in survey.matched_test if matched.has_keys}
    for table in survey.tables:
        if not table.is_artifact and table is not survey.train_table and id(table) not in own:
            yield table


def _passages(survey: Survey, target: Target, codes: _Ints, labels: _Ints) -> Iterator[_Passage]:
    """The answers of each series, of all series at each moment, and of the items in the orders that are known.

    What train has in the same way, as a series that repeats itself, is no news.
    """
    found: dict[bytes, _Passage] = {}
    known = [labels]
    informed = _Information(target)
    for rows in rows_of(survey):
        for series in [series for series, _ in zip(series_of(rows), range(2), strict=False)]:
            for grid in [grid for grid, _ in zip(grids_of(rows, series, target, None), range(2), strict=False)]:
                mine, theirs = grid.owners(rows.items), grid.owners(rows.known)
                for line in (*mine, *mine.T):
                    _add(found, line[line >= 0], codes, informed, f"in the order of {grid.what}")
                if len(labels):
                    apart = np.where(theirs >= 0, labels[theirs], -1)
                    known += [np.pad(part, ((0, 0), (0, 1)), constant_values=-1).ravel() for part in (apart, apart.T)]
    for label, order in list(survey.test.orders.items())[:_MOST_ORDERS]:
        line = np.argsort(order)
        for start in range(0, len(line), _LONGEST):
            _add(found, line[start : start + _LONGEST], codes, informed, f"in the order of {label}")
    together = np.concatenate([np.append(cells, -1) for cells in known])
    for passage in found.values():
        # Two series that repeat themselves follow one another in test alone: what counts is their parts.
        length = max(_SHORTEST, int(np.ceil(_PART * len(passage.items) / informed.digits(passage.items))))
        parts = [passage.codes[start : start + length] for start in range(0, len(passage.codes) - length + 1, length)]
        if sum(_is_in(together, part) for part in parts) < 0.5 * len(parts):
            yield passage


def _add(found: dict[bytes, _Passage], line: _Ints, codes: _Ints, informed: _Information, what: str) -> None:
    line = line[:_LONGEST]
    if len(found) < _MOST_PASSAGES and len(line) >= _SHORTEST and informed.digits(line) >= _DIGITS:
        found.setdefault(line.tobytes(), _Passage(line, codes[line], what))


class _Information:
    """How little answers that follow one another can be guessed, in digits: by their values, and by their steps."""

    def __init__(self, target: Target) -> None:
        self._values = target.plain
        self._numbers = target.numbers
        self._shares = {value: count / len(self._values) for value, count in Counter(self._values.tolist()).items()}

    def digits(self, line: _Ints) -> float:
        """The digits of one passage: of the least surprising way to say it."""
        values = self._values[line]
        by_value = -sum(np.log10(self._shares[value]) for value in values)
        stays = float(np.mean(values[1:] == values[:-1]))
        by_change = by_value * (1 - stays)
        if self._numbers is None:
            return float(by_change)
        steps = np.round(np.diff(self._numbers[line]), 9)
        counts = np.array(list(Counter(steps.tolist()).values()), dtype=float)
        by_step = -float(np.sum(counts * np.log10(counts / len(steps))))
        return float(min(by_change, 2 * by_step))


def _numbered(table: Table, number: dict[str | None, int]) -> _Ints | None:
    """The columns of a table that have values of the answers, as their numbers; -1 for other values."""
    columns: list[_Ints] = []
    for values in list(table.columns.values())[:_MOST_COLUMNS]:
        some: Texts = canonical_column(values[:_PROBE])
        if np.mean([value in number for value in some]) < _KNOWN:
            continue
        if (len(columns) + 1) * len(table) > _MOST_CELLS:
            break
        columns.append(np.array([number.get(value, -1) for value in canonical_column(values)], dtype=np.int64))
    return np.column_stack(columns) if columns else None


def _in_table(survey: Survey, target: Target, table: Table, matrix: _Ints, passages: list[_Passage]) -> Found | None:
    ways = [matrix.T.ravel()] if min(matrix.shape) == 1 else [matrix.T.ravel(), matrix.ravel()]
    there = [found for found in passages if any(_is_in(way, found.codes) for way in ways)]
    if not there:
        return None
    items = np.unique(np.concatenate([found.items for found in there]))
    digits = sum(_Information(target).digits(found.items) for found in there[:10])
    if len(items) < max(_FEWEST, _SHARE * survey.test.size) or digits < _DIGITS_IN_ALL:
        return None
    prediction = Prediction(target.name, target.column, survey.task.rows[items], target.values[items])
    return Found(
        "answers_in_public",
        "leak",
        table.where,
        f"It has the answers for {target.name} one after the other, {there[0].what}: {len(items):,} of "
        f"{survey.test.size:,}, in {len(there):,} passages, none of which train has.",
        rank=len(items) / survey.test.size,
        predictions=(prediction,),
    )


def _is_in(cells: _Ints, passage: _Ints) -> bool:
    """Whether cells have a passage, forwards or backwards."""
    length = len(passage)
    if len(cells) < length:
        return False
    for codes in (passage, passage[::-1]):
        places = np.flatnonzero(cells[: len(cells) - length + 1] == codes[0])
        for step in range(1, length):
            if not len(places):
                break
            places = places[cells[places + step] == codes[step]]
        if len(places):
            return True
    return False
