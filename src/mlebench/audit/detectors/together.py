"""Two columns that tell the answers together: by their sum, difference, product, ratio, by which is larger, by both.

Each column alone says nothing, so that no comparison of single columns finds them. What two columns tell is measured in
train as well, where honest pairs tell as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mlebench.audit import strength
from mlebench.audit.column_values import Relation, few
from mlebench.audit.evidence import Evidence
from mlebench.audit.finding import Found
from mlebench.audit.judging import judge_dependence
from mlebench.audit.matching import Aligned, Matched
from mlebench.audit.predicting import predicted_values, predictions
from mlebench.audit.sides import tables_to_combine
from mlebench.audit.strength import Strength
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, as_numbers, is_missing, texts
from mlebench.audit.targets import Target

_MOST_COLUMNS, _MOST_TABLES = 30, 3
_MOST_ROWS = 1200
_FEWEST, _FEWEST_EXACT = 60, 12  # items; of what leaves nothing to chance, in train as well, fewer are enough
_FURTHER_DIGITS = 3.0  # pairs are many
_CERTAIN_DIGITS, _ALWAYS = 25.0, 1 - 1e-9  # of both sides; power
_EXACT = 0.999  # the power of an identity: many an honest formula of two columns comes near the answers
_NO_ERROR, _LITTLE_LEFT = 1e-5, 0.01  # to certainty; of what the better column leaves
_GAIN = 0.2  # by how much two columns must exceed either
_BINS = 8
_FEW_GROUPS = 3  # a flag, and what is missing
_FEW_COLUMNS = 4
_REPEATED = 0.5  # of the rows have a value of their own, at most
_GAPS, _PAIR = "which of {} and {} is missing", "the pair of {} and {}"
_Codes = NDArray[np.int64]


@dataclass(frozen=True)
class _Side:
    """The columns of test or of train, as numbers and as groups, with the answers."""

    numbers: list[Numbers | None]
    groups: list[_Codes]
    gaps: list[_Codes]
    y: Numbers
    n_classes: int


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for pairs of columns of a table."""
    if survey.train is None:
        return
    for matched in tables_to_combine(survey, max(_FEWEST_EXACT, 0.5 * survey.test.size), _MOST_TABLES):
        for target in survey.test.targets[:3]:
            labels = survey.train.target(target.name)
            if target.is_derived or target.coded is None or target.n_classes > 30:
                continue
            if labels is None or labels.coded is None or (labels.n_classes == 0) != (target.n_classes == 0):
                continue
            found = _best_pair(survey, matched, target, labels)
            if found is not None:
                yield found


def _best_pair(survey: Survey, matched: Matched, target: Target, labels: Target) -> Found | None:
    columns = [
        survey.thinned(column)
        for column in matched.whole_columns
        if column.column not in survey.task.sample.columns and len(set(column.values)) > 1
    ]
    columns = [column for column in columns if np.array_equal(column.items, columns[0].items)]
    others = [
        None if (other := survey.counterpart(column)) is None else survey.thinned(other, train=True)
        for column in columns
    ]
    if not columns or len(columns[0].items) < _FEWEST_EXACT:
        return None
    # What train lacks comes first, and flags last: many that are one class together would crowd out the others.
    is_flag = [len(set(column.values)) <= 2 for column in columns]
    order = sorted(range(len(columns)), key=lambda place: (others[place] is not None, is_flag[place]))
    chosen = order[:_MOST_COLUMNS]
    if len(chosen) < 2:
        return None
    rows = _distinct([columns[place] for place in chosen])
    test = _side([columns[place] for place in chosen], target, rows)
    is_foreign = bool(survey.tables_of_train(matched.table.where))
    best: tuple[float, int, int, str, float, float | None, NDArray[np.object_]] | None = None
    measure = _of_numbers if target.n_classes == 0 else _of_classes
    for left, right in combinations(range(len(chosen)), 2):
        one, other = others[chosen[left]], others[chosen[right]]
        known = [found for found in (one, other) if found is not None]
        if len(known) == 1 or (known and not np.array_equal(known[0].items, known[1].items)):
            continue
        train: _Side | None = None
        for what, power, digits, shown in measure(test, left, right):
            if power <= (0.0 if best is None else best[0]):
                continue
            if known and train is None:
                some = np.random.default_rng(0).permutation(len(known[0].items))[:_MOST_ROWS]
                train = _side(known, labels, some)
            in_train = _same(measure, train, what) if train is not None else None
            if train is not None and in_train is None:
                continue
            is_leak = _is_identity_of_both(power, digits, in_train, target, shown) or _is_leak(
                target, power, digits, in_train, test, _telling(shown), is_foreign=is_foreign
            )
            if is_leak and not _drifts(shown, test, rows):
                best = (power, left, right, what, digits, None if in_train is None else in_train.power, shown)
    if best is None:
        return None
    power, left, right, what, digits, honest, shown = best
    names = [columns[chosen[place]].column for place in (left, right)]
    items = columns[0].items[rows]
    part = target.part(items)
    form = "order" if target.n_classes == 0 else "groups"
    relation = Relation(Strength(power, digits, form), "derived", what, shown)
    values = predicted_values(texts(shown.tolist()), relation, part)
    known_words = "" if honest is None else f", in train {honest:.0%}"
    words = (
        f"{what.format(*names)} tells {target.name} ({power:.0%} of the way from guessing to certainty{known_words}), "
        "and neither does so alone"
    )
    return Found(
        "predictive_artifact",
        "leak",
        f"{matched.table.where}: {names[0]} and {names[1]}",
        f"{words[0].upper()}{words[1:]}.",
        rank=power,
        predictions=predictions(target, survey.task.rows[items], values),
    )


