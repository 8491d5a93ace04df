"""Values that one class of many has, exactly: all of its items to predict do, no others, and it is not so in train.

Over all classes at once the evidence for one of them drowns, most of all in a small test and where the classes are
numbers, so that each is set against all others. Only what is exact counts: that leaves nothing to chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.column_values import Values
from mlebench.audit.finding import Found
from mlebench.audit.honesty import is_content
from mlebench.audit.matching import Aligned
from mlebench.audit.predicting import most_common, predictions
from mlebench.audit.strength import by_groups, is_of_order, of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.targets import Target

_MOST_COLUMNS, _MOST_TARGETS = 3000, 3
_FEWEST, _FEWEST_KNOWN = 7, 8  # items of a class to predict, and of the same class in train
_LARGEST = 0.6  # of the items: a class that most have is told by all that is usual
_FEWEST_CLASSES, _MOST_CLASSES = 3, 20
_EXACT, _HONEST, _PURE = 0.94, 0.25, 0.9
_DIGITS = 6.5  # beyond the number of classes, values and ranges that are tried
_FEW_VALUES = 12  # of a column that train does not have
_SHIFTED = 5.0  # digits by which other classes have one value more often in test than in train

_Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class _Mark:
    """What items of one class have: a value, or numbers from a limit on; `which` says which items of a side do."""

    words: str
    value: str | None = None
    limit: float | None = None
    is_above: bool = True

    def which(self, values: Values) -> _Flags:
        """The items with the mark."""
        if self.limit is None:
            return np.asarray(values.plain == self.value, dtype=bool)
        numbers = values.numbers
        if numbers is None:
            return np.zeros(len(values), dtype=bool)
        return np.asarray(numbers >= self.limit if self.is_above else numbers <= self.limit, dtype=bool)


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns and properties of files."""
    if survey.train is None:
        return
    targets = [
        target for target in survey.test.targets if not target.is_derived and len(target.classes) >= _FEWEST_CLASSES
    ]
    told: set[str] = set()  # one finding per file: what is in a picture shows in many of its properties
    for whole in survey.test_columns[:_MOST_COLUMNS] if targets else ():
        if whole.in_order or whole.by == "itself" or whole.column.startswith("(") or whole.column == "order":
            continue
        if whole.column in survey.task.sample.columns:
            continue
        column = survey.thinned(whole)
        if len(column.items) < 0.5 * survey.test.size or len(set(column.values)) < 2:
            continue
        if whole.where in told:
            continue
        found = next(
            (found for target in targets[:_MOST_TARGETS] if (found := _of_column(survey, column, target))), None
        )
        if found is not None:
            told.add(whole.where)
            yield found


def _of_column(survey: Survey, column: Aligned, target: Target) -> Found | None:
    assert survey.train is not None
    part, labels, view = target.part(column.items), survey.train.target(target.name), Values(column.values)
    if labels is None:
        return None
    known, of_train = None, survey.counterpart(column)
    if of_train is not None:
        of_train = survey.thinned(of_train, train=True)
        known = labels.part(of_train.items)
    for name, mark in _exact(view, part):
        flags = mark.which(view)
        if is_of_order(flags.astype(np.int64), (part.plain == name).astype(float), 2):
            continue
        if of_train is None or known is None:
            if column.is_artifact or len(part.classes) > len(part.values) / 3 or len(set(view.plain)) > _FEW_VALUES:
                continue
            in_words = "train has no such column"
        elif not _is_of_test_alone(column, view, mark, name, part, Values(of_train.values), known):
            continue
        else:
            in_words = "in train it does not go with that class"
        return _found(survey, column, target, part, name, mark, flags, in_words)
    return None


