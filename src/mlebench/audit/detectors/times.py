"""Time that flows backwards: what is to be predicted is older than train, or between its parts.

A split at random over dates is noted and no more, for many an honest task has one. It is suspicious where the rows are
series, such as the sales of a shop by day, and the days before and after the one to predict, which train has, tell the
answer; and where neighbours in time have the same answer nearly always, as parts of one recording have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found
from mlebench.audit.matching import Aligned, Matched
from mlebench.audit.moments import Sides, calendars, moments
from mlebench.audit.sides import both_sides, columns_of_both
from mlebench.audit.strength import monotone, of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, Texts, texts

# Times of copies say when data was packed or rewritten, and not when it was taken.
_OF_COPY = re.compile(r"(?i)(mtime|modif|\bdate:|\(0008,001[23]\)|\(0010,0030\))")
_FEWEST_MOMENTS = 5
_NOTED = 0.05  # of train that is later than the middle of what is to be predicted
_NEARLY_ALL = 0.95
_INSIDE = 0.02  # of train that may be in the block of time that is to be predicted
_FEWEST_LONG, _FEWEST_TOLD = 8, 30  # moments of a series; items whose neighbours train has
_PANEL = 0.5  # of all pairs of a series and a moment that there are
_SERIES = 500  # values of the column that names series
_MOMENTS = 0.5  # of the items of train have a moment of their own, at least
_SAME_CLASS, _SAME_NUMBERS = 0.6, 0.95  # power of neighbours in time
_MOST_PAIRED, _PAIRED = 8, 100  # columns, and values of one, that name series two together
_TOLD, _DIGITS = 0.2, 6.0  # of what the mean of a series leaves open


def detect(survey: Survey) -> Iterator[Found]:
    """Findings about dates."""
    if survey.train is None:
        return
    seen: set[str] = set()
    for test, train, column, other in columns_of_both(survey):
        if column.column in seen or (sides := moments(column.column, column.values, other.values)) is None:
            continue
        found = _of_sides(f"{test.table.where}: {column.column}", *sides)
        if found is not None:
            seen.add(column.column)
            found = _closer(survey, found, test, train, (column, other), sides) or found
            if found.severity != "note" or column.column in test.table.columns:  # means of several rows say it again
                yield found
    for found in (*_of_years(survey, seen), *_of_files(survey)):
        if found.where not in seen:
            seen.add(found.where)
            yield found


def _closer(
    survey: Survey, found: Found, test: Matched, train: Matched, columns: tuple[Aligned, Aligned], sides: Sides
) -> Found | None:
    """What is worse than a split at random: that neighbours in time tell the answers."""
    closer = _series(survey, test, train, columns[0], sides)
    if closer is None and found.severity == "note":
        closer = _neighbours(survey, found.where, columns, sides)
    return closer


def _of_years(survey: Survey, seen: set[str]) -> Iterator[Found]:
    """Columns of years, with those of months and days where they are; years alone are too coarse for a note."""
    for test, train in both_sides(survey):
        theirs = {column.column: column for column in train.columns}
        pairs = [(column, theirs[column.column]) for column in test.whole_columns if column.column in theirs]
        for column, other, sides, has_months in calendars(pairs):
            where = f"{test.table.where}: {column.column}"
            found = _of_sides(where, *sides, fewest=_FEWEST_MOMENTS if has_months else 1)
            if found is None or column.column in seen:
                continue
            if has_months:
                yield _closer(survey, found, test, train, (column, other), sides) or found
            elif found.severity != "note":
                yield found


def _of_files(survey: Survey) -> Iterator[Found]:
    """Dates in ids, in the names of files and in what they say of themselves, where time flows backwards."""
    reported: list[Numbers] = []
    for column in survey.test_columns:
        if not column.is_artifact or _OF_COPY.search(column.column):
            continue
        other = survey.counterpart(column)
        sides = moments(column.column, column.values, other.values) if other is not None else None
        if sides is None or any(np.array_equal(sides[0], known, equal_nan=True) for known in reported):
            continue
        found = _of_sides(f"{column.where}: {column.column}", *sides)
        if found is not None and found.severity != "note":
            reported.append(sides[0])
            yield found


def _of_sides(where: str, test: Numbers, train: Numbers, fewest: int = _FEWEST_MOMENTS) -> Found | None:
    """What is to be said of the moments of both sides, from so many of them to predict on."""
    mine, theirs = np.sort(test[~np.isnan(test)]), np.sort(train[~np.isnan(train)])
    if not len(mine) or not len(theirs) or len(np.unique([*mine, *theirs])) < _FEWEST_MOMENTS:
        return None
    later = float(np.mean(theirs > mine[len(mine) // 2]))
    first, last = (float(np.quantile(mine, level)) for level in (1 - _NEARLY_ALL, _NEARLY_ALL))
    before, after = float(np.mean(theirs < first)), float(np.mean(theirs > last))
    if after >= _NEARLY_ALL:
        words = f"{after:.0%} of train is later than {_NEARLY_ALL:.0%} of what is to be predicted"
        return Found("time", "suspicious", where, f"{words}: time flows backwards.", rank=after)
    if len(np.unique(mine)) < fewest:
        return None
    if before >= _NOTED and after >= _NOTED and 1 - before - after <= _INSIDE:
        words = (
            f"What is to be predicted is a stretch of time that train lacks, and train has what was before "
            f"({before:.0%}) and what came after ({after:.0%}): whoever predicts knows the future"
        )
        return Found("time", "suspicious", where, f"{words}.", rank=after)
    if later < _NOTED:
        return None
    words = (
        f"{later:.0%} of train is later than the middle of what is to be predicted: whoever predicts knows the future"
    )
    return Found("time", "note", where, f"{words}.", rank=0.1 * later)


def _series(
    survey: Survey, test: Matched, train: Matched, column: Aligned, sides: tuple[Numbers, Numbers]
) -> Found | None:
    """Rows that are series by the column that names them, where neighbours in train tell more than the mean does."""
    assert survey.train is not None
    target = next((target for target in survey.test.targets if not target.is_derived), None)
    known = survey.train.target(target.name) if target is not None else None
    if target is None or known is None or target.numbers is None or known.numbers is None:
        return None
    mine = dict(zip(column.items.tolist(), sides[0].tolist(), strict=True))
    other = next(found for found in train.columns if found.column == column.column)
    theirs = dict(zip(other.items.tolist(), sides[1].tolist(), strict=True))
    for names, partner in _names_of_series(test, train, column):
        there = np.array([theirs.get(int(item), np.nan) for item in partner.items])
        here = np.array([mine.get(int(item), np.nan) for item in names.items])
        if not _is_panel(np.concatenate([names.values, partner.values]), np.concatenate([here, there])):
            continue
        told = _told(names.values, here, partner.values, there, known.numbers[partner.items])
        rows = ~np.isnan(told[0])
        answers = target.numbers[names.items]
        if rows.sum() < max(_FEWEST_TOLD, 0.5 * len(rows)):
            continue
        left = float(np.sum((answers - told[1])[rows] ** 2))
        power = 1 - float(np.sum((answers - told[0])[rows] ** 2)) / left if left > 0 else 0.0
        digits = monotone((told[0] - told[1])[rows], (answers - told[1])[rows], 0).digits
        if power >= _TOLD and digits >= _DIGITS:
            words = (
                f"Rows are series by {names.column}, split at random over {column.column}: of {int(rows.sum()):,} "
                f"items train has the moments before and after, and these tell {power:.0%} of what the mean of the "
                f"series leaves open of {target.name}"
            )
            return Found("time", "suspicious", f"{test.table.where}: {column.column}", f"{words}.", rank=power)
    return None


def _names_of_series(test: Matched, train: Matched, dates: Aligned) -> Iterator[tuple[Aligned, Aligned]]:
    """The columns of both sides that may name series, such as the shop; and two together, as the shop and the ware."""
    theirs = {column.column: column for column in train.columns}
    pairs = [
        (column, theirs[column.column])
        for column in test.whole_columns
        if column.column in theirs and column.column != dates.column and len(column.items) == len(dates.items)
    ]
    yield from pairs
    few = [both for both in pairs if not both[0].is_artifact and 1 < len(set(both[0].values)) <= _PAIRED]
    for first, second in combinations(few[:_MOST_PAIRED], 2):
        if all(np.array_equal(one.items, other.items) for one, other in zip(first, second, strict=True)):
            yield _together(first[0], second[0]), _together(first[1], second[1])


def _together(one: Aligned, other: Aligned) -> Aligned:
    values = texts(f"{left} {right}" for left, right in zip(one.values, other.values, strict=True))
    return replace(one, column=f"{one.column} and {other.column}", values=values)


def _neighbours(
    survey: Survey, where: str, columns: tuple[Aligned, Aligned], sides: tuple[Numbers, Numbers]
) -> Found | None:
    """Items whose answers are those of the items of train before and after them, nearly always."""
    assert survey.train is not None
    there = [~np.isnan(side) for side in sides]
    order = np.argsort(sides[1][there[1]], kind="stable")
    moments, theirs = sides[1][there[1]][order], columns[1].items[there[1]][order]
    mine, items = sides[0][there[0]], columns[0].items[there[0]]
    if len(items) < _FEWEST_TOLD or len(theirs) < _FEWEST_TOLD or len(np.unique(moments)) < _MOMENTS * len(moments):
        return None
    after = np.clip(np.searchsorted(moments, mine), 1, len(moments) - 1)
    nearest = after - (mine - moments[after - 1] < moments[after] - mine)
    for target in survey.test.targets:
        known = survey.train.target(target.name)
        if target.is_derived or known is None or not target.varies:
            continue
        if target.n_classes == 0 and known.numbers is not None:
            assert target.numbers is not None
            between = np.interp(mine, moments, known.numbers[theirs])
            measured = monotone(between, target.numbers[items], 0)
            power, digits, needed = measured.power, measured.digits, _SAME_NUMBERS
        else:
            same = known.plain[theirs[nearest]] == target.plain[items]
            base = float(np.unique(target.plain[items].astype(str), return_counts=True)[1].max()) / len(items)
            power = (float(same.mean()) - base) / (1 - base) if base < 1 else 0.0
            digits, needed = of_hits(int(same.sum()), len(items), base), _SAME_CLASS
        if power >= needed and digits >= _DIGITS:
            words = (
                f"Items are split at random over {columns[0].column}, and those of train that are next to them in time "
                f"tell {target.name} {power:.0%} of the way to certainty: whoever predicts knows what came before "
                "and after"
            )
            return Found("time", "suspicious", where, f"{words}.", rank=power)
    return None


def _is_panel(names: Texts, moments: Numbers) -> bool:
    """Whether a column names series: most pairs of a name and a moment are there, and hardly any is there twice."""
    there = ~np.isnan(moments)
    groups = set(names[there].tolist())
    times = np.unique(moments[there])
    if not 2 <= len(groups) <= _SERIES or len(times) < _FEWEST_LONG:
        return False
    pairs = set(zip(names[there].tolist(), moments[there].tolist(), strict=True))
    return len(pairs) >= _NEARLY_ALL * there.sum() and len(pairs) >= _PANEL * len(groups) * len(times)


def _told(
    names: Texts, moments: Numbers, of_train: Texts, known_at: Numbers, known: Numbers
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(what lies between the neighbours in train, the mean of the series in train) of each item."""
    between, mean = np.full(len(names), np.nan), np.full(len(names), np.nan)
    for name in set(names.tolist()):
        mine, theirs = np.flatnonzero(names == name), np.flatnonzero((of_train == name) & ~np.isnan(known_at))
        if len(theirs) < _FEWEST_LONG:
            continue
        order = theirs[np.argsort(known_at[theirs], kind="stable")]
        between[mine] = np.interp(moments[mine], known_at[order], known[order], left=np.nan, right=np.nan)
        mean[mine] = known[order].mean()
    return between, mean
