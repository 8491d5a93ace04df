"""Reading and writing tables, byte for byte as the published benchmark does.

pandas 3 infers a string type of its own where pandas 2 has plain objects; missing values, comparisons and
conversions to text then differ. All tables here are read with plain objects, so that competitions behave
alike under every version of pandas.
"""

from __future__ import annotations

import csv
import io
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def plain_strings() -> Iterator[None]:
    """Within this block pandas infers object columns for text, whatever its version."""
    import pandas as pd

    with warnings.catch_warnings():
        # pandas 3 announces that pandas 4 will drop the option; pyproject admits no pandas 4.
        warnings.filterwarnings("ignore", message=".*infer_string")
        with pd.option_context("future.infer_string", False):
            yield


def read_csv(source: str | Path | IO[bytes], **options: Any) -> pd.DataFrame:
    """Read a CSV file with correctly rounded floats and text as plain objects; options are those of pandas."""
    import pandas as pd

    options.setdefault("float_precision", "round_trip")
    with plain_strings():
        warnings.filterwarnings("ignore", message=".*float_precision")  # pandas 3 announces the same for this one
        return pd.read_csv(source, **options)


def read_csv_as_pandas_2(data: bytes, **options: Any) -> pd.DataFrame:
    """Read a CSV file with floats as pandas 2 reads them by default: long ones may be off in the last digit."""
    from mlebench.files.floats import as_pandas_2

    correct = read_csv(io.BytesIO(data), **options)
    floats = [name for name, kind in correct.dtypes.items() if kind == "float64"]
    texts = read_csv(io.BytesIO(data), **options, usecols=floats, dtype=str)
    return correct.assign(**{name: as_pandas_2(correct[name], texts[name]) for name in floats})


def with_plain_strings(frame: pd.DataFrame) -> pd.DataFrame:
    """The same table with pandas 3's string columns turned into plain objects (NaN where a value is missing)."""
    import pandas as pd

    texts = [name for name, kind in frame.dtypes.items() if isinstance(kind, pd.StringDtype)]
    return frame.astype(dict.fromkeys(texts, object)) if texts else frame


def write_csv(path: Path, frame: pd.DataFrame, **options: Any) -> None:
    """Write a CSV file as pandas does by default, without the index; large tables the fast way, same bytes.

    A name that ends in `.zip` makes an archive that holds the one file, stored without compression.
    """
    if path.suffix == ".zip":
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive,
            archive.open(path.stem, "w", force_zip64=True) as member,
        ):
            write_stream(member, frame, **options)
    else:
        with path.open("wb") as file:
            write_stream(file, frame, **options)


def write_stream(file: IO[bytes], frame: pd.DataFrame, **options: Any) -> None:
    """Write a table to an open file as `write_csv` does."""
    from mlebench.files import csv_writer

    options.setdefault("index", False)
    if csv_writer.can_write(frame, options):
        quoting = options.get("quoting", csv.QUOTE_MINIMAL)
        csv_writer.write(file, frame, quoting=quoting, float_format=options.get("float_format"))
    else:
        frame.to_csv(file, **options)


def load_answers(path: Path) -> Any:
    """The answers of a competition: a table for CSV, a list of records for JSON lines."""
    if path.suffix == ".jsonl":
        return read_jsonl(path)
    return read_csv(path)


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
