"""Answers that are masks: numbers that say where a mask is, how far it goes, or how large it is.

Whoever marks where something is by eye, or by a model, is off by some pixels; numbers that fit to the pixel were
computed from the masks. Where train has them as well they may be a part of the task, such as what is to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.honesty import is_content
from mlebench.audit.matching import Aligned
from mlebench.audit.runs import Drawn, are_runs, masks_of, shapes_of, shapes_of_files, written_runs
from mlebench.audit.strength import of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, as_numbers, texts
from mlebench.audit.targets import Target

_FEWEST, _MOST_COLUMNS, _MOST_MASKS = 6, 1500, 1000
_CLOSE, _NEAR, _NEAR_OF_AREA = 0.05, 1.01, 0.005  # pixels, and the share of an area
_MOSTLY, _DIGITS, _SOME_DIGITS = 0.8, 7.0, 2.5  # of the items; the evidence of all columns of a file, and of each
_SHIFTS = (1, 2, 3, 5)
_ENDS = {"across": ("its left end", "its right end"), "down": ("its upper end", "its lower end")}
_Ends = tuple[Numbers, Numbers]
_Order = Literal["F", "C"]  # of pixels: down the columns, or along the rows
_ORDERS: tuple[_Order, ...] = get_args(_Order)


@dataclass(frozen=True)
class _Measures:
    """What there is to be said of masks, if they are written down the columns or along the rows."""

    order: _Order
    what: Mapping[str, Numbers]  # in pixels
    sizes: Mapping[str, Numbers]  # of the pictures, by which it may be divided


@dataclass(frozen=True)
class _Hit:
    column: Aligned
    order: _Order
    what: str
    values: Numbers  # in pixels, for all masks; NaN where the column has none
    share: float
    digits: float


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for each file with numbers that fit."""
    target = next((target for target in survey.test.targets if not target.is_derived), None)
    if target is None or not are_runs(target.values):
        return
    masks = [mask for mask in masks_of(survey.test, target, shapes_of(survey)) if mask.shape is not None]
    masks = masks[:_MOST_MASKS]
    if len(masks) < _FEWEST:
        return
    measures = _measured(masks)
    hits: dict[tuple[str, str], list[_Hit]] = {}
    for column in survey.test_columns[:_MOST_COLUMNS]:
        if is_content(column, 0.0):
            continue  # bright pixels of a picture are there to be seen
        for measured in measures:
            if (hit := _hit(column, masks, measured)) is not None:
                hits.setdefault((column.where, hit.order), []).append(hit)
    in_train = _Train(survey, target)
    told: set[str] = set()
    for (where, _), found in sorted(hits.items(), key=lambda entry: -sum(hit.digits for hit in entry[1])):
        if where not in told and sum(hit.digits for hit in found) >= _DIGITS:
            told.add(where)
            yield _finding(survey, target, masks, where, found, is_known=any(map(in_train.has, found)))


def _measured(masks: list[Drawn]) -> list[_Measures]:
    found = []
    heights, widths = (np.array([mask.shape[axis] for mask in masks if mask.shape], dtype=float) for axis in (0, 1))
    for order in _ORDERS:
        ends: dict[str, list[tuple[int, int]]] = {"across": [], "down": []}
        middles: dict[str, list[float]] = {"across": [], "down": []}
        for mask in masks:
            places = np.nonzero(mask.values.reshape(mask.shape or (0, 0), order=order))
            for axis, found_at in (("down", places[0]), ("across", places[1])):
                ends[axis].append((int(found_at.min()), int(found_at.max()) + 1))
                middles[axis].append(float(found_at.mean()) + 0.5)
        what: dict[str, Numbers] = {}
        sizes: dict[str, Numbers] = {}
        for axis, full in (("across", widths), ("down", heights)):
            low, high = np.array(ends[axis], dtype=float).T
            named = {
                _ENDS[axis][0]: low,
                _ENDS[axis][1]: high,
                f"its extent {axis}": high - low,
                f"the middle of its extent {axis}": (low + high) / 2,
                f"its centre {axis}": np.array(middles[axis]),
            }
            what |= named
            sizes |= dict.fromkeys(named, full)
        what["its area"] = np.array([float(mask.values.sum()) for mask in masks])
        sizes["its area"] = heights * widths
        found.append(_Measures(order, what, sizes))
    return found


