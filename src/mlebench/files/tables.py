"""Reading and writing tables, byte for byte as the published benchmark does.

pandas 3 infers a string type of its own where pandas 2 has plain objects; missing values, comparisons and
conversions to text then differ. All tables here come with plain objects, so that competitions behave alike
under every version of pandas. Reading switches no option of pandas: what is read is converted, so that other
threads of the same process never see another pandas than their own.
"""

from __future__ import annotations

import csv
import io
import math
import re
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING, Any

from mlebench.base import progress
from mlebench.errors import MlebenchError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

_OPTION = "future.infer_string"
_HUGE_EXPONENT = re.compile(r"[eE][+-]?[0-9]{6,}")  # of a number that is infinite or 0
_SAMPLE = 1000  # rows that tell whether a column repeats its texts


class _PlainStrings:
    """How many blocks of `plain_strings` are running, and what the option was before the first of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running = 0
        self._before: Any = None

    def begin(self) -> None:
        import pandas as pd

        with self._lock:
            if self._running == 0:
                self._before = pd.get_option(_OPTION)
                if self._before is not False:
                    pd.set_option(_OPTION, False)
            self._running += 1

    def end(self) -> None:
        import pandas as pd

        with self._lock:
            self._running -= 1
            if self._running == 0 and self._before is not False:
                pd.set_option(_OPTION, self._before)


_plain_strings = _PlainStrings()


@contextmanager
def plain_strings() -> Iterator[None]:
    """Within this block pandas makes object columns of text, whatever its version: for code that builds tables.

    It switches an option of pandas for the whole process, so it is for preparation and twins only; reading and
    grading do without. Blocks may overlap in several threads: the first sets the option, the last restores it.
    """
    _plain_strings.begin()
    try:
        yield
    finally:
        _plain_strings.end()


def read_csv(source: str | Path | IO[bytes], *, text: Collection[str] = (), **options: Any) -> pd.DataFrame:
    """Read a CSV file with correctly rounded floats and text as plain objects; options are those of pandas.

    Cells of the columns `text` are taken as they are written: "NA" and "007" are texts, and an empty cell is "".
    """
    import pandas as pd

    if text:
        return _read_with_text(source, text, options)
    if _needs_float_precision(pd.__version__):
        options.setdefault("float_precision", "round_trip")
    found = pd.read_csv(source, **options)
    return with_plain_strings(found) if isinstance(found, pd.DataFrame) else found


def _read_with_text(source: str | Path | IO[bytes], text: Collection[str], options: dict[str, Any]) -> pd.DataFrame:
    from mlebench.files.csv_reader import MISSING

    if not isinstance(source, str | Path):
        source = io.BytesIO(source.read())
    names = list(read_csv(source, **options | {"nrows": 0}).columns)
    if not isinstance(source, str | Path):
        source.seek(0)
    # Which words are missing values can only be said for all columns at once, or for each of them.
    others = {name: MISSING for name in names if name not in text}
    kinds = {name: str for name in names if name in text}
    return read_csv(source, **options, dtype=kinds, keep_default_na=False, na_values=others)


def to_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """Text and objects as numbers, NaN for what is none.

    pandas 2 ends the whole process on a text such as 1e77934828710379, whose exponent no integer of its parser holds.
    """
    import pandas as pd

    def safe(value: Any) -> Any:
        return _number(value) if isinstance(value, str) and _HUGE_EXPONENT.search(value) else value

    is_at_risk = pd.__version__.startswith("2.") and column.dtype.kind not in "biuf"
    if is_at_risk and any(safe(value) is not value for value in column):
        column = pd.Series([safe(value) for value in column], column.index, dtype=object, name=column.name)
    return pd.to_numeric(column, errors="coerce")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


@cache
def _needs_float_precision(version: str) -> bool:
    """From pandas 3.1 on all floats are correctly rounded, and the option is deprecated.

    In 3.0 the option spoils whole numbers behind texts such as 2e3260eb: types change, and empty cells become 0.
    """
    release = tuple(int(part) for part in version.split(".")[:2])
    if release == (3, 0):
        raise MlebenchError(
            f"pandas {version} misreads some tables, so that scores would be wrong.",
            hint="Install another one: pip install 'pandas!=3.0.*'",
        )
    return release < (3, 1)


def read_csv_as_pandas_2(data: bytes, **options: Any) -> pd.DataFrame:
    """Read a CSV file with floats as pandas 2 reads them by default: long ones may be off in the last digit."""
    from mlebench.files.floats import as_pandas_2

    correct = read_csv(io.BytesIO(data), **options)
    floats = [name for name, kind in correct.dtypes.items() if kind == "float64"]
    texts = read_csv(io.BytesIO(data), **options, usecols=floats, dtype=str)
    return correct.assign(**{name: as_pandas_2(correct[name], texts[name]) for name in floats})


def with_plain_strings(frame: pd.DataFrame) -> pd.DataFrame:
    """The same table with pandas 3's string columns and labels turned into plain objects (NaN where one is missing)."""
    import pandas as pd

    texts = [place for place, kind in enumerate(frame.dtypes) if isinstance(kind, pd.StringDtype)]
    labels = any(isinstance(axis.dtype, pd.StringDtype) for axis in frame.axes)
    if not texts and not labels:
        return frame
    plain = frame.copy(deep=False)
    for place in texts:
        plain.isetitem(place, _plain_column(frame.iloc[:, place]))
    plain.columns, plain.index = (
        axis.astype(object) if isinstance(axis.dtype, pd.StringDtype) else axis for axis in (plain.columns, plain.index)
    )
    return plain


