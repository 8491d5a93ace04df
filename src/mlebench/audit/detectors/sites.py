"""Two columns that name a group together, such as the coordinates of a site, whose items share the answer.

Quantities repeat by chance, and honest ones tell by how large they are: near values have near answers. Places that are
on both sides tell only where they are the very same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.column_values import few
from mlebench.audit.finding import Found, Prediction
from mlebench.audit.matching import Aligned
from mlebench.audit.sides import columns_of_both
from mlebench.audit.strength import Strength, by_neighbours, groups_of, monotone, of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, Texts, as_numbers, texts
from mlebench.audit.targets import Target

_MOST_COLUMNS, _MOST_ROWS = 30, 40_000
_FEWEST_GROUPS, _FEWEST_TOLD, _TOLD = 8, 20, 0.3  # items that belong to a group of train, at all and of all
_MOST_GROUPS = 0.8  # of the rows of train
_TELLS, _DIGITS = 0.9, 9.0
_NEAR = 0.5  # the power of what near values tell
_LARGE_GROUP = 20  # rows of train, on average
_SERIES, _SAME_DAYS = 0.95, 0.5  # of the rows are alone on their day; days there are, at most
_DATE = re.compile(r"^(19|20)\d\d[-/.]?[01]\d[-/.]?[0-3]\d")
_WORDS = re.compile(r"[a-z]{2,} [a-z]{2,}")
_WORDY, _LOOKED_AT = 0.3, 1000  # of the values have two words in a row
_VARIES = 0.5  # of the other columns that differ within groups: rows that repeat as a whole are copies
_Ints = NDArray[np.int64]


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for pairs of columns of tables that both sides have."""
    if survey.train is None:
        return
    tables: dict[tuple[int, int], list[tuple[Aligned, Aligned]]] = {}
    for test, train, column, other in columns_of_both(survey):
        is_whole = len(column.items) == len(test.items) and len(other.items) == len(train.items)
        if is_whole and not column.column.startswith("("):
            tables.setdefault((id(test), id(train)), []).append((column, other))
    for columns in list(tables.values())[:2]:
        if len(columns) < 2 or len(columns[0][0].items) + len(columns[0][1].items) > _MOST_ROWS:
            continue
        for target in [target for target in survey.test.targets if not target.is_derived and target.varies][:2]:
            labels = survey.train.target(target.name)
            if labels is None or labels.coded is None or target.coded is None:
                continue
            if (labels.n_classes == 0) == (target.n_classes == 0):
                yield from _pairs(survey, columns[:_MOST_COLUMNS], target, labels)


def _pairs(survey: Survey, columns: list[tuple[Aligned, Aligned]], target: Target, labels: Target) -> Iterator[Found]:
    items, others = columns[0][0].items, columns[0][1].items
    mine, theirs = target.part(items), labels.part(others)
    both = [np.concatenate([column.values, other.values]) for column, other in columns]
    codes = [groups_of(values) for values in both]
    for left, right in combinations(range(len(columns)), 2):
        groups = groups_of((codes[left] * (codes[right].max() + 1) + codes[right]).astype(float))
        told = _told(groups[: len(items)], groups[len(items) :], mine, theirs)
        if told is None or _is_code(groups, codes[left], codes[right], labels.n_classes):
            continue
        if any(_are_series(groups, codes[place]) for place, values in enumerate(both) if _is_date(values)):
            continue  # the sales of a shop are on both sides of a forecast
        if all(_is_wording(both[place]) for place in (left, right)):
            continue  # what two texts say of one another is there to be used
        strength, rows, given = told
        known = [both[place][len(items) :] for place in (left, right)]
        if _near(known, groups[len(items) :], theirs) >= _NEAR or not _differ(codes, (left, right), groups):
            continue
        names = [columns[place][0].column for place in (left, right)]
        words = (
            f"{len(rows):,} of {len(items):,} items to predict have {names[0]} and {names[1]} of items of train, whose "
            f"labels tell {strength.power:.0%} of the way to certainty, and those of near values do not"
        )
        yield Found(
            "groups",
            "leak",
            f"{columns[left][0].where}: {names[0]} and {names[1]}",
            f"{words}.",
            rank=strength.power,
            predictions=(Prediction(target.name, target.column, survey.task.rows[items[rows]], given),),
        )
        return


