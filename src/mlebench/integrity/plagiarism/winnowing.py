"""Winnowing: documents are compared by fingerprints, hashes of short sequences of tokens of which a few are kept.

Schleimer, Wilkerson and Aiken: Winnowing, local algorithms for document fingerprinting (2003). The lengths are those of
Dolos, and so is the similarity: the share of both documents' fingerprints that the other one has too.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mlebench.integrity.plagiarism.tokens import Token, tokens_of

KGRAM = 23  # tokens of a fingerprint
WINDOW = 17  # fingerprints of which at least one is kept
_LONG = 80  # fingerprints of a program that nobody writes again by chance
_PADDED = 0.25  # what padding may take of the similarity of a program that is contained as a whole
_BASE = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Fingerprints:
    """The fingerprints of a program: their hashes, and the first and the last line of each."""

    hashes: np.ndarray
    lines: np.ndarray

    @cached_property
    def known(self) -> frozenset[int]:
        """The different hashes."""
        return frozenset(self.hashes.tolist())

    def __len__(self) -> int:
        return len(self.hashes)


def fingerprints(text: str) -> Fingerprints:
    """The fingerprints of a program."""
    return of_tokens(tokens_of(text))


def of_tokens(tokens: list[Token]) -> Fingerprints:
    """The fingerprints of a sequence of tokens; of a short one there is one."""
    if not tokens:
        return Fingerprints(np.zeros(0, np.uint64), np.zeros((0, 2), np.int64))
    kinds = {kind: np.uint64(zlib.crc32(kind.encode())) for kind in {kind for kind, _ in tokens}}
    values = np.array([kinds[kind] for kind, _ in tokens], np.uint64)
    lines = np.array([line for _, line in tokens], np.int64)
    length = min(KGRAM, len(values))
    count = len(values) - length + 1
    hashes = np.zeros(count, np.uint64)
    with np.errstate(over="ignore"):
        for place in range(length):
            hashes = hashes * _BASE + values[place : place + count]
        hashes ^= hashes >> np.uint64(29)
        hashes *= np.uint64(0xBF58476D1CE4E5B9)
        hashes ^= hashes >> np.uint64(32)
    kept = _winnowed(hashes)
    windows = np.lib.stride_tricks.sliding_window_view(lines, length)[kept]
    return Fingerprints(hashes[kept], np.stack([windows.min(1), windows.max(1)], 1))


def _winnowed(hashes: np.ndarray) -> np.ndarray:
    """Where the smallest hash of each window is, the last of equal ones."""
    if len(hashes) <= WINDOW:
        return np.array([len(hashes) - 1 - int(np.argmin(hashes[::-1]))])
    windows = np.lib.stride_tricks.sliding_window_view(hashes, WINDOW)
    last = WINDOW - 1 - np.argmin(windows[:, ::-1], axis=1)
    return np.unique(last + np.arange(len(windows)))


def similarity(left: Fingerprints, right: Fingerprints) -> float:
    """How much two programs have in common, from 0 to 1.

    That of Dolos; but whoever hides nearly all of a public program of some length among code of no use is not acquitted
    for the padding.
    """
    total = len(left) + len(right)
    if not len(left) or not len(right):
        return 0.0
    shared = left.known & right.known
    if not shared:
        return 0.0
    common = np.fromiter(shared, np.uint64, len(shared))
    covered = int(np.isin(left.hashes, common).sum())
    contained = int(np.isin(right.hashes, common).sum())
    alike = (covered + contained) / total
    if len(right) >= _LONG:
        alike = max(alike, contained / len(right) - _PADDED)
    return alike


@dataclass(frozen=True)
class Passage:
    """Lines of two programs that match, counted from 1."""

    left: tuple[int, int]
    right: tuple[int, int]
    length: int  # fingerprints


def passages(left: Fingerprints, right: Fingerprints, most: int = 8) -> list[Passage]:
    """The longest runs of fingerprints that two programs share, which do not overlap on the left."""
    places: dict[int, list[int]] = defaultdict(list)
    for place, value in enumerate(right.hashes.tolist()):
        places[value].append(place)
    runs: dict[tuple[int, int], int] = {}
    ended: dict[tuple[int, int], int] = {}
    for place, value in enumerate(left.hashes.tolist()):
        for other in places.get(value, ())[:20]:
            length = runs.get((place - 1, other - 1), 0) + 1
            runs[place, other] = length
            ended.pop((place - 1, other - 1), None)
            ended[place, other] = length
    found: list[Passage] = []
    taken: set[int] = set()
    for (place, other), length in sorted(ended.items(), key=lambda entry: (-entry[1], entry[0])):
        own = range(place - length + 1, place + 1)
        if length < 2 or taken.intersection(own):
            continue
        taken.update(own)
        lines = [
            (side.lines[end - length + 1 : end + 1, 0].min(), side.lines[end - length + 1 : end + 1, 1].max())
            for side, end in ((left, place), (right, other))
        ]
        found.append(Passage((int(lines[0][0]), int(lines[0][1])), (int(lines[1][0]), int(lines[1][1])), length))
        if len(found) == most:
            break
    return found
