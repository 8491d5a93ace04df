"""Metrics of predicted texts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def levenshtein_distances(truth: Sequence[Sequence[Hashable]], predicted: Sequence[Sequence[Hashable]]) -> list[int]:
    """For each pair the smallest number of insertions, deletions and substitutions that turns one into the other.

    Texts are compared by Unicode code points, other sequences by their items.

    >>> levenshtein_distances(["kitten", ""], ["sitting", "ab"])
    [3, 2]
    """
    from polyleven import levenshtein

    characters: dict[Hashable, str] = {}

    def text(sequence: Sequence[Hashable]) -> str:
        if isinstance(sequence, str):
            return sequence
        return "".join([characters.setdefault(item, chr(len(characters))) for item in sequence])

    return [levenshtein(text(true), text(guessed)) for true, guessed in zip(truth, predicted, strict=True)]


def word_jaccard(truth: str, predicted: str) -> float:
    """Words in both texts over words in either, case ignored; 0 where there are no words at all.

    >>> word_jaccard("The quick fox", "quick FOX jumps")
    0.5
    """
    left, right = set(truth.lower().split()), set(predicted.lower().split())
    both = len(left & right)
    return both / (len(left) + len(right) - both) if both else 0.0
