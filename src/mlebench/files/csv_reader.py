"""Reading large tables from CSV in little memory: the values of pandas, in columns as narrow as they can be.

Whole numbers are kept in the smallest integer type that holds them, text in Arrow's compact form; a table takes a
small part of what plain pandas objects take. Kinds are guessed from the first rows; when a later row disagrees,
reading starts again with the wider kind, as pandas would have found it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import IO, TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from mlebench.files import tables
from mlebench.files.ahead import mapped_ahead
from mlebench.files.csv_pieces import Pieces

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_T = TypeVar("_T")
OpenStream: TypeAlias = Callable[[], AbstractContextManager[IO[bytes]]]
_BLOCK = _PIECE = 1 << 20  # bytes that Arrow, and one thread, are given at a time
_BATCH_ROWS = 1 << 16
_PIECE_ROWS = 1 << 12  # where batches are joined anyway, and need not be copied together before
_GUESSED_ROWS = 1000
# The words that pandas takes for a missing value.
MISSING = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
]  # fmt: skip
_WIDER = {"int64": "float64", "float64": "string", "bool": "string"}
_INTEGERS = [np.dtype(kind) for kind in ("int8", "int16", "int32", "int64")]


class _WiderKindError(Exception):
    """A later row needs a wider kind of column than the first rows did."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


def read_lean_csv(open_stream: OpenStream, *, in_pieces: bool = False) -> pd.DataFrame:
    """Read a CSV table; `open_stream()` returns a new binary stream of it from its beginning.

    With `in_pieces` columns of text stay in the pieces in which they were read, of which rows are only to be masked.
    """

    def read(kinds: dict[str, str]) -> pd.DataFrame:
        with open_stream() as stream:
            return _joined(_columns_of(stream, kinds, rows=_PIECE_ROWS), in_pieces)

    return with_kinds(open_stream, read)


def with_kinds(open_stream: OpenStream, use: Callable[[dict[str, str]], _T], *, text: Collection[str] = ()) -> _T:
    """What a function makes of a table whose columns are of the kinds that it is given, by name.

    When it finds, in `batches_of`, that one was guessed too narrowly, it is called again with a wider one. The columns
    `text` are text, whatever they look like.
    """
    with open_stream() as stream:
        kinds = _guess(stream) | dict.fromkeys(text, "string")
    while True:
        try:
            return use(kinds)
        except _WiderKindError as wider:
            kinds[wider.column] = _WIDER[kinds[wider.column]]


def _guess(stream: IO[bytes]) -> dict[str, str]:
    """The kind of each column, from the first rows; the names in the order of the file."""
    kinds = {"i": "int64", "f": "float64", "b": "bool"}
    first = tables.read_csv(stream, nrows=_GUESSED_ROWS)
    return {str(name): kinds.get(kind.kind, "string") for name, kind in first.dtypes.items()}


def batches_of(
    stream: IO[bytes], kinds: dict[str, str], *, columns: Sequence[str] = (), rows: int = _BATCH_ROWS
) -> Iterator[pd.DataFrame]:
    """The rows of a table whose columns are of these kinds, a batch at a time; of all columns, or of some of them.

    Whole numbers may be narrower in one batch than in another. A batch, except the last one, has at least this many
    `rows`.
    """
    import pandas as pd

    for batch in _columns_of(stream, kinds, columns=columns, rows=rows):
        yield pd.DataFrame({name: _for_pandas(column) for name, column in batch.items()}, copy=False)


def _columns_of(
    stream: IO[bytes], kinds: dict[str, str], *, columns: Sequence[str] = (), rows: int
) -> Iterator[dict[str, Any]]:
    """The columns of each batch by name: numbers as arrays of NumPy, text as arrays of Arrow."""
    import pyarrow as pa

    try:
        for batch in _larger(_record_batches(stream, kinds, columns), rows):
            cells = zip(batch.schema.names, batch.columns, strict=True)
            yield {name: _compact(name, column, kinds[name]) for name, column in cells}
    except pa.ArrowInvalid as error:
        place = re.search(r"CSV column #(\d+)", str(error))
        name = list(kinds)[int(place[1])] if place else None
        if name is None or kinds[name] == "string":
            raise ValueError(str(error)) from error
        raise _WiderKindError(name) from error