def _distinct(columns: list[Aligned]) -> _Codes:
    """Some rows at random, of those one that are equal in all columns whose values repeat: they are one observation."""
    count = len(columns[0].values)
    repeating = [column.values for column in columns if len(set(column.values)) < _REPEATED * count]
    first = {cells: row for row, cells in enumerate(zip(*repeating, strict=True))}
    is_list = len(repeating) > _FEW_COLUMNS or len(first) >= _FEWEST  # and not all that two or three codes can be
    rows = sorted(first.values()) if is_list else range(count)
    return np.random.default_rng(0).permutation(np.array(rows, dtype=np.int64))[:_MOST_ROWS]


def _side(columns: list[Aligned], target: Target, rows: _Codes) -> _Side:
    assert target.coded is not None
    values = [column.values[rows] for column in columns]
    gaps = [np.array([is_missing(value) for value in column], dtype=np.int64) for column in values]
    numbers = [as_numbers(column) for column in values]
    groups = [strength.groups_of(column) for column in values]
    return _Side(numbers, groups, gaps, target.coded[columns[0].items[rows]], target.n_classes)


def _drifts(shown: NDArray[np.object_], side: _Side, rows: _Codes) -> bool:
    """Whether what two columns are together and the answers only change slowly along the rows, both."""
    order, numbers = np.argsort(rows), shown.astype(float)
    codes = strength.groups_of(numbers)
    codes = _ranges(numbers) if codes.max(initial=0) + 1 > 24 else codes
    return strength.is_of_order(codes[order], side.y[order], side.n_classes)


_Measured = Iterator[tuple[str, float, float, NDArray[np.object_]]]


@dataclass(frozen=True)
class _Known:
    """How well the same relation tells the labels of train; `telling` is how many rows tell something."""

    power: float
    digits: float
    telling: int


def _same(measure: Callable[[_Side, int, int], _Measured], train: _Side, what: str) -> _Known | None:
    """The same relation in train; None where it cannot be measured there."""
    for words, power, digits, shown in measure(train, 0, 1):
        if words == what:
            return _Known(power, digits, _telling(shown))
    return _Known(0.0, 0.0, len(train.y)) if what in (_GAPS, _PAIR) else None


def _telling(shown: NDArray[np.object_]) -> int:
    """The rows that two columns part from most: of a flag that is rare few tell anything."""
    counts = np.bincount(strength.groups_of(shown))
    return len(shown) - int(counts.max()) if len(counts) <= _FEW_GROUPS else len(shown)


def _is_leak(
    target: Target,
    power: float,
    digits: float,
    in_train: _Known | None,
    test: _Side,
    telling: int,
    *,
    is_foreign: bool,
) -> bool:
    if digits < 9 + _FURTHER_DIGITS:
        return False
    if in_train is None:
        return len(test.y) >= _FEWEST and is_foreign and power >= 0.3
    if len(test.y) >= _FEWEST and min(power, in_train.power) >= _EXACT:
        return True
    if len(test.y) < _FEWEST:
        return False
    known = Evidence(in_train.digits, in_train.telling)
    found = Evidence(digits - _FURTHER_DIGITS, telling)
    return judge_dependence(found, known, target.n_classes, is_foreign=False) is not None


def _is_identity_of_both(
    power: float, digits: float, in_train: _Known | None, target: Target, shown: NDArray[np.object_]
) -> bool:
    """Whether two columns make the answers without an error on both sides: then few items to predict are enough."""
    if in_train is None or digits + in_train.digits < _CERTAIN_DIGITS:
        return False
    if target.n_classes:
        return min(power, in_train.power) >= _ALWAYS and len(set(shown.tolist())) <= target.n_classes
    return 1 - min(power, in_train.power) <= _NO_ERROR


def _arithmetic(one: Numbers, other: Numbers) -> Iterator[tuple[str, Numbers]]:
    with np.errstate(all="ignore"):
        yield "the sum of {} and {}", one + other
        yield "the difference of {} and {}", one - other
        yield "the product of {} and {}", one * other
        yield "the ratio of {} and {}", one / other
        yield "{1} divided by {0}", other / one


