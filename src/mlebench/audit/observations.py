"""How many observations items are: those that share a patient and so an answer, or a row of a table, are one.

Evidence grows with every observation, and so does that of chance where twenty items are counted for one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.column_values import few
from mlebench.audit.matching import Aligned, Matched
from mlebench.audit.strength import by_groups, groups_of, ranked
from mlebench.audit.table import as_numbers
from mlebench.audit.targets import Items

_MOST_TRIED = 60  # columns that may be patients
_FEWEST_GROUPS = 6
_MOST_GROUPS = 0.6  # of the items
_SAME_ANSWER = 0.8  # the power of the other items of a group
_ROWS_OF_EACH = 4  # at least, on average, of what repeats


class Observations:
    """Which items of one side count, for a column and its evidence."""

    def __init__(self, items: Items, matched: Sequence[Matched]) -> None:
        self._items, self._matched = items, matched
        self._counted = np.ones(items.size, dtype=bool)
        self._groupings: dict[int, list[NDArray[np.int64]]] = {}

    def share_answers_with(self, other: Observations, counterpart: Callable[[Aligned], Aligned | None]) -> None:
        """Count one item of each patient, where items of test and of train come in groups with one answer each."""
        for matched in self._matched:
            if not matched.has_keys or len(matched.items) < 0.9 * self._items.size:
                continue
            for column in matched.whole_columns[:_MOST_TRIED]:
                known = counterpart(column)
                if known is None or not self._have_one_answer(column) or not other._have_one_answer(known):
                    continue
                if self._rise_with(column) * other._rise_with(known) > 0:
                    continue  # a quantity that is measured in steps, and no patient
                for side, values in ((self, column), (other, known)):
                    side._counted[values.items] &= _one_of_each(groups_of(values.values))
                return

    def _have_one_answer(self, column: Aligned) -> bool:
        """Whether items come in many groups, each with one answer."""
        codes = groups_of(column.values)
        if not _FEWEST_GROUPS <= codes.max(initial=0) + 1 <= _MOST_GROUPS * len(codes):
            return False
        for target in self._items.targets[:3]:
            part = target.part(column.items)
            if target.is_derived or part.coded is None or not part.varies or few(codes, part.n_classes, len(codes)):
                continue
            if by_groups(codes, part.coded, part.n_classes).power >= _SAME_ANSWER:
                return True
        return False

    def _rise_with(self, column: Aligned) -> float:
        """By how much numeric answers rise or fall with a number, nearly always; 0 where they do neither.

        Items of one patient have about the same answer, but those of the next number are somebody else's. Where all
        items of each value have the very same answer, as on one day, they are one observation however it changes.
        """
        numbers = as_numbers(column.values, enough=1.0)
        codes = groups_of(column.values)
        for target in self._items.targets[:3]:
            answers = target.part(column.items).numbers
            if numbers is None or target.is_derived or target.n_classes or answers is None or not np.ptp(answers):
                continue
            rise = float(np.corrcoef(ranked(numbers), ranked(answers))[0, 1])
            if abs(rise) >= _SAME_ANSWER and not _is_the_same_within(groups_of(answers), codes, by_half=False):
                return rise
        return 0.0

    def thinned(self, column: Aligned) -> Aligned:
        """A column for those of its items alone that count."""
        kept = self._counted[column.items]
        if column.rows is not None:
            kept &= _one_of_each(column.rows)
        repeated = self._repeated(column)
        mine = groups_of(column.values) if repeated else np.zeros(0, dtype=np.int64)
        for groups in repeated:
            if _is_the_same_within(mine, groups):
                kept &= _one_of_each(groups)
                break
        return column if kept.all() else column.of(kept)

    def _repeated(self, column: Aligned) -> list[NDArray[np.int64]]:
        """The columns of the same table that many rows share, such as a breath or a recording, as groups."""
        matched = next((found for found in self._matched if found.items is column.items), None)
        if matched is None or not matched.has_keys:
            return []
        if id(matched) not in self._groupings:
            codes = [groups_of(other.values) for other in matched.whole_columns[:_MOST_TRIED]]
            self._groupings[id(matched)] = [
                groups for groups in codes if _FEWEST_GROUPS <= groups.max(initial=0) + 1 <= len(groups) / _ROWS_OF_EACH
            ]
        return self._groupings[id(matched)]


def _is_the_same_within(mine: NDArray[np.int64], groups: NDArray[np.int64], *, by_half: bool = True) -> bool:
    """Whether a column has one value in each of these groups, and (`by_half`) fewer values than there are groups."""
    count = int(groups.max()) + 1
    if by_half and 2 * (int(mine.max()) + 1) > count:
        return False
    first = np.zeros(count, dtype=np.int64)
    first[groups[::-1]] = mine[::-1]  # of each group, what its first row has
    return bool((first[groups] == mine).all())


def _one_of_each(groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    """One row at random of each group."""
    order = np.random.default_rng(0).permutation(len(groups))
    kept = np.zeros(len(groups), dtype=bool)
    kept[order[np.unique(groups[order], return_index=True)[1]]] = True
    return kept
