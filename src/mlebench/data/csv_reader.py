"""Reading large tables from CSV in little memory: the values of pandas, in columns as narrow as they can be.

Whole numbers are kept in the smallest integer type that holds them, text in Arrow's compact form; a table takes a
small part of what plain pandas objects take. Kinds are guessed from the first rows; when a later row disagrees,
reading starts again with the wider kind, as pandas would have found it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from mlebench.data import tables

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_BLOCK = 8 << 20
_GUESSED_ROWS = 1000
# The words that pandas takes for a missing value.
MISSING = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
]  # fmt: skip
_WIDER = {"int64": "float64", "float64": "string", "bool": "string"}
_INTEGERS = [np.dtype(kind) for kind in ("int8", "int16", "int32", "int64")]


def read_lean_csv(open_stream: Any) -> pd.DataFrame:
    """Read a CSV table; `open_stream()` gives a new binary stream of it from its beginning."""
    import pyarrow as pa

    with open_stream() as stream:
        kinds = _guess(stream)
    while True:
        try:
            with open_stream() as stream:
                return _read(stream, kinds)
        except pa.ArrowInvalid as error:
            column = re.search(r"CSV column #(\d+)", str(error))
            name = list(kinds)[int(column[1])] if column else None
            if name is None or kinds[name] == "string":
                raise ValueError(str(error)) from error
            kinds[name] = _WIDER[kinds[name]]


def _guess(stream: IO[bytes]) -> dict[str, str]:
    """The kind of each column, from the first rows; the names in the order of the file."""
    start = stream.read(1 << 20)
    # A line that is cut off, or that a quoted line break cuts, must not decide: a thousand rows are far from the end.
    frame = tables.read_csv(BytesIO(start), nrows=_GUESSED_ROWS, on_bad_lines="skip")
    kinds = {"i": "int64", "f": "float64", "b": "bool"}
    return {str(name): kinds.get(kind.kind, "string") for name, kind in frame.dtypes.items()}


def _read(stream: IO[bytes], kinds: dict[str, str]) -> pd.DataFrame:
    import pandas as pd

    parts: dict[str, list[Any]] = {name: [] for name in kinds}
    for batch in _batches(stream, kinds):
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            parts[name].append(_compact(column, kinds[name]))
    columns = {}
    for name in kinds:
        columns[name] = _joined(parts.pop(name), kinds[name])
    return pd.DataFrame(columns, copy=False)


def _batches(stream: IO[bytes], kinds: dict[str, str]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    from pyarrow import csv

    reader = csv.open_csv(
        stream,
        read_options=csv.ReadOptions(block_size=_BLOCK),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types={name: pa.type_for_alias(kind) for name, kind in kinds.items()},
            null_values=MISSING,
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
            true_values=["True", "TRUE", "true"],
            false_values=["False", "FALSE", "false"],
        ),
    )
    with reader:
        yield from reader


def _compact(column: Any, kind: str) -> Any:
    if kind == "string":
        return column
    if kind == "bool":
        if column.null_count:
            import pyarrow as pa

            # pandas makes a mixed column of it; that is rare, and text is what it would be written as.
            raise pa.ArrowInvalid("a column of True and False has empty cells")
        return column.to_numpy(zero_copy_only=False)
    values = column.to_numpy(zero_copy_only=False)  # whole numbers with gaps become floats, as with pandas
    if values.dtype.kind != "i":
        return values
    return values.astype(_smallest(values), copy=False)


def _smallest(values: np.ndarray[Any, Any]) -> np.dtype[Any]:
    if not len(values):
        return _INTEGERS[0]
    low, high = values.min(), values.max()
    return next(kind for kind in _INTEGERS if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)


def _joined(parts: list[Any], kind: str) -> Any:
    """One column from the parts of it; the parts are let go while it is put together."""
    if kind == "string":
        import pandas as pd
        import pyarrow as pa

        return pd.Series(pa.chunked_array(parts, type=pa.string()), dtype=pd.ArrowDtype(pa.string()))
    if not parts:
        return np.empty(0, dtype=kind)
    whole = np.empty(sum(map(len, parts)), dtype=np.result_type(*parts))
    ends = np.cumsum([0, *map(len, parts)])
    for place, (start, end) in enumerate(pairwise(ends)):
        whole[start:end] = parts[place]
        parts[place] = None
    return whole
