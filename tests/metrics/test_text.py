"""Metrics of texts against hand-computed values, properties and the plain definition."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics import levenshtein_distances, word_jaccard

words = st.text(alphabet="abñ😀 ", max_size=12)
labels = st.lists(st.integers(0, 5), max_size=10)


def by_definition(left: Sequence[object], right: Sequence[object]) -> int:
    row = list(range(len(right) + 1))
    for i, one in enumerate(left, 1):
        before, row = row, [i]
        for j, other in enumerate(right, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (one != other)))
    return row[-1]


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [("kitten", "sitting", 3), ("", "abc", 3), ("ab", "ba", 2), ("Ab", "ab", 1), ("e\u0301", "é", 2), ([1, 2], [2], 1)],
)
def test_levenshtein_by_hand(left: Sequence[int], right: Sequence[int], distance: int) -> None:
    assert levenshtein_distances([left], [right]) == [distance]


@given(words, words)
def test_levenshtein_of_texts(left: str, right: str) -> None:
    assert levenshtein_distances([left, right], [right, left]) == [by_definition(left, right)] * 2


@given(labels, labels)
def test_levenshtein_of_labels(left: list[int], right: list[int]) -> None:
    assert levenshtein_distances([left], [right]) == [by_definition(left, right)]


@pytest.mark.parametrize(
    ("left", "right", "share"),
    [("The fox", "fox THE", 1.0), ("a b c", "b c d", 0.5), ("", "", 0.0), ("a", "", 0.0), ("a a a", "a\u00a0b", 0.5)],
)
def test_jaccard_by_hand(left: str, right: str, share: float) -> None:
    assert word_jaccard(left, right) == share


@given(words, words)
def test_jaccard_is_symmetric_and_bounded(left: str, right: str) -> None:
    assert word_jaccard(left, right) == word_jaccard(right, left)
    assert 0 <= word_jaccard(left, right) <= 1
