"""Columns that say when something was: dates in many writings, seconds since 1970, years with or without months.

Numbers are taken for years or seconds only where the name of their column says so, for any number may have that size.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from mlebench.audit.matching import Aligned
from mlebench.audit.table import Numbers, Texts, as_numbers, is_missing

Sides: TypeAlias = tuple[Numbers, Numbers]
_Parser: TypeAlias = Callable[[str], np.datetime64 | None]
_FEWEST = 4  # values that show how a column is written
_NEARLY_ALL = 0.98
_LOOKED, _PROBE = 2000, 200  # values in which some that are not missing are looked for
_LONGEST = 40  # characters of a date in words
_LONGEST_NAME = 200
_YEAR, _MONTH, _DAY = r"((?:19|20)\d\d)", r"(0[1-9]|1[0-2])", r"(0[1-9]|[12]\d|3[01])"
_CLOCK = r"(?:[T _-]?([01]\d|2[0-3]):?([0-5]\d)(?::?([0-5]\d)(?:\.\d+)?)?)?"
_STAMP = re.compile(rf"{_YEAR}([-/.:_]?){_MONTH}\2{_DAY}{_CLOCK}(?:\s*(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?", re.I)
_LATE_YEAR = re.compile(rf"(\d\d?)([-/.])(\d\d?)\2{_YEAR}(?:[T ,]+(\d\d?):(\d\d)(?::(\d\d))?.*)?")
_IN_NAME = re.compile(rf"(?<!\d){_YEAR}([-_.]?){_MONTH}\2{_DAY}(?:[T_-]?\d{{4}}(?:\d\d)?)?(?!\d)")
_IN_WORDS = re.compile(r"(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b")
_ANY_YEAR = re.compile(r"\b(19|20)\d\d\b")
_YEAR_AND_MONTH = re.compile(rf"{_YEAR}[-/]{_MONTH}")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_OF_TIME = set(
    "time timestamp timestamps ts unix epoch datetime date dates utc at created updated recorded posted".split()
)
_OF_MONTHS = {"month", "yearmonth", "yyyymm", "period", "date", "ym"}
_OF_YEARS = {"year", "yr", "years", "season"}
_OF_THINGS = {"birth", "born", "built", "founded", "old", "age", "model", "dob"}  # what something is, not when it was
_EPOCHS = (1.0, 1e3, 1e6, 1e9)  # parts of a second
_FIRST, _LAST = 6.3e8, 2.2e9  # 1990 and 2039
_YEARS = (1900, 2100)


def words_of(name: str) -> set[str]:
    """The words in the name of a column, however they are joined."""
    return {word.lower() for word in _WORD.findall(name)}


def moments(name: str, test: Texts, train: Texts, *, in_names: bool = True) -> Sides | None:
    """The moments of both sides in seconds; None where a column has none."""
    probes = [[str(value).strip() for value in side[:_LOOKED] if not is_missing(value)] for side in (test, train)]
    probes = [values[:_PROBE] for values in probes]
    if min(map(len, probes)) < _FEWEST or words_of(name) & _OF_THINGS:
        return None
    parse = _writing(probes, np.concatenate([test, train]), in_names=in_names)
    if parse is not None:
        return _parsed(test, parse), _parsed(train, parse)
    if _are_like(probes, _is_in_words):
        return _by_pandas(test), _by_pandas(train)
    return _counted(name, test, train)


def _writing(probes: Sequence[Sequence[str]], values: Texts, *, in_names: bool) -> _Parser | None:
    """How the dates of both sides are written."""
    if _are_like(probes, lambda value: _STAMP.fullmatch(value) is not None):
        return _of_stamp
    if _are_like(probes, lambda value: _YEAR_AND_MONTH.fullmatch(value) is not None):
        return _of_month
    if _are_like(probes, lambda value: _LATE_YEAR.fullmatch(value) is not None):
        found = [match for value in set(values.tolist()) if value and (match := _LATE_YEAR.fullmatch(value.strip()))]
        first, second = (max(int(match.group(place)) for match in found) for place in (1, 3))
        if min(first, second) <= 12 and max(first, second) <= 31:
            return partial(_of_late_year, day_first=second <= 12)
    if in_names and _are_like(probes, _has_one):
        return _of_name
    return None


def _are_like(sides: Sequence[Sequence[str]], fits: Callable[[str], bool]) -> bool:
    return all(sum(map(fits, values)) >= _NEARLY_ALL * len(values) for values in sides)


def _has_one(value: str) -> bool:
    """Whether a name, such as that of a file, has one date in it."""
    return len(value) <= _LONGEST_NAME and not re.search(r"\s", value) and len(_IN_NAME.findall(value)) == 1


def _is_in_words(value: str) -> bool:
    return len(value) <= _LONGEST and bool(_IN_WORDS.search(value)) and bool(_ANY_YEAR.search(value))


def _moment(year: str, month: str, day: str, *clock: str | None) -> np.datetime64 | None:
    hour, minute, second = (int(part or 0) for part in (*clock, None, None, None)[:3])
    try:
        start = np.datetime64(f"{year}-{int(month):02}-{int(day):02}", "s")
    except ValueError:
        return None
    return start + np.timedelta64(3600 * hour + 60 * minute + second, "s")


def _of_stamp(value: str) -> np.datetime64 | None:
    found = _STAMP.fullmatch(value)
    return None if found is None else _moment(found[1], found[3], found[4], *found.groups()[4:7])


def _of_month(value: str) -> np.datetime64 | None:
    found = _YEAR_AND_MONTH.fullmatch(value)
    return None if found is None else _moment(found[1], found[2], "1")


def _of_late_year(value: str, *, day_first: bool) -> np.datetime64 | None:
    found = _LATE_YEAR.fullmatch(value)
    if found is None:
        return None
    day, month = (found[1], found[3]) if day_first else (found[3], found[1])
    return _moment(found[4], month, day, *found.groups()[4:7])


def _of_name(value: str) -> np.datetime64 | None:
    found = _IN_NAME.search(value)
    return None if found is None else _moment(found[1], found[3], found[4])


def _parsed(values: Texts, parse: _Parser) -> Numbers:
    cache: dict[str, float] = {}
    for value in set(values.tolist()):
        moment = None if is_missing(value) else parse(str(value).strip())
        cache[value] = np.nan if moment is None else float(moment.astype("int64"))
    return np.array([cache[value] for value in values], dtype=float)


def _by_pandas(values: Texts) -> Numbers:
    import pandas as pd

    found = pd.to_datetime(pd.Series(values, dtype="object"), errors="coerce", format="mixed", utc=True)
    seconds: Numbers = found.dt.tz_localize(None).to_numpy("datetime64[s]").astype("int64").astype(float)
    seconds[found.isna().to_numpy()] = np.nan
    return seconds


def _counted(name: str, test: Texts, train: Texts) -> Sides | None:
    """Seconds since 1970, or parts of them, and numbers such as 201905, in columns whose names are about time."""
    words = words_of(name)
    if not words & (_OF_TIME | _OF_MONTHS):
        return None
    mine, theirs = as_numbers(test), as_numbers(train)
    if mine is None or theirs is None:
        return None
    both = np.concatenate([mine, theirs])
    both = both[~np.isnan(both)]
    if words & _OF_MONTHS and ((both == both.round()) & (both < 210_000) & (both >= 190_000)).all():
        if ((both % 100 >= 1) & (both % 100 <= 12)).all():
            return _of_calendar(mine // 100, mine % 100), _of_calendar(theirs // 100, theirs % 100)
        return None
    for parts in _EPOCHS if words & _OF_TIME else ():
        if _FIRST * parts <= both.min() and both.max() <= _LAST * parts:
            return mine / parts, theirs / parts
    return None


def calendars(pairs: Sequence[tuple[Aligned, Aligned]]) -> Iterator[tuple[Aligned, Aligned, Sides, bool]]:
    """(a column of years on both sides, the moments, whether months are known) among the columns of a table."""
    for mine, theirs in pairs:
        words = words_of(mine.column)
        named = words & _OF_YEARS
        if not named or words & _OF_THINGS:
            continue
        years = _whole(mine, theirs, _YEARS)
        if years is None:
            continue
        further = []
        for unit, most in (("month", 12), ("day", 31)):
            alike = (pair for pair in pairs if words_of(pair[0].column) == (words - named) | {unit})
            there = next((found for pair in alike if (found := _aligned(pair, (mine, theirs), most))), None)
            if there is None:
                break
            further.append(there)
        sides = tuple(_of_calendar(years[side], *(part[side] for part in further)) for side in (0, 1))
        yield mine, theirs, (sides[0], sides[1]), bool(further)


def _aligned(pair: tuple[Aligned, Aligned], years: tuple[Aligned, Aligned], most: int) -> Sides | None:
    are_same = all(np.array_equal(part.items, year.items) for part, year in zip(pair, years, strict=True))
    return _whole(*pair, (1, most)) if are_same else None


def _whole(mine: Aligned, theirs: Aligned, limits: tuple[int, int]) -> Sides | None:
    """Whole numbers within limits."""
    sides = as_numbers(mine.values), as_numbers(theirs.values)
    if sides[0] is None or sides[1] is None:
        return None
    both = np.concatenate([sides[0], sides[1]])
    both = both[~np.isnan(both)]
    fits = len(both) and (both == both.round()).all() and limits[0] <= both.min() and both.max() <= limits[1]
    return (sides[0], sides[1]) if fits else None


def _of_calendar(years: Numbers, months: Numbers | None = None, days: Numbers | None = None) -> Numbers:
    """Seconds of years, months and days; what is missing makes the whole missing."""
    found = np.full(len(years), np.nan)
    there = ~np.isnan(years)
    for part in (months, days):
        there &= True if part is None else ~np.isnan(part)
    ones = np.ones(len(years))
    months, days = ones if months is None else months, ones if days is None else days
    whole = 12 * (years[there].astype(int) - 1970) + months[there].astype(int) - 1
    start = whole.astype("datetime64[M]").astype("datetime64[s]").astype("int64")
    found[there] = start + 86_400 * (days[there] - 1)
    return found