def _exact(view: Values, part: Target) -> Iterator[tuple[str, _Mark]]:
    """(class, mark) where all items of the class have the mark, and hardly any others."""
    n = len(part.values)
    sizes = [(name, size) for name, size in Counter(part.plain).most_common(_MOST_CLASSES) if size >= _FEWEST]
    if len(part.classes) < _FEWEST_CLASSES:
        return
    values = Counter(view.plain)
    for name, size in sizes:
        if size > _LARGEST * n:
            continue
        chosen = part.plain == name
        value, hits = Counter(view.plain[chosen]).most_common(1)[0]
        marks = [_Mark(f"is {value!r}", value)] if hits >= _EXACT * size else []
        if not marks and view.numbers is not None and not np.isnan(view.numbers).any():
            mine, others = view.numbers[chosen], view.numbers[~chosen]
            if mine.min() > others.max():
                marks = [_Mark(f"is {mine.min():.12g} or more", limit=float(mine.min()))]
            elif mine.max() < others.min():
                marks = [_Mark(f"is {mine.max():.12g} or less", limit=float(mine.max()), is_above=False)]
        for mark in marks:
            flags = mark.which(view)
            both, marked = int((flags & chosen).sum()), int(flags.sum())
            digits = _digits(both, marked, size, n) - float(np.log10(len(sizes) * min(2 + len(values), n)))
            if both >= _EXACT * max(marked, size) and digits >= _DIGITS:
                yield name, mark


def _digits(both: int, marked: int, size: int, n: int) -> float:
    """The digits of so many items in both of two choices among all."""
    from scipy.stats import hypergeom

    return float(-hypergeom.logsf(both - 1, n, size, marked) / np.log(10))


def _is_of_test_alone(
    column: Aligned, view: Values, mark: _Mark, name: str, part: Target, of_train: Values, known: Target
) -> bool:
    """Whether the mark goes with the class in test and not in train, though it could be seen there."""
    chosen, theirs = known.plain == name, mark.which(of_train)
    count = int(chosen.sum())
    if count >= _FEWEST_KNOWN:
        return _agreement(theirs, chosen) <= _HONEST and not _go_with_classes(of_train, known)
    if count or is_content(column, 0.0) or not column.is_artifact:
        return False
    # Train lacks the class: there other classes must have several values, whichever they are, and one alone in test.
    others = part.plain != name
    usual = Counter(of_train.plain).most_common(1)[0][1] / len(of_train)
    same = Counter(view.plain[others]).most_common(1)[0][1]
    is_mixed = of_hits(same, int(others.sum()), usual) >= _SHIFTED and len(set(part.plain[others])) >= _FEWEST_CLASSES
    return is_mixed and not _go_with_classes(of_train, known)


def _agreement(flags: _Flags, chosen: _Flags) -> float:
    if flags.all() or not flags.any():
        return 0.0
    return abs(float(np.corrcoef(flags, chosen)[0, 1]))


def _go_with_classes(values: Values, known: Target) -> bool:
    """Whether values are groups in train, such as places, each with a class of its own: test may have other groups."""
    coded, n_classes = known.coded, known.n_classes
    if coded is not None and by_groups(values.groups, coded, n_classes).power >= _HONEST:
        return True
    common = float(np.mean(known.plain == known.classes[0]))
    for group, count in Counter(values.groups.tolist()).items():
        if count >= _FEWEST_KNOWN and count < len(values) / 2:
            most = Counter(known.plain[values.groups == group]).most_common(1)[0][1]
            if most >= max(_PURE, (1 + common) / 2) * count:
                return True
    return False


def _found(
    survey: Survey, column: Aligned, target: Target, part: Target, name: str, mark: _Mark, flags: _Flags, in_words: str
) -> Found:
    shown = np.where(flags, "marked", "not marked").astype(object)
    share = float(np.mean(part.plain == name))
    values = most_common(shown, part)  # one class of several is told, also where classes are numbers
    what = "property" if column.is_artifact else "column"
    return Found(
        "predictive_artifact",
        "leak",
        f"{column.where}: {column.column}",
        f"The {what} {column.column} {mark.words} for the items to predict whose {target.name} is {name!r} "
        f"({int(flags.sum()):,} of {len(flags):,}), and for hardly any others; {in_words}.",
        rank=max(share, 0.05),
        predictions=predictions(target, survey.task.rows[column.items], values),
    )
