"""What may be hidden in how a value is written, and in parts of dates and times: patterns, cases, orders, numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

_RUN = re.compile(r"\d+")
_DATE = re.compile(r"((?:19|20)\d\d)[-/.]?([01]\d)[-/.]?([0-3]\d)")
_CODE = re.compile(r"\b(?=[^\W\d]*\d)(?=\d*[^\W\d_])\w+")  # a word of letters and digits
_MOST_RUNS = 8
_MOST_CAPITALS = 12
_LONGEST_PATTERN = 24
_AN_HOUR_OF_1973 = 1e8  # whole numbers from here on may be moments
_Property = tuple[str, list[object]]


def written(strings: list[str], n_classes: int) -> Iterator[_Property]:
    """(what it is, what it is for each value) of how values are written."""
    divisors = dict.fromkeys((2, *((n_classes,) if 2 < n_classes <= 60 else ())))
    for divisor in divisors:
        yield f"its length modulo {divisor}", [len(value) % divisor for value in strings]
    blanks = [len(value) - len(value.rstrip()) for value in strings]
    if any(blanks):
        yield "its number of blanks at the end", list(blanks)
    if max(map(len, strings), default=0) <= _LONGEST_PATTERN:
        yield "its pattern", [_pattern(value) for value in strings]
    if any(" " in value for value in strings):
        words = [len(value.split()) for value in strings]
        for divisor in divisors:
            yield f"its number of words modulo {divisor}", [count % divisor for count in words]
        yield from _codes(strings)
    yield from _cases(strings)
    yield from _order_of_parts(strings)


def _pattern(value: str) -> str:
    return re.sub(r"[^\W\d_]+", lambda match: "A" if match.group().isupper() else "a", _RUN.sub("9", value))


def _codes(strings: list[str]) -> Iterator[_Property]:
    """The letters of words such as QX6297 in texts: the digits may number what the letters stand for."""
    found = [_CODE.findall(value) for value in strings]
    if 2 * sum(map(bool, found)) < len(found):
        return
    for which, place in (("first", 0), ("last", -1)):
        yield f"the letters of its {which} code", [_RUN.sub("", codes[place]) if codes else "" for codes in found]


def _cases(strings: list[str]) -> Iterator[_Property]:
    if not any(value != value.lower() for value in strings):
        return
    yield "the parity of its capitals", [sum(map(str.isupper, value)) % 2 for value in strings]
    for place in range(min(_MOST_CAPITALS, max(map(len, strings)))):
        flags: list[object] = [value[place : place + 1].isupper() for value in strings]
        if len(set(flags)) > 1:
            yield f"the case of its character {place + 1}", flags


def _order_of_parts(strings: list[str]) -> Iterator[_Property]:
    parts = [re.split(r"[\s,;|]+", value.strip().lower()) for value in strings]
    if max(map(len, parts)) > 1:
        yield "whether its parts are sorted", [_direction(part) for part in parts]


def _direction(parts: list[str]) -> int:
    if len(parts) < 2 or len(set(parts)) < 2:
        return 0
    return 1 if parts == sorted(parts) else -1 if parts == sorted(parts, reverse=True) else 2


def parts_of_time(strings: list[str], whole: list[int] | None, n_classes: int) -> Iterator[_Property]:
    """The numbers in dates, times and the like, each by itself; and those of moments that are written as one number."""
    counts = [len(_RUN.findall(value)) for value in strings]
    if 2 <= max(counts) <= _MOST_RUNS and counts.count(max(counts)) >= 0.9 * len(counts):
        runs = [_RUN.findall(value) for value in strings]
        for place in range(max(counts)):
            yield from _remainders(
                f"its number {place + 1}",
                [int(run[place][-15:]) if place < len(run) else -1 for run in runs],
                n_classes,
            )
    if all(_DATE.match(value) for value in strings[:20]):
        yield "its day of the week", [_weekday(value) for value in strings]
    if whole is not None and len(whole) and min(whole) >= _AN_HOUR_OF_1973:
        moments: dict[str, Callable[[int], int]] = {
            "its second": lambda value: value % 60,
            "its minute": lambda value: value // 60 % 60,
            "its hour": lambda value: value // 3600 % 24,
            "its day of the week": lambda value: (value // 86400 + 3) % 7,  # the first day of 1970 was a Thursday
        }
        for what, part in moments.items():
            yield from _remainders(what, [part(value) for value in whole], n_classes)


def _remainders(what: str, numbers: list[int], n_classes: int) -> Iterator[_Property]:
    yield what, list(numbers)
    for divisor in dict.fromkeys((2, 3, 10, *((n_classes,) if 1 < n_classes <= 60 else ()))):
        yield f"{what} modulo {divisor}", [number % divisor for number in numbers]


def _weekday(value: str) -> int:
    match = _DATE.match(value)
    if match is None:
        return -1
    try:
        return date(*map(int, match.groups())).weekday()
    except ValueError:
        return -1
