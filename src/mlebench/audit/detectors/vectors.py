"""Answers that are numbers: arrays of the items to predict that have them, with a little noise, somewhere in them.

An array may belong to one row of the submission, or to all rows of a thing, such as the places of a molecule, or hold
all of these in their order. Arrays that train has as well are features.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.entries import DAMAGED, Entry
from mlebench.audit.finding import Found, Prediction
from mlebench.audit.item_files import slot_of
from mlebench.audit.strength import of_correlation
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, texts
from mlebench.audit.targets import Target, plain_key

_FEWEST, _SOME = 20, 0.3  # rows with a value, at all and of all
_MOST_ARRAYS, _MOST_BYTES, _MOST_SIZE = 4000, 16 << 20, 2_000_000
_MOST_PLACES, _MOST_COLUMNS = 256, 16
_LIKE, _DIGITS = 0.9, 9.0
_OTHERS = 0.3  # as many arrays that are of no item to predict
_FEW_IN_A_THING = 0.5  # things for each row, of which each has several rows
_MOMENT = re.compile(r"[_\-|.][^_\-|.]*$")  # what an id has behind its thing
_Things = Mapping[str, Sequence[int]]  # the rows of each
_Columns = dict[str, dict[int, float]]  # by what it is: the value of each row


def detect(survey: Survey) -> Iterator[Found]:
    """A finding for each kind of arrays with numbers that follow the answers."""
    targets = [target for target in survey.test.targets if target.numbers is not None and target.n_classes == 0]
    if not targets:
        return
    things = _things(survey)
    kinds: dict[str, list[Entry]] = {}
    for entry in survey.entries:
        if entry.suffix == ".npy" and entry.size <= _MOST_BYTES:
            kinds.setdefault(slot_of(entry.name.rpartition("/")[0]), []).append(entry)
    for entries in kinds.values():
        owned = {entry.name: thing for entry in entries if (thing := _owner(entry, things)) is not None}
        if not owned:
            for entry in entries[:_MOST_COLUMNS]:
                yield from _judged(survey, targets, entry.name, _of_stack(entry, things))
        elif len(entries) - len(owned) <= _OTHERS * len(owned):
            mine = [entry for entry in entries if entry.name in owned][:_MOST_ARRAYS]
            where = f"{mine[0].name.rpartition('/')[0]}/*.npy".lstrip("/")
            yield from _judged(survey, targets, where, _of_each(mine, owned, things))


def _things(survey: Survey) -> _Things:
    """The things that ids are of, as RNA in RNA_12, or where each row is of its own, the rows."""
    found: dict[str, list[int]] = {}
    for row, name in enumerate(survey.test.ids):
        found.setdefault(plain_key(_MOMENT.sub("", str(name))), []).append(row)
    if len(found) <= _FEW_IN_A_THING * survey.test.size:
        return found
    return {name: rows for name, rows in survey.test.names.items() if len(rows) == 1}


def _owner(entry: Entry, things: _Things) -> str | None:
    """The thing that an array or its folder is called like, with a word before or behind it or not."""
    name = plain_key(entry.base)
    folder = plain_key(entry.name.rpartition("/")[0])
    around = (name.rpartition("_")[0], name.partition("_")[2])
    return next((one for one in (name, *around, folder) if one in things), None)


def _array(entry: Entry) -> NDArray[Any] | None:
    try:
        array = np.load(io.BytesIO(entry.read(_MOST_BYTES)), allow_pickle=False).squeeze()
    except (*DAMAGED, TypeError):
        return None
    return array.astype(float) if array.dtype.kind in "iuf" and 0 < array.size <= _MOST_SIZE else None


def _of_each(entries: Sequence[Entry], owned: Mapping[str, str], things: _Things) -> _Columns:
    found: _Columns = {}
    for entry in entries:
        array = _array(entry)
        if array is not None:
            _add(found, array, things[owned[entry.name]])
    return found


def _of_stack(entry: Entry, things: _Things) -> _Columns:
    """The parts of an array with one for each thing, in their order; lists with a row for each item are tables."""
    found: _Columns = {}
    array = _array(entry)
    if array is not None and array.ndim >= 2 and len(array) == len(things) and len(things) > 1:
        for part, rows in zip(array, things.values(), strict=True):
            if len(rows) > 1:
                _add(found, part, rows)
    return found


def _add(found: _Columns, array: NDArray[Any], rows: Sequence[int]) -> None:
    many = len(rows)
    if many == 1:
        for place, value in enumerate(np.atleast_1d(array).ravel()[:_MOST_PLACES].tolist()):
            found.setdefault(f"number {place + 1}", {})[rows[0]] = value
        return
    for axis, name in ((0, "column"), (1, "row")):
        if array.ndim not in (1, 2) or axis >= array.ndim or array.shape[axis] < many:
            continue
        columns = (array[:, None] if array.ndim == 1 else np.moveaxis(array, axis, 0))[:many, :_MOST_COLUMNS]
        for number, values in enumerate(columns.T.tolist(), 1):
            found.setdefault(f"{name} {number}", {}).update(zip(rows, values, strict=True))


def _judged(survey: Survey, targets: Sequence[Target], where: str, columns: _Columns) -> Iterator[Found]:
    """The column that follows each target most, all in one finding."""
    told: dict[str, tuple[float, str]] = {}
    predictions = []
    for target in targets:
        best: tuple[float, str, NDArray[np.int64], Numbers] | None = None
        for name, values in columns.items():
            rows = np.array([row for row, value in values.items() if np.isfinite(value)], dtype=np.int64)
            if len(rows) < max(_FEWEST, _SOME * survey.test.size):
                continue
            numbers = np.array([values[row] for row in rows.tolist()])
            r = _likeness(numbers, target, rows)
            if abs(r) >= _LIKE and of_correlation(r, len(rows)) >= _DIGITS and (best is None or abs(r) > best[0]):
                best = abs(r), name, rows, _as_answers(numbers, target, rows)
        if best is not None:
            told[target.name] = best[:2]
            predictions.append(Prediction(target.name, target.column, survey.task.rows[best[2]], texts(best[3])))
    if told:
        said = ", ".join(f"{name} ({column}, correlation {r:.3f})" for name, (r, column) in told.items())
        yield Found(
            "answers_in_public",
            "leak",
            where,
            f"Arrays of the items to predict, and of no others, have numbers that follow {said}.",
            rank=float(np.mean([r for r, _ in told.values()])),
            predictions=tuple(predictions),
            rests_on_likeness=True,
        )


def _likeness(numbers: Numbers, target: Target, rows: NDArray[np.int64]) -> float:
    """The correlation with the answers, by value and by rank: neither one large answer nor a scale must decide."""
    from scipy.stats import rankdata

    assert target.numbers is not None
    truth = target.numbers[rows]
    if np.ptp(numbers) == 0 or np.ptp(truth) == 0:
        return 0.0
    by_value = float(np.corrcoef(numbers, truth)[0, 1])
    by_rank = float(np.corrcoef(rankdata(numbers), rankdata(truth))[0, 1])
    return min(by_value, by_rank, key=abs)


def _as_answers(numbers: Numbers, target: Target, rows: NDArray[np.int64]) -> Numbers:
    """Numbers on the scale of the answers: as they are where these are near, else along the line that fits."""
    assert target.numbers is not None
    truth = target.numbers[rows]
    slope, start = np.polyfit(numbers, truth, 1)
    fitted: Numbers = slope * numbers + start
    return numbers if np.abs(numbers - truth).mean() <= 1.2 * np.abs(fitted - truth).mean() else fitted
