"""Answers that are lists, such as what a user buys: some of the list in a column, or all of it in a log or a text.

What is bought again is in a log as well, and what a text says is in the text; both are so in train. What is so among
the items to predict alone, or names some of the list and nothing else, was written down when the answers were known.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.detectors.lists import are_lists
from mlebench.audit.detectors.sample import is_given
from mlebench.audit.finding import Found, Prediction, Severity
from mlebench.audit.matching import Matched, keys_of
from mlebench.audit.strength import of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, is_missing, texts
from mlebench.audit.targets import Items, Target, plain_key

_FEWEST, _FEWEST_KNOWN = 8, 20  # items to predict, whose lists may be long; items of train
_MOST_COLUMNS, _MOST_ROWS = 40, 300_000
_KNOWN_WORDS = 3  # of the answers that a column must have to be looked at
_SOME, _DIGITS = 0.15, 10.0
_CERTAIN = 0.97
_OFTEN, _MOSTLY, _NEARLY_ALL = 0.3, 0.6, 0.9  # right beyond chance, in a column that train does not have
_SEVERAL = 1.5  # words of each item, on average, which nobody guesses all of
_PARTS = str.maketrans(dict.fromkeys(",;|[](){}\"'", " "))  # what lists are written with
_LONGER = 1.5  # times the length of lists in train: the longer one is, the more it has by chance
_SHIFTS = (1, 2, 5)
_Words = dict[int, set[str]]


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns with a word of each answer, and for logs with all of them."""
    for target in survey.test.targets:
        if target.is_derived or target.numbers is not None or not are_lists(target.values):
            continue
        known = survey.train.target(target.name) if survey.train is not None else None
        vocabulary = {word for value in target.values for word in _split(value)}
        sample = _in_sample(survey, target)
        for matched in survey.matched_test:
            if not matched.has_keys:
                continue
            for name, words in _columns(matched, survey.test, vocabulary):
                theirs = _of_train(survey, matched, name, vocabulary)
                mine = _Measured(words, target)
                if sample is not None and mine.is_part and _within(words, sample) >= _NEARLY_ALL * mine.share:
                    continue  # a part of the text that is to be completed
                measured = None if known is None or theirs is None else _Measured(theirs, known, is_part=mine.is_part)
                found = _judged(survey, target, f"{matched.table.where}: {name}", mine, words, measured)
                if found is not None:
                    yield found


def _in_sample(survey: Survey, target: Target) -> _Words | None:
    """The words that the sample submission has for each item, where these are the text that is to be completed."""
    if target.column is None or target.column not in survey.task.sample.columns:
        return None
    values = texts(survey.task.sample[target.column].iloc[survey.task.rows])
    words = {item: _split(value) for item, value in enumerate(values)}
    answers = {item: _split(value) for item, value in enumerate(target.values)}
    return words if is_given(survey, values, any_name=True) or _within(words, answers) >= _NEARLY_ALL else None


def _within(words: _Words, others: _Words) -> float:
    """The share of the items with words all of whose words are among the others of that item."""
    found = [mine <= others.get(item, set()) for item, mine in words.items() if mine]
    return float(np.mean(found)) if found else 0.0


class _Measured:
    """How often the words of items go with the answer: they are part of it, or it is part of many words."""

    def __init__(self, words: _Words, target: Target, *, is_part: bool | None = None) -> None:
        self.items = np.array([item for item, found in words.items() if found and target.values[item]], dtype=np.int64)
        mine = [words[item] for item in self.items.tolist()]
        answers = [_split(target.values[item]) for item in self.items.tolist()]
        self.length = float(np.mean([len(found) for found in mine])) if mine else 0.0
        told = {way: _told(mine, answers, is_part=way) for way in ((True, False) if is_part is None else (is_part,))}
        self.is_part = max(told, key=lambda way: float(told[way].sum()))
        self.hits = told[self.is_part]
        chances = (_told(mine, answers[by:] + answers[:by], is_part=self.is_part) for by in _SHIFTS if mine)
        moved = [float(np.mean(found)) for found in chances]
        self.chance = float(np.mean(moved)) if moved else 0.0
        self.share = float(self.hits.mean()) if mine else 0.0

    @property
    def beyond_chance(self) -> float:
        """How often, on the way from chance to certainty."""
        return (self.share - self.chance) / (1 - self.chance) if self.chance < 1 else 0.0

    def digits(self, chance: float) -> float:
        """The evidence that so many are right by more than a chance."""
        return of_hits(int(self.hits.sum()), len(self.hits), max(chance, 1 / (len(self.hits) + 1)))


