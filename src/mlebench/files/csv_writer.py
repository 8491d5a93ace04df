"""Writing large tables as CSV: the bytes of pandas, several times faster and in little memory.

Columns are turned into text by Arrow a batch of rows at a time, rows are joined there too, and the joined buffer goes
to the file as it is. Where Arrow would write a number differently from Python (1e10 and more, less than 1e-4), Python
writes it. A table with anything unusual in it is left to pandas.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mlebench.base import progress
from mlebench.files import csv_integers, tables
from mlebench.files.ahead import mapped_ahead

if TYPE_CHECKING:
    import pandas as pd

_BATCH_ROWS = 1 << 16
_SMALL = 20_000  # cells below which pandas is quick enough and starting Arrow is not worth it
# What forces quotes. Python 3.13 began to quote a lone carriage return too; the published files do not.
_SPECIAL = '",\n'
_PLAIN_FORMAT = re.compile(r"%\.\d+[efg]")


def can_write(frame: pd.DataFrame, options: dict[str, Any]) -> bool:
    """Whether this table and these options of `DataFrame.to_csv` are covered; anything else is for pandas."""
    known = {"index", "quoting", "float_format"}
    if frame.size < _SMALL or frame.shape[1] < 2 or options.keys() - known or options["index"]:
        return False
    quoting = options.get("quoting", csv.QUOTE_MINIMAL)
    if quoting not in (csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC):
        return False
    float_format = options.get("float_format")
    if float_format is not None and not (quoting == csv.QUOTE_MINIMAL and _PLAIN_FORMAT.fullmatch(str(float_format))):
        return False
    if not frame.columns.is_unique or not all(isinstance(name, str) for name in frame.columns):
        return False
    return all(_is_covered(frame.iloc[:, place]) for place in range(frame.shape[1]))


def _is_covered(column: pd.Series[Any]) -> bool:
    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind != "O":
        return kind.kind in "iub" or kind == np.float64
    return _is_text(column)


def _is_text(column: pd.Series[Any]) -> bool:
    import pandas as pd

    kind = column.dtype
    if isinstance(kind, pd.StringDtype):
        return True
    if isinstance(kind, pd.ArrowDtype):
        return "string" in str(kind)
    return kind.kind == "O" and pd.api.types.infer_dtype(column, skipna=True) in ("string", "empty")


def write(
    file: IO[bytes],
    frame: pd.DataFrame,
    *,
    rows: NDArray[np.bool_] | None = None,
    quoting: Any = csv.QUOTE_MINIMAL,
    float_format: str | None = None,
    name: str = "",
) -> None:
    """Write a table for which `can_write` holds, or the rows of it for which a mask is true.

    `name` is what displays call it.
    """
    quote_all = quoting == csv.QUOTE_NONNUMERIC
    file.write(header(list(frame.columns), quoting))
    starts = range(0, len(frame), _BATCH_ROWS)

    def batch(start: int) -> Lines:
        part = frame.iloc[start : start + _BATCH_ROWS]
        if rows is not None:
            part = tables.rows_where(part, rows[start : start + _BATCH_ROWS])
            if part.empty:
                return Lines(b"", np.zeros(0, np.int64))
        return lines(part, quote_all=quote_all, float_format=float_format)

    total = len(frame) if rows is None else int(np.count_nonzero(rows))
    with progress.stage("write", name, total=total, unit="rows") as stage:
        for done in mapped_ahead(batch, starts):
            file.write(done.text)
            stage.advance(len(done.ends))


def header(names: Sequence[str], quoting: Any = csv.QUOTE_MINIMAL) -> bytes:
    """The line with the names of the columns."""
    text = io.StringIO()
    csv.writer(text, quoting=quoting, lineterminator="\n").writerow(names)
    return text.getvalue().encode("utf-8")


@dataclass(frozen=True)
class Lines:
    """Rows as CSV text: one buffer, and where in it each row ends."""

    text: Any
    ends: NDArray[np.int64]


def lines(rows: pd.DataFrame, *, quote_all: bool = False, float_format: str | None = None) -> Lines:
    """A batch of rows as CSV text; with `quote_all` everything but numbers is quoted."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [rows.iloc[:, place] for place in range(rows.shape[1])]
    runs = [(is_whole, list(run)) for is_whole, run in groupby(columns, _is_whole)]
    if len(runs) == 1 and runs[0][0]:
        text, ends = csv_integers.joined([column.to_numpy() for column in columns], b"\n")
        return Lines(pa.py_buffer(text), ends)
    cells: list[tuple[Any, str]] = []  # and the quote on both sides of them
    for is_whole, run in runs:
        if is_whole and len(run) > 1:
            cells.append((_joined_numbers(run), ""))
        else:
            quote = '"' if quote_all and not is_whole else ""
            cells += [(_cells(column, quote_all, float_format), quote if _is_text(column) else "") for column in run]
    missing = '""' if quote_all else ""
    if quote_all:
        ended = pc.binary_join_element_wise(*_in_quotes(cells), "", null_handling="replace", null_replacement=missing)
    else:
        texts = [text for text, _ in cells]
        joined = pc.binary_join_element_wise(*texts, ",", null_handling="replace", null_replacement=missing)
        ended = pc.binary_join_element_wise(joined, "", "\n")
    if isinstance(ended, pa.ChunkedArray):
        ended = ended.combine_chunks()
    _, offsets, data = ended.buffers()
    width = np.int64 if pa.types.is_large_string(ended.type) else np.int32
    ends = np.frombuffer(offsets, dtype=width)[ended.offset : ended.offset + len(ended) + 1].astype(np.int64)
    return Lines(data[int(ends[0]) : int(ends[-1])], ends[1:] - ends[0])


