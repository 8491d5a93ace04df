"""What the audit reads of public files: named columns of texts, one row per record, item or file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlebench.files.tables import to_numbers

Texts: TypeAlias = NDArray[np.object_]  # of str, or None where a value is missing
Numbers: TypeAlias = NDArray[np.float64]
LONGEST = 4096  # characters of a value that are kept
_DATE = re.compile(r"^((?:19|20)\d\d)([-:/.])([01]\d)\2([0-3]\d)")
_DAY_FIRST = re.compile(r"^([0-3]\d)([-/.])([01]\d)\2((?:19|20)\d\d)")
_LISTED = str.maketrans(dict.fromkeys(",;|[](){}", " "))  # what lists are written with
_MISSING = {"", "nan", "NaN", "None", "NA", "N/A", "null", "NULL", "<NA>"}


@dataclass(frozen=True)
class Table:
    """Columns of equal length. `where` names the file, with the member behind the archive that it is in.

    `is_artifact` marks properties of files (names, sizes, dates) and orders, which no honest task asks one to use.
    `keys` are the columns that rows can be matched with items by; None where any column may be one.
    """

    where: str
    columns: Mapping[str, Texts]
    is_artifact: bool = False
    keys: tuple[str, ...] | None = None
    sampled: bool = False
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0


def text_of(value: Any) -> str | None:
    """A value as text, as it would stand in a CSV file; None if it is missing."""
    if value is None:
        return None
    if type(value) is str:  # nearly all are
        return value if len(value) <= LONGEST else value[:LONGEST]
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | np.floating):
        number = float(value)
        if number != number:
            return None
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    if isinstance(value, str):
        return value[:LONGEST]
    return str(value)[:LONGEST]


def texts(values: Iterable[Any]) -> Texts:
    """Values as a column of texts."""
    found = [text_of(value) for value in values]
    column = np.empty(len(found), dtype=object)
    column[:] = found
    return column


def rows_table(where: str, rows: Sequence[Mapping[str, Any]], *, is_artifact: bool = False) -> Table | None:
    """A table from records; None where there are none."""
    if not rows:
        return None
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {str(name): texts(row.get(name) for row in rows) for name in list(names)[:2000]}
    return Table(where, columns, is_artifact)


def is_missing(value: str | None) -> bool:
    """Whether a value stands for nothing."""
    return value is None or value.strip() in _MISSING


def as_numbers(column: Texts, *, enough: float = 0.9) -> Numbers | None:
    """A column as numbers, NaN where one is missing; None if it is not mostly numbers."""
    import pandas as pd

    words = {"true": "1", "false": "0"}
    plain = pd.Series([None if is_missing(value) else words.get(value.strip().lower(), value) for value in column])
    found: Numbers = to_numbers(plain).to_numpy(dtype=float, copy=True)
    present = int(plain.notna().sum())
    with np.errstate(all="ignore"):
        usable = int(np.isfinite(found).sum())
    if present and not usable and (_DATE.match(first := str(plain.dropna().iloc[0])) or _DAY_FIRST.match(first)):
        dates = plain.map(_iso_date, na_action="ignore")
        moments = pd.to_datetime(dates, errors="coerce", format="ISO8601", utc=True)
        if moments.notna().sum() >= enough * present:
            # The unit is said, for that of pandas depends on its version.
            counted = moments.dt.tz_localize(None).to_numpy("datetime64[us]").astype("int64")
            seconds: Numbers = counted.astype(float) / 1e6
            seconds[moments.isna().to_numpy()] = np.nan
            return seconds
    if not present or usable < enough * present:
        return None
    found[~np.isfinite(found)] = np.nan
    return found


def _iso_date(value: str) -> str:
    """A date as ISO 8601 writes it: those of pictures have colons, others the day in front."""
    written = _DAY_FIRST.sub(r"\4-\3-\1", value.strip())
    return _DATE.sub(r"\1-\3-\4", written)


def canonical(value: str | None) -> str | None:
    """A value in the form in which two writings of the same one are equal."""
    if value is None:
        return None
    plain = value.strip().strip("\"'").lower()
    if plain in ("true", "yes"):
        return "1"
    if plain in ("false", "no"):
        return "0"
    try:
        number = float(plain)
    except ValueError:
        return " ".join(plain.translate(_LISTED).split())
    if number != number or number in (float("inf"), float("-inf")):
        return None
    return f"{number:.7g}"


def each_once(function: Callable[[str | None], str | None], values: Iterable[str | None]) -> Texts:
    """What a function makes of each value of a column; distinct values are given to it once."""
    known: dict[str | None, str | None] = {}
    found: list[str | None] = []
    for value in values:
        if value not in known:
            known[value] = function(value)
        found.append(known[value])
    column = np.empty(len(found), dtype=object)
    column[:] = found
    return column


def canonical_column(values: Iterable[str | None]) -> Texts:
    """A column in the form in which two writings of the same value are equal."""
    return each_once(canonical, values)


def merged(tables: Sequence[Table]) -> list[Table]:
    """Tables with the same columns whose names differ in numbers only are parts of one."""
    groups: dict[tuple[str, tuple[str, ...]], list[Table]] = {}
    for table in tables:
        groups.setdefault((re.sub(r"\d+", "*", table.where), tuple(table.columns)), []).append(table)
    found: list[Table] = []
    for (where, names), parts in groups.items():
        if len(parts) == 1 or parts[0].is_artifact or len({part.where for part in parts}) == 1:
            found += parts
            continue
        columns = {name: np.concatenate([part.columns[name] for part in parts]) for name in names}
        # A list of items for each class: the number of the list is the class.
        numbers = texts(".".join(re.findall(r"\d+", part.where)) for part in parts)
        columns["(number of the file)"] = np.repeat(numbers, [len(part) for part in parts])
        found.append(Table(where, columns, keys=parts[0].keys, sampled=any(part.sampled for part in parts)))
    return found
