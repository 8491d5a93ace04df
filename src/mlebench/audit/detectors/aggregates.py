"""Columns that were computed from the answers of several items: the mean of a group, the rank within it.

A mean of the labels of train per group is honest. One that the answers to be predicted went into gives them away, the
more the smaller the groups are, and tells as much in train, so that no comparison of both sides finds it: the answers
themselves are put into the same formula.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.matching import Aligned, Matched
from mlebench.audit.strength import groups_of, of_hits
from mlebench.audit.summaries import by_group, by_period
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, as_numbers, canonical_column, texts
from mlebench.audit.targets import Target

_FEWEST = 10  # values that must be as computed
_RIGHT = 0.9
_MOSTLY, _BY_CHANCE = 0.6, 0.05  # right where hardly any is by chance: periods at the cut have days of train, too
_DIGITS = 8.0
_MOST_PAIRS, _MOST_TABLES = 200, 3
_MOST_GROUPS = 0.67  # of the items, unless train has rows of the same groups
_Codes = NDArray[np.int64]


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns of a test table."""
    tables = [matched for matched in survey.matched_test if matched.has_keys and len(matched.items) >= 4 * _FEWEST]
    tables.sort(key=lambda matched: matched.by not in survey.task.key_columns)  # lists of ids are not the test table
    main = tables[:_MOST_TABLES]
    for matched in [*main, *_beside(survey, main)]:
        columns = matched.whole_columns[:200]
        groups = _groups(survey, columns)
        values = [
            (column, numbers)
            for column in columns
            if (numbers := as_numbers(column.values, enough=0.9)) is not None and len(set(numbers.tolist())) > 5
        ]
        # A column of means makes groups of its own, where the column that names them was left out.
        pairs = [(group, value) for value in values for group in groups]
        pairs = sorted(pairs, key=lambda pair: pair[0][0] is pair[1][0])[:_MOST_PAIRS]
        for target in [target for target in survey.test.targets if not target.is_derived][:5]:
            of_train = _TrainSums(survey, target)
            found = next(
                (
                    found
                    for group, value in pairs
                    for y, name in _answers(target, matched)
                    if (found := _computed(survey, matched, target, group, value, y, name, of_train)) is not None
                ),
                None,
            )
            if found is not None:
                yield found


def _beside(survey: Survey, main: list[Matched]) -> Iterator[Matched]:
    """Tables with a row per group or period of the first test table."""

    def known_since(column: Aligned) -> float | None:
        other = survey.counterpart(column)
        moments = None if other is None else as_numbers(other.values)
        return None if moments is None or np.isnan(moments).all() else float(np.nanmin(moments))

    def known(column: Aligned) -> set[str]:
        other = survey.counterpart(column)
        return set() if other is None else set(canonical_column(other.values).tolist())

    for matched in main[:1]:
        yield from by_group(matched, survey.tables, known)
        yield from by_period(matched, survey.tables, known_since)


def _groups(survey: Survey, columns: list[Aligned]) -> list[tuple[Aligned, _Codes]]:
    """The columns with values that items of both sides share, and the group of each item to predict."""
    found = []
    for column in columns:
        codes = groups_of(column.values)
        many = int(codes.max(initial=0)) + 1
        other = survey.counterpart(column)
        known = set() if other is None else set(other.values)
        shared = np.mean([value in known for value in column.values]) if known else 0.0
        if many >= 3 and (many <= _MOST_GROUPS * len(codes) or shared >= 1 - _MOST_GROUPS):
            found.append((column, codes))
    return found


def _answers(target: Target, matched: Matched) -> Iterator[tuple[Numbers, str]]:
    """(numbers of the items to predict, which class is meant) of a target; grades are both numbers and classes."""
    if target.numbers is not None:
        yield target.numbers[matched.items], ""
    if target.n_classes == 0 or (target.n_classes == 2 and set(target.classes) == {"0", "1"}):
        return
    for name in sorted(target.classes)[:12] if target.n_classes <= 12 else ():
        yield (target.plain[matched.items] == name).astype(float), name