def _told(mine: list[set[str]], answers: list[set[str]], *, is_part: bool) -> NDArray[np.bool_]:
    pairs = zip(mine, answers, strict=True)
    return np.array([words <= answer if is_part else answer <= words for words, answer in pairs], dtype=bool)


def _columns(matched: Matched, items: Items, vocabulary: set[str]) -> Iterator[tuple[str, _Words]]:
    """(column, the words of each item) of the columns that have words of the answers, in a cell or in rows of a log."""
    table = matched.table
    if len(table) <= 1.2 * len(matched.items):
        for column in matched.whole_columns[:_MOST_COLUMNS]:
            if _has_some(column.values, vocabulary):
                yield column.column, dict(zip(column.items.tolist(), map(_split, column.values), strict=True))
        return
    if len(table) > _MOST_ROWS:
        return
    owners: list[tuple[int, ...]] | None = None
    for name, values in list(table.columns.items())[:_MOST_COLUMNS]:
        if name == matched.by or not _has_some(values, vocabulary):
            continue
        if owners is None:
            owners = _owners(matched, items)
        words: _Words = {}
        for value, of in zip(values, owners, strict=True):
            for item in of:
                words.setdefault(item, set()).update(_split(value))
        yield name, words


def _owners(matched: Matched, items: Items) -> list[tuple[int, ...]]:
    """The items that each row of a table is about."""
    values = matched.table.columns.get(matched.by)
    if values is None:  # ids that are a part of longer values
        values = next((found for name, found in keys_of(matched.table, items) if name == matched.by), None)
    if values is None:
        return [()] * len(matched.table)
    return [items.names.get(plain_key(value), ()) if value else () for value in values]


def _split(value: str | None) -> set[str]:
    """The words of a list, without the zeros in front of numbers, which some formats lose."""
    return (
        set() if value is None or is_missing(value) else {plain_key(word) for word in value.translate(_PARTS).split()}
    )


def _has_some(values: Texts, vocabulary: set[str]) -> bool:
    return len({word for value in set(values.tolist()) for word in _split(value)} & vocabulary) >= _KNOWN_WORDS


def _of_train(survey: Survey, test: Matched, name: str, vocabulary: set[str]) -> _Words | None:
    """The same column for the items of train."""
    if survey.train is None:
        return None
    same = survey.tables_of_train(test.table.where)
    for matched in same or [matched for matched in survey.matched_train if name in matched.table.columns]:
        for column, words in _columns(matched, survey.train, vocabulary):
            if column == name and len(words) >= _FEWEST_KNOWN:
                return words
    return None


def _judged(
    survey: Survey, target: Target, where: str, test: _Measured, spoken: _Words, train: _Measured | None
) -> Found | None:
    n = len(test.items)
    if n < max(_FEWEST, 0.3 * survey.test.size) or test.share < _SOME or test.digits(test.chance) < _DIGITS:
        return None
    severity = _severity(test, train, has_train=survey.train is not None)
    if severity is None:
        return None
    is_single = test.is_part and test.length == 1
    what = "It is one of" if is_single else "All of it is among" if test.is_part else "It has all of"
    what += " the answers"
    words = f"{what} for {target.name} of {int(test.hits.sum()):,} of {n:,} items, by chance of {test.chance:.0%}"
    if train is not None:
        words += f"; in train of {train.share:.0%}"
    rows = survey.task.rows[test.items]
    written = {plain_key(word): word for value in target.values if value for word in value.split()}
    given = texts(" ".join(written.get(word, word) for word in sorted(spoken[item])) for item in test.items.tolist())
    predictions = (Prediction(target.name, target.column, rows, given),) if test.is_part else ()
    return Found("answers_in_public", severity, where, f"{words}.", rank=test.share, predictions=predictions)


def _severity(test: _Measured, train: _Measured | None, *, has_train: bool) -> Severity | None:
    if train is None or len(train.hits) < _FEWEST_KNOWN:
        if not test.is_part or test.beyond_chance < _OFTEN:
            return None  # whoever buys again buys what a log has
        is_known = has_train or test.length >= _SEVERAL or test.beyond_chance >= _NEARLY_ALL
        return "leak" if is_known and test.beyond_chance >= _MOSTLY else "suspicious"
    is_more = test.share - train.share >= _SOME and test.digits(train.share) >= _DIGITS
    if is_more and test.is_part:
        return "leak"
    if is_more:
        return "suspicious" if test.length <= _LONGER * train.length else None
    is_certain = test.is_part and min(test.share, train.share) >= _CERTAIN
    return "suspicious" if is_certain else None
