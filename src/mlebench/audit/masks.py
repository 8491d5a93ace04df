"""Bytes and letters that were exchanged for others by a rule: behind a key, rotated, inverted, backwards.

Whether a rule is the right one is told by the ids of the items: they are there once it is undone.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.carving import KNOWN
from mlebench.audit.targets import plain_key

_WORD = re.compile(r"[\w.\-]+")
_HEAD = 1 << 16  # bytes that tell whether a rule is the right one
_SAMPLE = 16_384  # of these, what tells a key and how letters are rotated
_FEWEST = 4  # ids
_LONG = 7  # digits of a number that is no other one by chance
_SHARE, _OF_LINES = 0.04, 0.25  # of the words and of the lines of a text, how many must be ids
_MOST_KEY = 40  # bytes of a key that repeats
_REPEATS = 0.025  # how often two characters of a text are the same, at least
_MOST_TRIED = 16
_MOST_KEYS = 8
_READABLE = 0.97
_PRINTED = np.array([byte in (9, 10, 13) or 32 <= byte < 127 for byte in range(256)])
_BYTES = np.arange(256)
_LOWER, _UPPER, _DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits


class Telling:
    """The names of the items, as what tells that a text is the right one."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = names if isinstance(names, dict) else set(names)
        some = "".join(str(name) for name, _ in zip(self.names, range(500), strict=False))
        counts = np.full(256, 0.02)
        for characters, weight in ((some + some.upper(), 60.0), (_LOWER + _DIGITS, 20.0), (',\n" .;:', 20.0)):
            for byte in characters.encode("latin-1", "ignore"):
                counts[byte] += weight / max(len(characters), 1)
        counts[~_PRINTED] = 1e-4
        # Any short number can be made of another one, so that more must be ids where these are such numbers.
        first = [str(name) for name, _ in zip(self.names, range(500), strict=False)]
        are_numbers = all(name.isdecimal() and len(name) < _LONG for name in first)
        self.share, self.fewest = (0.3, 8) if are_numbers else (_SHARE, _FEWEST)
        self.likely: NDArray[np.float64] = np.log(counts / counts.sum())

    @cached_property
    def by_key(self) -> NDArray[np.float64]:
        """For each byte and key, how likely the byte behind the key is in a text with ids."""
        found: NDArray[np.float64] = self.likely[_BYTES[:, None] ^ _BYTES[None, :]]
        return found

    @cached_property
    def shapes(self) -> dict[int, dict[tuple[object, ...], str]]:
        """What rotating leaves as it is in the names, and what rotating and mirroring does."""
        return {sign: {_shape(str(name), sign): str(name) for name in self.names} for sign in (1, -1)}

    def count(self, text: str) -> int:
        """How many different ids are in a text."""
        words = set(_WORD.findall(text[:_HEAD]))
        found = len({key for word in words if (key := plain_key(word)) in self.names})
        # Among many numbers some are ids by chance, and a table of other items may become one of these.
        needed = max(self.share * len(words), _OF_LINES * text.count("\n", 0, _HEAD), self.fewest)
        return found if found >= needed else 0

    def has(self, text: str, before: int = 0) -> bool:
        """Whether a text has ids, and more of them than before."""
        return self.count(text) >= max(_FEWEST, 2 * before + 1)


def unmasked(data: bytes, telling: Telling) -> Iterator[tuple[str, bytes]]:
    """(what was done, the bytes before it) where that makes a known file, or a text with ids."""
    if not data:
        return
    head = data[:_HEAD]
    before = telling.count(head.decode("latin-1"))
    for label, table in _of_known(head):
        yield label, data.translate(table)
    if data[::-1].startswith(KNOWN):
        yield "backwards", data[::-1]
    counts = np.bincount(np.frombuffer(head, np.uint8), minlength=256)
    tables = []
    for label, table in _tables():
        order = np.frombuffer(table, np.uint8)
        readable = counts[_PRINTED[order]].sum() / len(head)
        if readable >= _READABLE:
            tables.append((float((counts * telling.likely[order]).sum()), label, table))
    for _, label, table in sorted(tables, reverse=True)[:_MOST_TRIED]:
        if telling.has(head.translate(table).decode("latin-1"), before):
            yield label, data.translate(table)
            return
    if counts[_PRINTED].sum() > _READABLE * len(head):
        return  # behind a key that repeats, few characters remain readable
    key = _repeating(head, telling, before)
    if key is not None:
        keys = np.resize(np.frombuffer(key, np.uint8), len(data))
        yield f"behind a key of {len(key)} bytes", (np.frombuffer(data, np.uint8) ^ keys).tobytes()


def _of_known(head: bytes) -> Iterator[tuple[str, bytes]]:
    for mark in KNOWN:
        if len(head) < 16 or head.startswith(mark):
            continue
        masks = {first ^ second for first, second in zip(head, mark, strict=False)}
        steps = {(first - second) & 255 for first, second in zip(head, mark, strict=False)}
        if len(mark) > 2 and len(masks) == 1:
            yield "behind a mask", bytes((_BYTES ^ masks.pop()).astype(np.uint8))
        elif len(mark) > 2 and len(steps) == 1:
            yield "with shifted bytes", bytes(((_BYTES - steps.pop()) & 255).astype(np.uint8))


