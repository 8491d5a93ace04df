"""Masks and lists that are like the answers without being equal to them: dilated, shifted, coarse, right in part.

In the sample submission nothing like that can be honest. A public column with masks may be what train has as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.detectors.lists import are_lists
from mlebench.audit.detectors.sample import is_given
from mlebench.audit.finding import Found, Prediction
from mlebench.audit.matching import Aligned
from mlebench.audit.own import Own, own_beyond_others
from mlebench.audit.runs import are_runs, overlap, runs_of
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, canonical, texts
from mlebench.audit.targets import Target

_FEWEST = 12
_NEEDED = 8.0  # digits
_MUCH, _SOME = 0.1, 0.03  # by which things are more like their own answer than like others
_USUAL = 0.5  # of the rows, that say the same and so nothing
_AS_MUCH = 0.5  # of the likeness in test, in train
_EQUAL = 0.9
_IN_ORDER = 0.4  # of the way from any order to that of the answers
_MOST_COLUMNS = 200
_Likeness = Callable[[Any, Any], float]


def detect(survey: Survey) -> Iterator[Found]:
    """Findings in the sample submission, and in public columns with masks."""
    for target in survey.test.targets:
        if target.is_derived:
            continue
        yield from _in_sample(survey, target)
        if are_runs(target.values):
            yield from _in_columns(survey, target)


def _in_sample(survey: Survey, target: Target) -> Iterator[Found]:
    task, name = survey.task, survey.task.competition.sample_submission.name
    if target.column is None or target.column not in task.sample.columns:
        return
    values = texts(task.sample[target.column].iloc[task.rows])
    told = np.flatnonzero(_unusual(values))
    if len(told) < _FEWEST or is_given(survey, values, any_name=not are_runs(target.values)):
        return
    found = _measured(values[told], target.values[told])
    if found is None or found.digits < _NEEDED or found.gain < _SOME:
        return
    yield Found(
        "sample_hint",
        "leak" if found.gain >= _MUCH else "suspicious",
        f"{name}: {target.column}",
        f"The values of the sample submission are like the answers for {target.name}: {_in_words(found)}.",
        rank=found.own,
        predictions=(Prediction(target.name, target.column, task.rows[told], values[told]),),
    )


def _in_columns(survey: Survey, target: Target) -> Iterator[Found]:
    for column in survey.test_columns[:_MOST_COLUMNS]:
        if column.column in survey.task.key_columns or len(column.items) < _FEWEST or not are_runs(column.values):
            continue
        part = target.part(column.items)
        found = _measured(column.values, part.values)
        if found is None or found.digits < _NEEDED or found.gain < _MUCH or _is_equal(column.values, part.values):
            continue
        in_train = _in_train(survey, column, target)
        if in_train is not None and in_train.gain >= _AS_MUCH * found.gain:
            continue
        yield Found(
            "answers_in_public",
            "leak",
            f"{column.where}: {column.column}",
            f"The masks in this column are like the answers for {target.name}: {_in_words(found)}.",
            rank=found.own,
            predictions=(Prediction(target.name, target.column, survey.task.rows[column.items], column.values),),
        )


def _in_train(survey: Survey, column: Aligned, target: Target) -> Own | None:
    other = survey.counterpart(column)
    known = None if survey.train is None else survey.train.target(target.name)
    return None if other is None or known is None else _measured(other.values, known.part(other.items).values)


def _in_words(found: Own) -> str:
    return (
        f"{found.own:.0%} on average, and {found.others:.0%} like those of other items "
        f"(chance does so once in 10^{found.digits:.0f} samples)"
    )


def _unusual(values: Texts) -> NDArray[np.bool_]:
    """Which values are not the one that most rows have."""
    usual, count = Counter(values.tolist()).most_common(1)[0]
    return np.array([count < max(2, _USUAL * len(values)) or value != usual for value in values], dtype=bool)


def _is_equal(values: Texts, answers: Texts) -> bool:
    return bool(np.mean(values == answers) > _EQUAL)


def _measured(values: Texts, answers: Texts) -> Own | None:
    """How like the answers values are, as masks or as lists; None where they are neither."""
    if are_runs(values) and are_runs(answers):
        return _best([runs_of(value) for value in values], [runs_of(answer) for answer in answers], [overlap])
    mine, theirs = ([(canonical(value) or "").split() for value in column] for column in (values, answers))
    if not any(are_lists(texts(" ".join(words) for words in lists)) for lists in (mine, theirs)):
        return None
    if _are_reordered(mine, theirs) and _agreement(mine, theirs) < _IN_ORDER:
        return None  # what is asked for is the order, and that is another one
    return _best([words or None for words in mine], [words or None for words in theirs], [_shared, _ranked])


def _are_reordered(mine: list[list[str]], answers: list[list[str]]) -> bool:
    """Whether lists have the words of the answers, all of them once, and nothing else."""
    pairs = zip(mine, answers, strict=True)
    return float(np.mean([len(set(one)) == len(one) and sorted(one) == sorted(two) for one, two in pairs])) > _EQUAL


def _agreement(mine: list[list[str]], answers: list[list[str]]) -> float:
    """How much words that follow one another are in the order of the answers: 0 by chance, 1 if all are."""
    steps = []
    for one, two in zip(mine, answers, strict=True):
        places = {word: place for place, word in enumerate(two)}
        taken = [places[word] for word in one if word in places]
        steps += [np.sign(later - sooner) for sooner, later in pairwise(taken)]
    return float(np.mean(steps)) if steps else 0.0


def _best(things: list[Any], answers: list[Any], ways: list[_Likeness]) -> Own | None:
    pairs = [(one, two) for one, two in zip(things, answers, strict=True) if one is not None and two is not None]
    if len(pairs) < _FEWEST:
        return None
    measured = [own_beyond_others([one for one, _ in pairs], [two for _, two in pairs], way) for way in ways]
    return max(measured, key=lambda found: found.digits)


def _shared(mine: list[str], answer: list[str]) -> float:
    """The share of the words that both have."""
    one, other = set(mine), set(answer)
    return len(one & other) / len(one | other)


def _ranked(mine: list[str], answer: list[str]) -> float:
    """How far in front the words are that both have, of what the best list would reach."""
    places = {word: place for place, word in reversed(list(enumerate(answer)))}
    most = sum((1 + place) ** -2 for place in range(len(answer)))
    found = sum(1 / ((1 + place) * (1 + places[word])) for place, word in enumerate(mine) if word in places)
    return min(1.0, found / most)