def _hit(column: Aligned, masks: list[Drawn], measured: _Measures) -> _Hit | None:
    numbers = as_numbers(column.values)
    if numbers is None:
        return None
    place = dict(zip(column.items.tolist(), numbers.tolist(), strict=True))
    values = np.array([place.get(int(mask.rows[0]), np.nan) for mask in masks])
    there = ~np.isnan(values)
    if there.sum() < _FEWEST or len(np.unique(values[there])) < 3:
        return None
    best: _Hit | None = None
    for what, truth in measured.what.items():
        for unit in (1.0, measured.sizes[what], measured.sizes[what] / 100):
            pixels = values * unit
            off = np.abs(pixels - truth)[there]
            moved = [np.abs(pixels[there] - np.roll(truth[there], by)) for by in _SHIFTS]
            for near in (_CLOSE * np.ones(len(off)), _near(what, truth[there])):
                hits = off <= near
                if hits.mean() < _MOSTLY:
                    continue
                chance = max(float(np.mean([one <= near for one in moved])), 1 / (len(_SHIFTS) * len(hits)))
                digits = of_hits(int(hits.sum()), len(hits), chance)
                if best is None or digits > best.digits:
                    best = _Hit(column, measured.order, what, pixels, float(hits.mean()), digits)
    return best if best is not None and best.digits >= _SOME_DIGITS else None


def _near(what: str, truth: Numbers) -> Numbers:
    return np.maximum(_NEAR, _NEAR_OF_AREA * truth) if what == "its area" else np.full(len(truth), _NEAR)


class _Train:
    """The same measures of the masks of train, worked out where they are needed."""

    def __init__(self, survey: Survey, target: Target) -> None:
        self._survey, self._target = survey, target
        self._known: tuple[list[Drawn], list[_Measures]] | None = None

    def has(self, hit: _Hit) -> bool:
        """Whether the same column of train says the same of the masks of train."""
        other = self._survey.counterpart(hit.column)
        if other is None:
            return False
        masks, measures = self._masks()
        told = (_hit(other, masks, measured) for measured in measures if measured.order == hit.order)
        return any(same is not None and same.what == hit.what for same in told)

    def _masks(self) -> tuple[list[Drawn], list[_Measures]]:
        if self._known is None:
            train = self._survey.train
            labels = None if train is None else train.target(self._target.name)
            shapes = shapes_of_files(self._survey.train_files)
            masks = [] if train is None or labels is None else masks_of(train, labels, shapes)[:_MOST_MASKS]
            self._known = masks, _measured(masks) if len(masks) >= _FEWEST else []
        return self._known


def _finding(
    survey: Survey, target: Target, masks: list[Drawn], where: str, hits: list[_Hit], *, is_known: bool
) -> Found:
    said = ", ".join(dict.fromkeys(hit.what for hit in hits))
    names = ", ".join(dict.fromkeys(hit.column.column for hit in hits))
    words = f"Numbers in it fit the masks of {max(hit.share for hit in hits):.0%} of {len(masks):,} items: {said}"
    return Found(
        "answers_in_public",
        "suspicious" if is_known else "leak",
        f"{where}: {names}",
        f"{words}; train has the same of its masks." if is_known else f"{words}.",
        rank=1.0,
        predictions=_filled(survey, target, masks, {hit.what: hit.values for hit in hits}, hits[0].order),
    )


def _filled(
    survey: Survey, target: Target, masks: list[Drawn], known: Mapping[str, Numbers], order: _Order
) -> tuple[Prediction, ...]:
    """Rectangles as masks, where both ends are known in both directions."""
    across, down = _ends("across", known), _ends("down", known)
    if across is None or down is None:
        return ()
    rows, written = [], []
    for number, mask in enumerate(masks):
        limits = [float(end[number]) for end in (*across, *down)]
        if mask.shape is None or np.isnan(limits).any():
            continue
        left, right, top, bottom = (max(round(limit), 0) for limit in limits)
        picture = np.zeros(mask.shape)
        picture[top:bottom, left:right] = 1
        if picture.any():
            rows.append(mask.rows[0])
            written.append(written_runs(picture.ravel(order=order)))
    places: NDArray[np.int64] = np.array(rows, dtype=np.int64)
    return (Prediction(target.name, target.column, survey.task.rows[places], texts(written)),) if rows else ()


def _ends(axis: str, known: Mapping[str, Numbers]) -> _Ends | None:
    low, high = (known.get(name) for name in _ENDS[axis])
    extent, middle = known.get(f"its extent {axis}"), known.get(f"the middle of its extent {axis}")
    middle = known.get(f"its centre {axis}") if middle is None else middle
    if low is not None and high is not None:
        return low, high
    if extent is None:
        return None
    if low is not None:
        return low, low + extent
    if high is not None:
        return high - extent, high
    return None if middle is None else (middle - extent / 2, middle + extent / 2)