@cache
def _tables() -> list[tuple[str, bytes]]:
    """Rules that exchange each byte for one other."""
    found = [("behind a mask", bytes((_BYTES ^ key).astype(np.uint8))) for key in range(1, 256)]
    found += [("with shifted bytes", bytes(((_BYTES - step) & 255).astype(np.uint8))) for step in range(1, 256)]
    found.append(("with halves of bytes exchanged", bytes(((_BYTES >> 4 | _BYTES << 4) & 255).astype(np.uint8))))
    found.append(("with bits in reverse", bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))))
    for turn in range(1, 8):
        found.append(("with turned bits", bytes(((_BYTES >> turn | _BYTES << 8 - turn) & 255).astype(np.uint8))))
    for page in ("cp500", "cp037"):
        exchanged = bytes(range(256)).decode(page).replace("\x85", "\n")
        found.append((f"in {page}", exchanged.encode("latin-1", "replace")))
    return found


def _repeating(head: bytes, telling: Telling, before: int) -> bytes | None:
    """A short key that repeats: the one that makes each of its places most like a text with ids."""
    values = np.frombuffer(head, np.uint8)[:_SAMPLE]
    if len(values) < 8 * _MOST_KEY:
        return None
    counts: dict[int, NDArray[np.float64]] = {}
    repeats: dict[int, float] = {}
    for length in range(2, _MOST_KEY + 1):
        places = np.arange(len(values)) % length
        found = np.bincount(places * 256 + values, minlength=length * 256).reshape(length, 256).astype(np.float64)
        counts[length], repeats[length] = found, float((found * (found - 1)).sum()) * length / len(values) ** 2
    # No text has its characters as evenly as what is behind a key of another length; twice a length is one, too.
    likely = [length for length in sorted(repeats, key=lambda length: -repeats[length]) if repeats[length] >= _REPEATS]
    for length in [length for length in counts if any(other % length == 0 for other in likely[:_MOST_KEYS])]:
        key = (counts[length] @ telling.by_key).argmax(axis=1).astype(np.uint8)
        text = values ^ np.resize(key, len(values))
        if _PRINTED[text].mean() < _READABLE:
            continue
        if telling.has(text.tobytes().decode("latin-1"), before):
            return bytes(key)
    return None


def unrotated(text: str, telling: Telling) -> Iterator[tuple[str, str]]:
    """(what was done, the text before it) of texts with letters or digits exchanged, or backwards."""
    before = telling.count(text)
    best: tuple[int, str, str] = (max(_FEWEST - 1, 2 * before), "", "")
    for label, table in _rotations(text[:_HEAD], telling):
        changed = text.translate(table)
        if (number := telling.count(changed)) > best[0]:  # a wrong rule may make ids by chance
            best = (number, label, changed)
    if best[1]:
        yield best[1], best[2]
        return
    turned = "\n".join(line[::-1] for line in text.splitlines())
    for label, changed in (("backwards", text[::-1]), ("with lines backwards", turned)):
        if telling.has(changed, before):
            yield label, changed
            return


def _shape(word: str, sign: int = 1) -> tuple[object, ...]:
    """What rotating leaves as it is: how far letters and digits are from the first ones, and the other characters."""
    first: dict[int, int] = {}
    shape: list[object] = []
    for character in word:
        place, size = _place(character)
        shape.append(character if place < 0 else (sign * (place - first.setdefault(size, place))) % size)
    return tuple(shape)


def _place(character: str) -> tuple[int, int]:
    place = _LOWER.find(character)
    return (place, 26) if place >= 0 else (_DIGITS.find(character), 10)


def _rotations(text: str, telling: Telling) -> Iterator[tuple[str, dict[int, int]]]:
    """The rules that would make words of a text ids, those for most words first; and two that do more."""
    votes: Counter[tuple[int, int, int]] = Counter()
    for word in set(_WORD.findall(text.lower()[:_SAMPLE])):
        for sign, shapes in telling.shapes.items():
            name = shapes.get(_shape(word))
            if name is None or len(word) < 3:
                continue
            steps = {}
            for mine, theirs in zip(word, name, strict=True):
                place, size = _place(mine)
                if place >= 0:
                    steps[size] = (_place(theirs)[0] - sign * place) % size
            votes[sign, steps.get(26, 0), steps.get(10, 0)] += 1
    for (sign, letters, digits), _ in votes.most_common(12):
        if (sign, letters, digits) != (1, 0, 0):
            table: dict[int, int] = {}
            for alphabet, step in ((_LOWER, letters), (_UPPER, letters), (_DIGITS, digits)):
                size = len(alphabet)
                table |= {ord(mine): ord(alphabet[(sign * place + step) % size]) for place, mine in enumerate(alphabet)}
            yield "with rotated letters" if sign > 0 else "with mirrored letters", table
    printed = "".join(map(chr, range(33, 127)))
    yield "with rotated letters", str.maketrans(printed, printed[47:] + printed[:47])
    yield "with mirrored letters", str.maketrans(_LOWER + _UPPER, _LOWER[::-1] + _UPPER[::-1])