def _of_numbers(side: _Side, left: int, right: int) -> _Measured:
    yield from _of_classes(side, left, right)
    one, other = side.numbers[left], side.numbers[right]
    if one is None or other is None or np.isnan(one).mean() > 0.2 or np.isnan(other).mean() > 0.2:
        return
    alone = max(abs(_correlation(one, side.y)), abs(_correlation(other, side.y)))
    for what, made in _arithmetic(one, other):
        power = abs(_correlation(made, side.y))
        # What one column tells already is found there; of train all is wanted.
        is_more = power >= alone + (_GAIN if alone < 0.75 else 0.01) or _is_identity(power, alone)
        digits = strength.of_correlation(power, len(side.y))
        yield what, power if is_more else 0.0, digits, made.astype(object)


def _is_identity(power: float, alone: float) -> bool:
    """Whether two columns leave nothing to chance, where one of them alone leaves little."""
    return 1 - power <= min(_NO_ERROR, _LITTLE_LEFT * (1 - alone))


def _correlation(x: Numbers, y: Numbers) -> float:
    there = np.isfinite(x)
    if there.sum() < 0.8 * len(x) or x[there].std() < 1e-12 or y[there].std() < 1e-12:
        return 0.0
    found = float(np.corrcoef(x[there], y[there])[0, 1])
    return found if np.isfinite(found) else 0.0


def _of_classes(side: _Side, left: int, right: int) -> _Measured:
    alone = max(_digits(side, place) for place in (left, right))
    for what, codes in _combined(side, left, right):
        if not few(codes, side.n_classes, len(codes)):
            continue
        exact = strength.one_to_one(codes, side.y.astype(np.int64)) if side.n_classes else 0.0
        digits = max(exact, strength.association(codes, side.y, side.n_classes))
        is_more = digits > 1.5 * alone + _FURTHER_DIGITS
        power = (1.0 if exact else strength.by_groups(codes, side.y, side.n_classes).power) if is_more else 0.0
        yield what, power, digits, codes.astype(object)


def _digits(side: _Side, place: int) -> float:
    """The evidence of a column alone: by its values, and by the ranges that they are in."""
    groups, numbers = side.groups[place], side.numbers[place]
    found = [groups] if few(groups, side.n_classes, len(groups)) else []
    found += [] if numbers is None else [_ranges(numbers)]
    return max((strength.association(codes, side.y, side.n_classes) for codes in found), default=0.0)


def _ranges(numbers: Numbers) -> _Codes:
    """The range that each number is in; what is no number is one of its own."""
    there = np.isfinite(numbers)
    if not there.any():
        return np.zeros(len(numbers), dtype=np.int64)
    limits = np.quantile(numbers[there], np.linspace(0, 1, _BINS + 1)[1:-1])
    return np.where(there, 1 + np.searchsorted(limits, numbers), 0).astype(np.int64)


def _combined(side: _Side, left: int, right: int) -> Iterator[tuple[str, _Codes]]:
    """What two columns are together, as groups."""
    gaps = side.gaps[left], side.gaps[right]
    if all(0 < gap.sum() < len(gap) for gap in gaps):
        yield _GAPS, 2 * gaps[0] + gaps[1]
    first, second = side.groups[left], side.groups[right]
    sizes = int(first.max(initial=0)) + 1, int(second.max(initial=0)) + 1
    if sizes[0] * sizes[1] <= 24:
        yield _PAIR, first * sizes[1] + second
    one, other = side.numbers[left], side.numbers[right]
    if one is None or other is None:
        return
    there = ~(np.isnan(one) | np.isnan(other))
    yield "whether {} and {} are equal", np.where(there, one == other, 2).astype(np.int64)
    yield "which of {} and {} is larger", np.where(there, np.sign(one - other) + 1, 3).astype(np.int64)
    plain = np.where(there, one, 0.0), np.where(there, other, 0.0)
    if all(np.abs(part).max() < 1e12 and (part == np.floor(part)).all() for part in plain):
        whole = plain[0].astype(np.int64), plain[1].astype(np.int64)
        for divisor in dict.fromkeys((2, max(2, side.n_classes), 10)):
            total, gap = (whole[0] + whole[1]) % divisor, (whole[0] - whole[1]) % divisor
            yield f"the sum of {{}} and {{}} modulo {divisor}", np.where(there, total, divisor)
            yield f"the difference of {{}} and {{}} modulo {divisor}", np.where(there, gap, divisor)
    if side.n_classes == 0:
        return
    for what, made in _arithmetic(one, other):
        rounded = np.round(made, 3)
        yield what, strength.groups_of(rounded) if len(set(rounded.tolist())) <= 12 else _ranges(made)
