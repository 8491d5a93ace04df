"""Words and numbers within longer texts that belong to items: comments, tags and names of files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.matching import Aligned
from mlebench.audit.table import Texts, texts

_NUMBER = re.compile(r"(?:(?<![\w.)])[-+])?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,2}(?!\d))?")
_BEFORE = re.compile(r"([A-Za-z][A-Za-z_]{0,20})\W{0,3}\Z")
_WORD = re.compile(r"[^\W_]+")
_BYTES = (
    "DICOM (7fe0",
    "first bytes",
    "last bytes",
    "last byte",
    "content",
    "bytes behind the end",
    "extra",
    "headers",
)
_LINES = ("first line", "second line", "last line")
_FIRST, _MOST_NAMES = 4, 8  # numbers from either end, and words before numbers, that are looked at
_USUAL = 0.5  # of the values have it
_RARE, _FEWEST, _MOST_WORDS = 0.03, 3, 300
_LONGEST = 1024  # characters of a value that are looked at


def are_said(column: Aligned) -> bool:
    """Whether a property of files is one in which somebody may have written something, and no bytes or whole texts."""
    if not column.is_artifact or column.in_order or column.by == "itself" or column.column.startswith(("(", *_BYTES)):
        return False
    return any(value and len(_WORD.findall(value[:_LONGEST])) > 1 for value in column.values)


def numbers_within(column: Aligned, other: Aligned | None) -> Iterator[tuple[Aligned, Aligned | None]]:
    """(a column of one of the numbers in each value, the same of train): by the word before it, or by its place."""
    mine = [_numbers(value) for value in column.values]
    enough = _USUAL * len(mine)
    if sum(map(bool, mine)) < enough:
        return
    theirs = None if other is None else [_numbers(value) for value in other.values]
    before = Counter(name for found in mine for name in dict.fromkeys(name for name, _ in found) if name)
    usual = [name for name, count in before.most_common(_MOST_NAMES) if count >= enough]
    kind = "content of " if column.column in _LINES else ""
    seen: set[tuple[str | None, ...]] = set()
    places: list[tuple[str, str | int]] = [(f"number behind {name!r}", name) for name in usual]
    places += [(f"number {place + 1}", place) for place in range(_FIRST)]
    places += [(f"number {place + 1} from its end", -1 - place) for place in range(_FIRST)]
    for what, which in places:
        values = _chosen(mine, which)
        key = tuple(values)
        if key in seen or sum(value is not None for value in values) < enough or len(set(values)) < 2:
            continue
        seen.add(key)
        name = f"{kind}{column.column}, {what}"
        known = None
        if other is not None and theirs is not None:
            known = replace(other, column=name, values=_chosen(theirs, which))
        yield replace(column, column=name, values=values), known


def _numbers(value: str | None) -> list[tuple[str, str]]:
    """(the word before it, the number) of the numbers in a text, unless it is nothing but a number."""
    text = (value or "")[:_LONGEST]
    found = [(match.start(), match.group()) for match in _NUMBER.finditer(text)]
    if len(found) == 1 and found[0][1] == text.strip():
        return []
    return [(_word_before(text[:start]), number) for start, number in found]


def _word_before(text: str) -> str:
    match = _BEFORE.search(text[-30:])
    return match.group(1).lower() if match is not None else ""


def _chosen(found: Sequence[Sequence[tuple[str, str]]], which: str | int) -> Texts:
    if isinstance(which, str):
        return texts(next((number for name, number in row if name == which), None) for row in found)
    return texts(row[which][1] if -len(row) <= which < len(row) else None for row in found)


class Words:
    """Which words the values of a column have, those that are neither in nearly all of them nor in hardly any."""

    def __init__(self, values: Texts) -> None:
        self._of_each = [set(_WORD.findall((value or "")[:_LONGEST].lower())) for value in values]
        counts = Counter(word for words in self._of_each for word in words)
        n = len(self._of_each)
        least = max(_FEWEST, _RARE * n)
        self.known = [word for word, count in counts.most_common(_MOST_WORDS * 2) if least <= count <= n - least]
        self.known = self.known[:_MOST_WORDS]

    def having(self, word: str) -> NDArray[np.int64]:
        """1 for each value that has a word, else 0."""
        return np.fromiter((word in words for words in self._of_each), dtype=np.int64, count=len(self._of_each))

    def which(self, chosen: Sequence[str]) -> NDArray[np.object_]:
        """Which of some words each value has."""
        found = np.empty(len(self._of_each), dtype=object)
        found[:] = [" ".join(word for word in chosen if word in words) for words in self._of_each]
        return found