def _plain_column(column: pd.Series[Any]) -> pd.Series[Any]:
    """A string column as plain objects; where few texts occur, each is in memory once, as when pandas 2 reads them."""
    import numpy as np
    import pandas as pd

    if column.dtype.na_value is pd.NA or column.head(_SAMPLE).nunique() > _SAMPLE // 10:
        return column.astype(object)
    codes, words = pd.factorize(column)
    cells = np.append(words.to_numpy(dtype=object), np.nan)[codes]  # the code of a missing value is -1
    return pd.Series(cells, index=column.index, name=column.name, dtype=object)


def write_csv(path: Path, frame: pd.DataFrame, *, rows: NDArray[np.bool_] | None = None, **options: Any) -> None:
    """Write a CSV file as pandas does by default, without the index; large tables the fast way, same bytes.

    `rows` is a mask of the rows to write, where these are not all. A name that ends in `.zip` makes an archive that
    holds the one file, stored without compression.
    """
    if path.suffix == ".zip":
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive,
            archive.open(path.stem, "w", force_zip64=True) as member,
        ):
            _write_stream(member, frame, rows, path.name, options)
    else:
        with path.open("wb") as file:
            _write_stream(file, frame, rows, path.name, options)


def _write_stream(
    file: IO[bytes], frame: pd.DataFrame, rows: NDArray[np.bool_] | None, name: str, options: dict[str, Any]
) -> None:
    from mlebench.files import csv_writer

    options.setdefault("index", False)
    if csv_writer.can_write(frame, options):
        quoting = options.get("quoting", csv.QUOTE_MINIMAL)
        float_format = options.get("float_format")
        csv_writer.write(file, frame, rows=rows, quoting=quoting, float_format=float_format, name=name)
    else:
        with progress.stage("write", name):
            (frame if rows is None else frame[rows]).to_csv(file, **options)


def rows_where(frame: pd.DataFrame, mask: NDArray[np.bool_]) -> pd.DataFrame:
    """The rows of a table for which a mask is true, numbered from 0; those of a large one without copying the others.

    >>> import numpy as np, pandas as pd
    >>> rows_where(pd.DataFrame({"a": [1, 2, 3]}), np.array([True, False, True]))["a"].tolist()
    [1, 3]
    """
    import pandas as pd

    # Column by column: a mask of a table is turned into positions, for which the pieces of a column are joined first.
    return pd.DataFrame({name: column.array[mask] for name, column in frame.items()}, copy=False)


def joined_cells(columns: Sequence[pd.Series[Any]], by: str) -> pd.Series[Any]:
    """The cells of each row of some columns, whole numbers or texts without gaps, as one text.

    >>> import pandas as pd
    >>> joined_cells([pd.Series([1, 2]), pd.Series(["a", "b"])], "_").tolist()
    ['1_a', '2_b']
    """
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = [pc.cast(pa.array(column, from_pandas=True), pa.string()) for column in columns]
    joined = pc.binary_join_element_wise(*texts, by)
    return pd.Series(pd.arrays.ArrowExtensionArray(joined), index=columns[0].index)


def load_answers(path: Path, text_columns: Collection[str] = ()) -> Any:
    """The answers of a competition: a table for CSV, a list of records for JSON lines."""
    if path.suffix == ".jsonl":
        return read_jsonl(path)
    return read_csv(path, text=text_columns)


def read_jsonl(path: str | Path, skip_commented_out_lines: bool = False) -> list[dict[str, Any]]:
    """The records of a JSON lines file; optionally without lines that begin with # or //."""
    import json

    records = []
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            if skip_commented_out_lines and line.lstrip().startswith(("#", "//")):
                continue
            if line.strip():
                records.append(json.loads(line))
    return records
