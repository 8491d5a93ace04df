"""Whether a column only numbers the rows of a list that both sides were taken from: that is no feature of anything.

Such a list may be in the order of the answers. Honest are numbers that say what is known anyway: the order in which the
rows stand, or that of a date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from mlebench.audit.matching import Aligned
from mlebench.audit.strength import ranked
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, Texts, as_numbers

_FEWEST = 40
_FILLED = 0.6  # of the numbers between the first and the last one: some rows of a list are dropped
_ONCE = 0.99  # of the numbers stand once on both sides together
_SAME = 0.98  # correlation of orders that say the same
_DATED = re.compile(r"(19|20)\d\d[-/.:]?[01]\d|[0-3]?\d[-/.][01]?\d[-/.](19|20)?\d\d|\d\d?:\d\d")
_NUMBERED = re.compile(r"(\D*)(\d{1,15})(?:\.0)?")
_HARDLY_TWICE, _UNEVEN = 0.6, 0.15  # of the ids are distinct; by how much their share may differ from their place
_SOME = 200  # values that tell whether a column is worth reading whole
_MOMENTS = (6e8, 2.2e9)  # seconds since 1970, of the years from 1989 to 2039


def are_row_numbers(survey: Survey, column: Aligned, other: Aligned) -> bool:
    """Whether whole numbers stand once on both sides together, and hardly leave one out."""
    sides = [survey.numbers_of(column), as_numbers(other.values)]
    if any(side is None or np.isnan(side).any() for side in sides):
        return False
    found = np.concatenate([side for side in sides if side is not None])
    if len(found) < _FEWEST or (found != np.floor(found)).any() or np.abs(found).max() >= 2**53:
        return False
    if len(np.unique(found)) < _ONCE * len(found):
        return False
    looked_at = survey.test.size / max(len(survey.task.sample), 1)  # of many items some are looked at
    count = len(column.items) / looked_at + len(other.items)
    return count >= _FILLED * float(found.max() - found.min() + 1)


def follows_rows_or_dates(survey: Survey, column: Aligned, other: Aligned) -> bool:
    """Whether numbers rise along the rows on both sides, or along a column of dates."""
    sides = [survey.numbers_of(column), as_numbers(other.values)]
    mine, theirs = sides
    if mine is None or theirs is None:
        return False
    beside = [one for one in survey.test_columns if np.array_equal(one.items, column.items)]
    rows = [one for one in beside if one.column == "(order of rows)" and one.where == column.where]
    orders = [np.arange(len(mine), dtype=float), *_numbers(survey, rows)]
    if _are_alike(theirs, np.arange(len(theirs), dtype=float)) and any(_are_alike(mine, order) for order in orders):
        return True
    dated = [one for one in beside if not one.is_artifact and not one.in_order and _are_moments(one.values)]
    return any(_are_alike(mine, moments) for moments in _numbers(survey, dated))


def _are_moments(values: Texts) -> bool:
    some = [value.strip() for value in values[:20] if value and value.strip()]
    if not some:
        return False
    if all(_DATED.match(value) for value in some):
        return True
    numbers = as_numbers(values)
    return numbers is not None and bool(np.nanmin(numbers) >= _MOMENTS[0] and np.nanmax(numbers) <= _MOMENTS[1])


def _numbers(survey: Survey, columns: Iterable[Aligned]) -> Iterable[Numbers]:
    yield from (numbers for column in columns if (numbers := survey.numbers_of(column)) is not None)


def _are_alike(one: Numbers, other: Numbers) -> bool:
    there = ~(np.isnan(one) | np.isnan(other))
    if there.sum() < 8 or len(one) != len(other):
        return False
    return abs(float(np.corrcoef(ranked(one[there]), ranked(other[there]))[0, 1])) > _SAME


def number_in(values: Texts) -> Numbers | None:
    """Ids as numbers, also behind a word that all begin with; None where a value has no number, or many recur."""
    some = values[:_SOME]
    if len(set(some)) < _HARDLY_TWICE * len(some) or not all(value and _NUMBERED.fullmatch(value) for value in some):
        return None
    matches = [_NUMBERED.fullmatch(value) if value else None for value in values]
    words = {match.group(1) for match in matches if match is not None}
    if not matches or any(match is None for match in matches) or len(words) > 1:
        return None
    return np.array([float(match.group(2)) for match in matches if match is not None])


def are_ids(numbers: Numbers) -> bool:
    """Whether whole numbers hardly recur and are spread evenly, as those of a list are that some were drawn from."""
    low, high, count = float(numbers.min()), float(numbers.max()), len(numbers)
    if high - low < count or len(np.unique(numbers)) < _HARDLY_TWICE * count:
        return False
    if low >= _MOMENTS[0] and high <= _MOMENTS[1]:
        return False
    even = np.abs((np.sort(numbers) - low) / (high - low) - np.linspace(0, 1, count))
    return bool(even.max() <= _UNEVEN)
