"""Answers that are pieces of a text of their item: numbers that say where they begin, and marks around them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.matching import Aligned
from mlebench.audit.strength import of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, as_numbers, canonical, texts
from mlebench.audit.targets import Target

_MOST_ITEMS = 4000
_MOST_COLUMNS = 200
_START, _END, _LENGTH = "its first character", "the character behind it", "its length"
_PROBE, _MOSTLY = 60, 0.8  # texts that tell whether a column has the answers in it, and how many of them must
_FEWEST = 8
_TOLD = 0.25  # the share of the answers by which a number must exceed chance
_NEEDED = 6.0  # digits
_MARKED, _RIGHT = 0.08, 0.8  # of the texts have a mark; of what marks enclose, so much is the answer
_MOST_MARKS = 6
_TAG = r"<[^<>\s]{1,20}>|\[[^\[\]\s]{1,20}\]|\W"
_BEFORE, _BEHIND = re.compile(rf"(?:{_TAG})+$"), re.compile(rf"(?:{_TAG})+")
_CONTEXT = 24  # characters beside an answer in which its marks are


@dataclass(frozen=True)
class _Pieces:
    """The texts of items with their answers, and the place of each answer in its text; -1 where it is not in it."""

    column: Aligned
    answers: Texts
    starts: NDArray[np.int64]

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The lengths of the answers."""
        return np.array([len(answer or "") for answer in self.answers], dtype=np.int64)

    @cached_property
    def places(self) -> dict[str, NDArray[np.int64]]:
        """What may be said about the place of an answer, for each of them."""
        pairs = zip(self.column.values, self.starts.tolist(), strict=True)
        words = np.array([len((text or "")[: max(start, 0)].split()) for text, start in pairs], dtype=np.int64)
        ends = self.starts + self.lengths
        return {
            _START: self.starts,
            "its first character, counted from 1": self.starts + 1,
            _END: ends,
            "its last character": ends - 1,
            "its first word": words,
            "its first word, counted from 1": words + 1,
            _LENGTH: self.lengths,
        }


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for every column of texts that has the answers in it."""
    target = next((one for one in survey.test.targets if not one.is_derived and one.coded is None), None)
    if target is None:
        return
    seen: set[str] = set()
    for column in survey.test_columns:
        if column.is_artifact or column.in_order or column.column in seen:
            continue
        if (pieces := _pieces(column, target)) is not None:
            seen.add(column.column)
            yield from _by_numbers(survey, target, pieces)
            yield from _by_marks(survey, target, pieces)


def _pieces(column: Aligned, target: Target) -> _Pieces | None:
    if len(column.items) < _FEWEST:
        return None
    pairs = list(zip(column.values[:_PROBE], target.values[column.items[:_PROBE]], strict=True))
    inside = sum(bool(text and answer) and answer in text and len(answer) < len(text) for text, answer in pairs)
    if inside < _MOSTLY * len(pairs):
        return None
    some = column
    if len(column.items) > _MOST_ITEMS:
        taken = np.random.default_rng(0).choice(len(column.items), _MOST_ITEMS, replace=False)
        some = column.of(np.isin(np.arange(len(column.items)), taken))
    answers = target.values[some.items]
    starts = [(text or "").find(answer) if answer else -1 for text, answer in zip(some.values, answers, strict=True)]
    return _Pieces(some, answers, np.array(starts, dtype=np.int64))


@dataclass(frozen=True)
class _Said:
    """A column of numbers that says something about the places of answers: what, for which share, by which rows."""

    column: Aligned
    what: str
    share: float
    rows: NDArray[np.int64]  # of the pieces
    numbers: NDArray[np.int64]


def _by_numbers(survey: Survey, target: Target, pieces: _Pieces) -> Iterator[Found]:
    """Columns of numbers that say where the answer is in the text of each item; its length alone says little."""
    said = [one for column in survey.test_columns[:_MOST_COLUMNS] if (one := _said(column, pieces)) is not None]
    for one in said:
        if one.what == _LENGTH:
            continue
        yield Found(
            "answers_in_public",
            "leak",
            f"{one.column.where}: {one.column.column}",
            f"The answers are pieces of {pieces.column.column}, and {one.column.column} says the place of "
            f"{one.what} for {one.share:.0%} of {len(one.rows):,} items.",
            rank=1 + one.share,
            predictions=_cut_out(survey, target, pieces, one, said),
        )


def _said(column: Aligned, pieces: _Pieces) -> _Said | None:
    if column.is_artifact or column.in_order or (numbers := as_numbers(column.values)) is None:
        return None
    of_item = {item: place for place, item in enumerate(pieces.column.items.tolist())}
    rows = np.array([of_item.get(item, -1) for item in column.items.tolist()], dtype=np.int64)
    usable = (rows >= 0) & ~np.isnan(numbers)
    usable[usable] &= pieces.starts[rows[usable]] >= 0
    rows, found = rows[usable], numbers[usable]
    if len(found) < _FEWEST or len(np.unique(found)) < 2:
        return None
    for what, places in pieces.places.items():
        true = places[rows]
        share = float(np.mean(found == true))
        chance = float(np.mean([np.mean(found == np.roll(true, step)) for step in range(1, 6)]))
        digits = of_hits(round(share * len(found)), len(found), max(chance, 1 / len(found)))
        if share - chance >= _TOLD and digits >= _NEEDED:
            return _Said(column, what, share, rows, found.astype(np.int64))
    return None


def _cut_out(
    survey: Survey, target: Target, pieces: _Pieces, start: _Said, said: list[_Said]
) -> tuple[Prediction, ...]:
    """The pieces that two columns cut out of the texts: one says where they begin, the other where they end."""
    others = [one for one in said if one.what in (_LENGTH, _END) and np.array_equal(one.rows, start.rows)]
    if start.what != _START or not others:
        return ()
    end = others[0].numbers + (start.numbers if others[0].what == _LENGTH else 0)
    spans = zip(pieces.column.values[start.rows], start.numbers.tolist(), end.tolist(), strict=True)
    items = survey.task.rows[pieces.column.items[start.rows]]
    return (Prediction(target.name, target.column, items, texts((text or "")[one:two] for text, one, two in spans)),)


def _by_marks(survey: Survey, target: Target, pieces: _Pieces) -> Iterator[Found]:
    """Signs that enclose the answers in the texts of items to predict, and do so less in train."""
    other = survey.counterpart(pieces.column)
    labels = None if survey.train is None else survey.train.target(target.name)
    known = None if other is None or labels is None else _pieces(other, labels)
    for mark in _marks(pieces):
        told = _enclosed(pieces.column.values, mark)
        there = np.array([value is not None for value in told])
        right = _are_answers(told, pieces.answers)
        share = float(right.mean())
        if right.sum() < _FEWEST or share < _MARKED or right.sum() < _RIGHT * there.sum():
            continue
        in_train = 0.0
        if known is not None:
            in_train = float(_are_answers(_enclosed(known.column.values, mark), known.answers).mean())
        if in_train >= 0.5 * share:
            continue  # marks that are in train, too, are a part of the task
        items = survey.task.rows[pieces.column.items[there]]
        yield Found(
            "predictive_artifact",
            "leak",
            f"{pieces.column.where}: {pieces.column.column}",
            f"The answers are pieces of this text, and in {share:.0%} of {len(right):,} items they stand between "
            f"{mark[0]!r} and {mark[1]!r} (in train {in_train:.0%}).",
            rank=1 + share,
            predictions=(Prediction(target.name, target.column, items, texts(told[there])),),
        )
        return  # others are parts of these marks


def _marks(pieces: _Pieces) -> list[tuple[str, str]]:
    """What stands right before and right behind the answers, the most common first."""
    found: Counter[tuple[str, str]] = Counter()
    ends = pieces.starts + pieces.lengths
    for text, start, end in zip(pieces.column.values, pieces.starts.tolist(), ends.tolist(), strict=True):
        if start >= 0 and text:
            before = _BEFORE.search(text[max(0, start - _CONTEXT) : start])
            behind = _BEHIND.match(text[end : end + _CONTEXT])
            if before and behind:
                found[before.group(), behind.group()] += 1
    return [mark for mark, count in found.most_common(_MOST_MARKS) if count >= _FEWEST]


def _enclosed(values: Texts, mark: tuple[str, str]) -> Texts:
    """What marks enclose first in each text; None where there are none."""
    pattern = re.compile(rf"{re.escape(mark[0])}(\S.*?){re.escape(mark[1])}", re.DOTALL)
    return texts(found.group(1) if text and (found := pattern.search(text)) else None for text in values)


def _are_answers(told: Texts, answers: Texts) -> NDArray[np.bool_]:
    pairs = zip(told, answers, strict=True)
    return np.array([value is not None and canonical(value) == canonical(answer) for value, answer in pairs])
