"""Decimal numbers as the default parser of pandas 2 reads them: quickly, and not always to the nearest float.

The published benchmark read some tables in this way, so what it wrote from them has other last digits here and there.
pandas 3 rounds correctly and has no such parser any more.
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

_NUMBER = re.compile(r"\s*([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?\s*")
_DIGITS = 17  # how many the parser keeps, zeros in front included
_EXACT = 15  # how many a float is sure to hold
_POWERS = [float(f"1e{power}") for power in range(309)]


def quick_float(text: str) -> float:
    """The value of a decimal number: digits are added up in floating point, then scaled by a power of ten.

    >>> quick_float("0.25"), quick_float("1219354.5887326337"), float("1219354.5887326337")
    (0.25, 1219354.5887326335, 1219354.5887326337)
    """
    parts = _NUMBER.fullmatch(text)
    if parts is None or not (parts[2] or parts[3]):
        return float(text)
    whole, fraction = parts[2], parts[3]
    digits = (whole + fraction)[:_DIGITS]
    value = float(int(digits[:_EXACT]))
    for digit in digits[_EXACT:]:
        value = value * 10.0 + int(digit)
    power = int(parts[4] or 0) + max(len(whole) - _DIGITS, 0) - max(len(digits) - len(whole), 0)
    if not -2 * 308 <= power <= 308:
        return float(text)
    if power < -308:  # below the smallest normal float, in two steps
        value = value / _POWERS[-308 - power] / _POWERS[308]
    else:
        value = value * _POWERS[power] if power > 0 else value / _POWERS[-power]
    return -value if parts[1] == "-" else value


def with_quick_floats(frame: pd.DataFrame, stream: IO[bytes]) -> pd.DataFrame:
    """A table that was read from this CSV file, its floats as the quick parser reads them."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    names = [str(name) for name, kind in frame.dtypes.items() if kind.kind == "f"]
    if not names:
        return frame
    texts = csv.read_csv(
        stream,
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(include_columns=names, column_types=dict.fromkeys(names, pa.string())),
    )
    changed = {}
    for name in names:
        # Of few digits, and without an exponent, both parsers make the same float.
        long = pc.or_(pc.greater(pc.utf8_length(texts[name]), _EXACT), pc.match_substring_regex(texts[name], "[eE]"))
        rows = np.flatnonzero(pc.and_(long, frame[name].notna().to_numpy()).to_numpy())
        changed[name] = frame[name].to_numpy(copy=True)
        changed[name][rows] = [quick_float(text) for text in texts[name].take(pa.array(rows)).to_pylist()]
    return frame.assign(**changed)