def _in_quotes(cells: list[tuple[Any, str]]) -> Iterator[Any]:
    """What makes a row: cells, and between them a comma with the quotes of both neighbours."""
    before = ""
    for text, quote in cells:
        if before or quote:
            yield before + quote
        yield text
        before = f"{quote},"
    yield f"{before[:-1]}\n"


def _is_whole(column: pd.Series[Any]) -> bool:
    return isinstance(column.dtype, np.dtype) and csv_integers.can_join(column.to_numpy())


def _joined_numbers(columns: list[pd.Series[Any]]) -> Any:
    """Neighbouring columns of whole numbers as one of text, commas included."""
    import pyarrow as pa

    text, ends = csv_integers.joined([column.to_numpy() for column in columns], b"")
    offsets = np.concatenate([np.zeros(1, np.int32), ends.astype(np.int32)])
    return pa.StringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(text))


def _cells(column: pd.Series[Any], quote_all: bool, float_format: str | None) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind != "O":
        values = column.to_numpy()
        if kind.kind == "f":
            return _floats(values, float_format)
        if kind.kind == "b":
            return pc.if_else(pa.array(values), "True", "False")
        return pc.cast(pa.array(values), pa.string())
    # Columns that are Arrow's already bring their own width; a batch always fits the narrow one.
    return _texts(pc.cast(pa.array(column, from_pandas=True), pa.string()), quote_all)


def _floats(values: np.ndarray[Any, np.dtype[np.float64]], float_format: str | None) -> Any:
    """Floats as Python writes them, or in a format such as "%.10g"; NaN becomes null, which is written as nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    distinct, codes = _few_distinct(values)
    if distinct is not None:
        return _floats(distinct, float_format).take(pa.array(codes))
    if float_format is not None:
        formatted = [None if value != value else float_format % value for value in values.tolist()]
        return pa.array(formatted, pa.string())
    size = np.nan_to_num(np.abs(values), posinf=np.inf)
    whole = (size == np.floor(size)) & (size < 1e10)
    text = pc.cast(pa.array(values, from_pandas=True), pa.string())
    text = pc.if_else(pa.array(whole), pc.binary_join_element_wise(text, "0", "."), text)
    odd = ((size < 1e-4) & (size > 0)) | (size >= 1e10)
    if odd.any():
        text = pc.replace_with_mask(text, pa.array(odd), pa.array([repr(value) for value in values[odd].tolist()]))
    return text


def _few_distinct(values: Any) -> tuple[Any, Any]:
    """The distinct values and their places, where so few occur that formatting each once is quicker."""
    if len(values) < 4096 or len(np.unique(values[:1024])) > 256:
        return None, None
    import pandas as pd

    codes, distinct = pd.factorize(values, use_na_sentinel=False)
    # -0.0 and 0.0 are equal but written differently.
    if len(distinct) > len(values) // 8 or ((distinct == 0).any() and np.signbit(values[values == 0]).any()):
        return None, None
    return distinct, codes


def _texts(texts: Any, quote_all: bool) -> Any:
    """Text cells with what they need inside and around them; those that are all quoted get their quotes later."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    if quote_all:
        texts = pc.fill_null(texts, "") if texts.null_count else texts
        return _with_doubled_quotes(texts) if _has(texts, '"') else texts
    if not any(_has(texts, character) for character in _SPECIAL):
        return texts
    special = pc.fill_null(pc.match_substring_regex(texts, f"[{_SPECIAL}]"), False)
    if not pc.any(special).as_py():
        return texts
    quoted = pc.binary_join_element_wise('"', _with_doubled_quotes(texts.filter(special)), '"', "")
    return pc.replace_with_mask(texts, special, quoted)


def _has(texts: Any, character: str) -> bool:
    """Whether a character is anywhere in a column."""
    _, offsets, data = texts.buffers()
    if data is None or not len(texts):
        return False
    places = np.frombuffer(offsets, np.int32)
    # The buffer may be that of a whole table, of which these are some rows.
    used = np.frombuffer(data, np.uint8)[places[texts.offset] : places[texts.offset + len(texts)]]
    return bool((used == ord(character)).any())


def _with_doubled_quotes(texts: Any) -> Any:
    import pyarrow.compute as pc

    return pc.replace_substring(texts, '"', '""')
