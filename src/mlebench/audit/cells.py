"""What one cell of a table says besides itself: the folders of a path, the numbers of a list, degrees of a place."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from mlebench.audit.table import Texts, is_missing, texts
from mlebench.audit.targets import present

_MOST_FOLDERS = 4  # from the end of a path
_PROBE = 60  # values that tell whether cells are paths
_MOSTLY = 0.8  # of these
_MOST_NUMBERS = 8
_FOLDER = re.compile(r"[/\\]+")
_LETTER, _NO_PATH = re.compile(r"[^\W\d_]"), re.compile(r"[\n<>|\"]")
_BRACKETS = "[](){} \t"
_NUMBER_MARKS = re.compile(r"\s*[\s,;|]\s*")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_MINUTES = re.compile(r"([+-]?)(\d{1,3})(\d{2}\.\d{2,})")  # degrees and minutes without anything between them
_DEGREES = re.compile(
    r"([NSEWnsew])?\s*([+-]?)(\d{1,3})(?:\.0+)?\s*(?:°|d|deg|:|\s)\s*(\d{1,2}(?:\.\d+)?)"
    r"(?:\s*(?:'|′|m|min|:|\s)\s*(\d{1,2}(?:\.\d+)?)?)?\s*(?:\"|″|''|s|sec)?\s*([NSEWnsew])?"
)
_FEWEST_PLACES = 12  # numbers of which all are possible minutes by chance


def parts_of_cells(name: str, values: Texts, *, with_folders: bool = True) -> Iterator[tuple[str, Texts]]:
    """(name, values) of what the cells of a column are made of."""
    there = present(values)
    some = [str(value) for value in values[there][:_PROBE]]
    if not some:
        return
    if with_folders:
        yield from folders_of(name, values)
    yield from _numbers_of(name, values, some)
    yield from _degrees_of(name, values, some)


def folders_of(name: str, values: Texts) -> Iterator[tuple[str, Texts]]:
    """The folders of paths, the one in which a file is first: originals are often sorted by what they show."""
    some = [value for value in values[:_PROBE] if value and not is_missing(value)]  # N/A is no path
    paths = [value for value in some if _FOLDER.search(value.strip("/\\")) and _LETTER.search(value)]
    if any(map(_NO_PATH.search, paths)) or len(paths) < max(2, _MOSTLY * len(some)):
        return
    parts = [_FOLDER.split(value.strip())[:-1][::-1] if value and not is_missing(value) else [] for value in values]
    for place in range(min(_MOST_FOLDERS, max(map(len, parts)))):
        folders = texts(part[place] if place < len(part) else None for part in parts)
        if len(set(folders)) > 1:
            yield f"{name}, folder {place + 1} from its end", folders


def _numbers_of(name: str, values: Texts, some: list[str]) -> Iterator[tuple[str, Texts]]:
    """The numbers of a column that has the same few of them in each of its values, such as a place on a map."""
    if not 2 <= len(_NUMBER_MARKS.split(some[0].strip(_BRACKETS))) <= _MOST_NUMBERS:
        return
    there = present(values)
    rows = [_NUMBER_MARKS.split(str(value).strip(_BRACKETS)) for value in values[there]]
    width = len(rows[0])
    if any(len(row) != width for row in rows) or not all(_NUMBER.fullmatch(cell) for row in rows for cell in row):
        return
    for place in range(width):
        numbers = np.full(len(there), None, dtype=object)
        numbers[there] = texts(row[place] for row in rows)
        yield f"{name}, number {place + 1}", numbers


def _degrees_of(name: str, values: Texts, some: list[str]) -> Iterator[tuple[str, Texts]]:
    """Degrees of a place that are written with minutes and seconds, as decimal numbers."""
    for read in (_of_minutes, _of_degrees):
        if len(some) < _FEWEST_PLACES or any(read(value) is None for value in some):
            continue
        found = [read(str(value)) if value else None for value in values]
        if sum(degrees is not None for degrees in found) >= _MOSTLY * int(present(values).sum()):
            yield f"{name}, as degrees", texts(found)
            return


def _of_minutes(value: str) -> float | None:
    match = _MINUTES.fullmatch(value.strip())
    return None if match is None else _decimal(match[1] == "-", match[2], match[3], None)


def _of_degrees(value: str) -> float | None:
    match = _DEGREES.fullmatch(_NUMBER_MARKS.sub(" ", value.strip(_BRACKETS)))
    if match is None:
        return None
    side = (match[1] or match[6] or "").lower()
    return _decimal(match[2] == "-" or side in ("s", "w"), match[3], match[4], match[5])


def _decimal(is_negative: bool, degrees: str, minutes: str, seconds: str | None) -> float | None:
    parts = float(minutes), float(seconds or 0)
    if max(parts) >= 60:
        return None
    found = round(float(degrees) + parts[0] / 60 + parts[1] / 3600, 9)
    return -found if is_negative else found