def _record_batches(stream: IO[bytes], kinds: dict[str, str], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The rows of a table as Arrow has them, parsed by several threads as far as it is certain where rows end."""
    import pyarrow as pa
    from pyarrow import csv

    parsing = csv.ParseOptions(newlines_in_values=True)
    converting = csv.ConvertOptions(
        include_columns=list(columns),
        column_types={name: pa.type_for_alias(kind) for name, kind in kinds.items()},
        null_values=MISSING,
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
        true_values=["True", "TRUE", "true"],
        false_values=["False", "FALSE", "false"],
    )
    table = Pieces(stream, _PIECE, len(kinds))
    # Those of pandas, which tells equal ones apart and gives one to columns that have none.
    names = list(kinds) if table.has_header else []

    def parsed(text: bytes) -> list[pa.RecordBatch]:
        if not text.strip(b"\r\n"):  # Arrow refuses a text without rows
            return []
        reading = csv.ReadOptions(column_names=names, use_threads=False, block_size=len(text) + 1)
        found: list[pa.RecordBatch] = csv.read_csv(pa.py_buffer(text), reading, parsing, converting).to_batches()
        return found

    for batches in mapped_ahead(parsed, table if names else ()):
        yield from batches
    rest = table.rest
    if names and not rest.peek(1):
        return
    with csv.open_csv(rest, csv.ReadOptions(column_names=names, block_size=_BLOCK), parsing, converting) as reader:
        yield from reader


def _larger(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """Batches of a useful size: Arrow reads many blocks ahead, so blocks must be small, and rows come few at a time."""
    import pyarrow as pa

    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(part.num_rows for part in waiting) >= rows:
            yield waiting[0] if len(waiting) == 1 else pa.Table.from_batches(waiting).combine_chunks().to_batches()[0]
            waiting = []
    if waiting:
        yield from pa.Table.from_batches(waiting).combine_chunks().to_batches()


def _compact(name: str, column: Any, kind: str) -> Any:
    """A column of one batch in the narrowest form; a gap in whole numbers makes them floats, as with pandas."""
    if kind == "string":
        return column
    if kind in ("int64", "bool") and column.null_count:
        # Of True, False and gaps pandas makes a mixed column, which is written like text.
        raise _WiderKindError(name)
    values = column.to_numpy(zero_copy_only=False)
    return values.astype(_smallest(values), copy=False) if values.dtype.kind == "i" else values


def _smallest(values: np.ndarray[Any, Any]) -> np.dtype[Any]:
    if not len(values):
        return _INTEGERS[0]
    low, high = values.min(), values.max()
    return next(kind for kind in _INTEGERS if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)


def _for_pandas(column: Any) -> Any:
    """A column in the form that a table of pandas holds without a copy."""
    import pandas as pd

    return column if isinstance(column, np.ndarray) else pd.Series(pd.arrays.ArrowExtensionArray(column))


def _joined(batches: Iterator[dict[str, Any]], in_pieces: bool) -> pd.DataFrame:
    """One table of all batches, put together column by column; what has been put together is let go."""
    import pandas as pd

    parts: dict[str, list[Any]] = {}
    for batch in batches:
        for name, column in batch.items():
            parts.setdefault(name, []).append(column)
    columns = {}
    for name in list(parts):
        columns[name] = _for_pandas(_joined_column(parts.pop(name), in_pieces))
        release_memory()
    return pd.DataFrame(columns, copy=False)


def _joined_column(parts: list[Any], in_pieces: bool) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    import pyarrow as pa

    pieces = pa.chunked_array(parts)
    # In one piece where it fits: rows cannot be taken from many pieces without copying them together first.
    return pieces if in_pieces else pieces.combine_chunks()


def release_memory() -> None:
    """Give memory that Arrow keeps for later back to the system."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