def _told(mine: _Ints, theirs: _Ints, target: Target, labels: Target) -> tuple[Strength, _Ints, Texts] | None:
    """(how well, which rows of test, their answers) of what the labels of the same group in train tell."""
    counts = np.bincount(theirs, minlength=int(max(mine.max(), theirs.max())) + 1)
    rows = np.flatnonzero(counts[mine] > 0)
    count = int((counts > 0).sum())
    if not max(_FEWEST_GROUPS, len(theirs) / _LARGE_GROUP) <= count <= _MOST_GROUPS * len(theirs):
        return None
    if len(rows) < max(_FEWEST_TOLD, _TOLD * len(mine)):
        return None
    if target.n_classes == 0:
        assert target.numbers is not None and labels.numbers is not None
        means = np.bincount(theirs, weights=labels.numbers, minlength=len(counts)) / np.maximum(counts, 1)
        given = means[mine[rows]]
        strength = monotone(given, target.numbers[rows], 0)
        shown = texts(given.tolist())
    else:
        names, coded = np.unique(labels.plain.astype(str), return_inverse=True)
        if len(counts) * len(names) > 20_000_000:
            return None
        votes = np.zeros((len(counts), len(names)))
        np.add.at(votes, (theirs, coded), 1)
        guess = names[votes[mine[rows]].argmax(axis=1)]
        truth = target.plain[rows].astype(str)
        hits, base = int((guess == truth).sum()), float(np.unique(truth, return_counts=True)[1].max()) / len(rows)
        power = (hits / len(rows) - base) / (1 - base) if base < 1 else 0.0
        strength = Strength(power, of_hits(hits, len(rows), base), "groups")
        written = dict(zip(labels.plain.astype(str), labels.values, strict=True))
        shown = texts(written[name] for name in guess)
    return (strength, rows, shown) if strength.power >= _TELLS and strength.digits >= _DIGITS else None


def _is_code(groups: _Ints, one: _Ints, other: _Ints, n_classes: int) -> bool:
    """Whether two columns, or one of them, have so few values that they may be honest features."""
    return any(few(codes, n_classes, len(codes)) for codes in (groups, one, other))


def _is_wording(values: Texts) -> bool:
    """Whether values are texts of several words rather than names, codes or numbers."""
    distinct = sorted({str(value) for value in values})[:_LOOKED_AT]
    return sum(bool(_WORDS.search(value)) for value in distinct) >= _WORDY * len(distinct)


def _is_date(values: Texts) -> bool:
    return all(_DATE.match(str(value)) for value in values[:_FEWEST_TOLD])


def _are_series(groups: _Ints, days: _Ints) -> bool:
    """Whether groups have a row per day each, and the same days."""
    pairs = len(np.unique(groups * (int(days.max()) + 1) + days))
    return pairs >= _SERIES * len(groups) and int(days.max()) + 1 <= _SAME_DAYS * len(groups)


def _near(values: list[Texts], groups: _Ints, labels: Target) -> float:
    """How much of the labels the nearest other groups tell: by both numbers, and by each of them."""
    from scipy.spatial import cKDTree

    assert labels.coded is not None
    _, first = np.unique(groups, return_index=True)
    y = labels.coded[first]
    numbers = [found[first] for part in values if (found := as_numbers(part)) is not None and not np.isnan(found).any()]
    powers = [by_neighbours(part, y, labels.n_classes).power for part in numbers]
    if len(numbers) == 2:
        ranks = np.column_stack([part.argsort().argsort() for part in numbers]).astype(float)
        nearest = cKDTree(ranks).query(ranks, k=2)[1]
        guess = y[np.where(nearest[:, 1] == np.arange(len(y)), nearest[:, 0], nearest[:, 1])]
        powers.append(_power(guess, y, labels.n_classes))
    return max(powers, default=0.0)


def _power(guess: Numbers, y: Numbers, n_classes: int) -> float:
    if n_classes == 0:
        return monotone(guess, y, 0).power
    base = float(np.unique(y, return_counts=True)[1].max()) / len(y)
    return (float(np.mean(guess == y)) - base) / (1 - base) if base < 1 else 0.0


def _differ(codes: list[_Ints], pair: tuple[int, int], groups: _Ints) -> bool:
    """Whether items of a group are different in other columns, where there are any, and no copies of one another."""
    order = np.argsort(groups, kind="stable")
    same = groups[order][1:] == groups[order][:-1]
    others = [part for place, part in enumerate(codes) if place not in pair]
    if not others or not same.any():
        return True
    apart = np.any([part[order][1:] != part[order][:-1] for part in others], axis=0)
    return bool(np.mean(apart[same]) >= _VARIES)