def _computed(
    survey: Survey,
    matched: Matched,
    target: Target,
    group: tuple[Aligned, _Codes],
    value: tuple[Aligned, Numbers],
    y: Numbers,
    name: str,
    of_train: _TrainSums,
) -> Found | None:
    (by, codes), (column, x) = group, value
    total, count = np.bincount(codes, weights=y).astype(float), np.bincount(codes)
    more, many = of_train.of(by, name)
    honest = np.where(many > 0, more / np.maximum(many, 1), np.nan)
    precision = _precision(column)
    formulas: dict[str, Numbers] = {
        "the mean": total[codes] / count[codes],
        "the sum": total[codes],
        "the mean with train": (total[codes] + more) / (count[codes] + many),
        "the sum with train": total[codes] + more,
        "the mean of the others": (total[codes] - y) / np.maximum(count[codes] - 1, 1),
        "the mean of the others, with train": (total[codes] + more - y) / np.maximum(count[codes] + many - 1, 1),
    }
    if not name and target.n_classes == 0:
        ranks = _ranks(codes, y)
        formulas |= {"the rank": ranks, "the rank from above": count[codes] + 1.0 - ranks}
    for formula, made in formulas.items():
        # Groups of one are found as equal values; where train alone gives the same it may be honest.
        size = count[codes] + (many if formula.endswith("with train") else 0)
        of_train_alone = (np.abs(honest - x) <= precision) | (np.abs(more - x) <= precision)
        informed = (size > 1) & ~np.isnan(x) & ~of_train_alone
        if informed.sum() < max(_FEWEST, 0.2 * len(x)):
            continue
        right = np.abs(made - x)[informed] <= precision[informed]
        hits, n = int(right.sum()), int(informed.sum())
        if hits < _MOSTLY * n:
            continue
        shuffled = np.random.default_rng(0).permutation(np.flatnonzero(informed))
        chance = float(np.mean(np.abs(made[shuffled] - x[informed]) <= precision[informed]))
        if hits < _RIGHT * n and chance > _BY_CHANCE:
            continue
        independent = n if formula.startswith(("the rank", "the mean of")) else len(set(codes[informed].tolist()))
        if of_hits(int(independent * hits / n), independent, max(chance, 1e-3)) < _DIGITS:
            continue
        of_class = f" of being {name!r}" if name else ""
        # Of what train has its labels subtract out.
        both = {"the mean with train": x * (count[codes] + many), "the sum with train": x}.get(formula)
        apart = x if both is None else (both - more) / count[codes]
        values = texts(apart.tolist())
        prediction = Prediction(target.name, target.column, survey.task.rows[column.items], values)
        return Found(
            "answers_in_public",
            "leak",
            f"{matched.table.where}: {column.column}",
            f"{column.column} is {formula} of {target.name}{of_class} over the rows with the same {by.column}, and the "
            f"answers that are to be predicted are in it: {hits:,} of {n:,} values are as computed from them, and not "
            "from train alone.",
            rank=0.9 * hits / n,
            predictions=(prediction,) if target.column is not None and target.numbers is not None else (),
        )
    return None


class _TrainSums:
    """What train has of a target by the groups of a column: the same for each column that is compared with it."""

    def __init__(self, survey: Survey, target: Target) -> None:
        self._survey = survey
        self._labels = survey.train.target(target.name) if survey.train is not None else None
        self._known: dict[tuple[str, str], tuple[Numbers, _Codes]] = {}

    def of(self, by: Aligned, name: str) -> tuple[Numbers, _Codes]:
        """(sum, number) of the labels of train in the group of each item; `name` is the class that is meant."""
        if (by.column, name) not in self._known:
            total, count = self._by_value(by, name)
            more = np.array([total.get(value, 0.0) for value in by.values])
            self._known[by.column, name] = more, np.array([count.get(value, 0) for value in by.values])
        return self._known[by.column, name]

    def _by_value(self, by: Aligned, name: str) -> tuple[dict[str | None, float], dict[str | None, int]]:
        total: dict[str | None, float] = {}
        count: dict[str | None, int] = {}
        other = self._survey.counterpart(by)
        if other is None or self._labels is None:
            return total, count
        part = self._labels.part(other.items)
        numbers = (part.plain == name).astype(float) if name else part.numbers
        if numbers is None:
            return total, count
        for value, number in zip(other.values, numbers, strict=True):
            total[value] = total.get(value, 0.0) + float(number)
            count[value] = count.get(value, 0) + 1
        return total, count


def _precision(column: Aligned) -> Numbers:
    """Half of the last digit that each value is written with."""
    decimals = [len(str(value).partition(".")[2]) if value and "e" not in str(value) else 6 for value in column.values]
    return np.array([0.51 * 10.0 ** -min(places, 9) if places else 1e-6 for places in decimals])


def _ranks(codes: _Codes, y: Numbers) -> Numbers:
    order = np.lexsort((y, codes))
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes))[:-1]])
    ranks = np.empty(len(y))
    ranks[order] = np.arange(len(y)) - starts[codes[order]] + 1
    return ranks
