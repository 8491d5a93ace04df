"""Dependence of the answers on a column that tells little, but cannot be chance: one class of many, a weak code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlebench.audit import strength
from mlebench.audit.column_values import Values, few
from mlebench.audit.table import Numbers

_BINS = 8
_FEWEST = 40
_LONG = 10  # characters
_SPREAD, _MANY = 1000, 0.1  # the range of numbers and how many there are, for each row
_PLAIN, _BINNED = "the value", "the range that the value is in"
_BEFORE = "the answer of the item before it"
_SOME_FOLLOW, _GAPS = 200, 1.2  # so many rows that follow one another decide where the mean gap is wider
_KNOWN = "whether train has the same value"


@dataclass(frozen=True)
class Evidence:
    """The digits of evidence that answers depend on something, and how many items it rests on."""

    digits: float
    count: int

    @property
    def per_item(self) -> float:
        """The digits that each item adds."""
        return self.digits / max(self.count, 1)


@dataclass(frozen=True)
class Dependence(Evidence):
    """The evidence that answers depend on a property of a column, and the property."""

    what: str
    groups: NDArray[np.object_]


def dependence(values: Values, y: Numbers, n_classes: int) -> Dependence | None:
    """The property of a column that the answers depend on beyond doubt, more than on any other."""
    best: Dependence | None = None
    once = _once(values)
    if once.sum() < _FEWEST:
        return None
    for what, shown, groups, rows in _properties(values, n_classes):
        if not few(groups, n_classes, len(groups)):
            continue
        found = _evidence(groups, y, n_classes, rows, once)
        if best is None or found.digits > best.digits:
            best = Dependence(found.digits, found.count, what, shown)
    return best


def serial_dependence(order: Numbers, y: Numbers, n_classes: int) -> Dependence | None:
    """Whether answers depend on the answer of the item before, as where classes take turns."""
    if len(y) < _FEWEST or np.isnan(order).any():
        return None
    rows = np.argsort(order, kind="stable")
    before, after = y[rows[:-1]], y[rows[1:]]
    gaps = np.diff(order[rows])
    if (follow := gaps == 1).sum() >= _SOME_FOLLOW and gaps.mean() > _GAPS:
        before, after = before[follow], after[follow]  # of a sample: how far apart others are says how large it is
    if n_classes:
        digits = strength.association(before.astype(np.int64), after, n_classes)
        digits = max(digits, strength.of_blocks(y[rows]))
    else:
        digits = strength.monotone(before, after, 0).digits
    shown = np.empty(len(y), dtype=object)
    shown[rows[1:]] = y[rows[:-1]]
    return Dependence(digits, len(before), _BEFORE, shown)


def novelty(values: Values, of_train: Values, y: Numbers, n_classes: int) -> Dependence:
    """Whether answers depend on train having the same value."""
    known = Counter(of_train.plain)
    flags = np.array([known[value] > 0 for value in values.plain], dtype=np.int64)
    return Dependence(strength.association(flags, y, n_classes), len(y), _KNOWN, flags.astype(object))


def novelty_in_train(of_train: Values, y: Numbers, n_classes: int) -> Evidence:
    """The evidence for the same in train: whether another row has the value."""
    known = Counter(of_train.plain)
    flags = np.array([known[value] > 1 for value in of_train.plain], dtype=np.int64)
    return Evidence(strength.association(flags, y, n_classes), len(y))


def same_dependence(values: Values, found: Dependence, y: Numbers, n_classes: int) -> Evidence:
    """The evidence for the same property of another column."""
    nothing = Evidence(0.0, len(y))
    if found.what == _BEFORE:
        same = None if values.numbers is None else serial_dependence(values.numbers, y, n_classes)
        return same or nothing
    once = _once(values)
    for what, _, groups, rows in _properties(values, n_classes):
        if what == found.what:
            return _evidence(groups, y, n_classes, rows, once)
    return nothing


def _evidence(
    groups: NDArray[np.int64], y: Numbers, n_classes: int, rows: NDArray[np.int64], once: NDArray[np.bool_]
) -> Evidence:
    """That of a property of some rows, of which those count that are observations."""
    counted = once[rows]
    return Evidence(strength.association(groups[counted], y[rows][counted], n_classes), int(counted.sum()))


def _once(values: Values) -> NDArray[np.bool_]:
    """Which rows count: a long value does not recur by chance, so that items which share one are one observation."""
    lengths = [len(value) for value in values.texts if value is not None]
    counted = np.ones(len(values), dtype=bool)
    if lengths and (np.mean(lengths) >= _LONG or _are_drawn(values)):
        counted[:] = False
        counted[np.unique(values.groups, return_index=True)[1]] = True
    return counted


def _are_drawn(values: Values) -> bool:
    """Whether whole numbers are spread so far, and are so many, that none would recur if each row had its own."""
    if values.numbers is None or np.isnan(values.numbers).any() or (values.numbers % 1 != 0).any():
        return False
    return bool(np.ptp(values.numbers) >= _SPREAD * len(values) and values.groups.max(initial=0) >= _MANY * len(values))


def power_of(values: Values, what: str, y: Numbers, n_classes: int) -> float:
    """How much of the answers a property of a column tells: evidence is little where groups are many and items few."""
    y = strength.ranked(y) if n_classes == 0 else y
    for named, _, groups, rows in _properties(values, n_classes):
        if named == what:
            return strength.by_groups(groups, y[rows], n_classes).power
    return 0.0


def _properties(
    values: Values, n_classes: int
) -> Iterator[tuple[str, NDArray[np.object_], NDArray[np.int64], NDArray[np.int64]]]:
    """(what it is, its values, their groups, the rows) of the column itself, its ranges and its hidden properties."""
    whole = np.arange(len(values))
    if len(values) < _FEWEST:
        return
    yield _PLAIN, values.texts, values.groups, whole
    numbers = values.numbers
    if numbers is not None and len(set(values.groups.tolist())) > _BINS:
        there = ~np.isnan(numbers)
        if there.sum() >= _FEWEST:
            limits = np.quantile(numbers[there], np.linspace(0, 1, _BINS + 1)[1:-1])
            ranges = np.where(there, np.searchsorted(limits, numbers), -1)
            yield _BINNED, ranges.astype(object), strength.groups_of(ranges.astype(object)), whole
    for what, shown, groups in values.hidden(n_classes):
        yield what, shown, groups, values.sample
