"""Reading submissions, with a clear sentence for every way in which a file is not a CSV table."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.errors import InvalidSubmissionError
from mlebench.files.tables import read_csv

if TYPE_CHECKING:
    import pandas as pd

_MEGABYTE = 1 << 20
# A submission may be this much larger than the answers before it is refused unread.
_SIZE_FACTOR, _SIZE_FLOOR = 10, 256 * _MEGABYTE
_SIGNATURES = {
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "a gzip file",
    b"PAR1": "a Parquet file",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"%PDF": "a PDF document",
    b"\x80\x04": "a Python pickle",
    b"\x80\x05": "a Python pickle",
    b"\x93NUMPY": "a NumPy array",
    b"7z\xbc\xaf": "a 7z archive",
}
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_submission(path: Path, *, answers_size: int | None = None) -> pd.DataFrame:
    """The table in a submission file.

    Raises InvalidSubmissionError for a file that is missing, empty, binary, not UTF-8, not a CSV, far larger than
    the answers (`answers_size`, in bytes), or that names a column twice. A UTF-8 byte order mark is passed over.
    """
    _check_file(path, answers_size)
    with path.open("rb") as file:
        start = file.read(_MEGABYTE)
    _check_bytes(path, start)
    header = _header(start)
    _check_header(path, header)
    try:
        return read_csv(path)
    except UnicodeDecodeError as error:
        raise InvalidSubmissionError(
            f"{path.name} is not UTF-8 text (a byte {error.object[error.start]:#04x} is wrong); "
            "save it again with the encoding UTF-8."
        ) from error
    except ValueError as error:  # pandas.errors.ParserError and EmptyDataError among them
        reason = str(error).strip().split("\n")[0]
        raise InvalidSubmissionError(f"{path.name} cannot be read as CSV: {reason}") from error
    except MemoryError as error:
        raise InvalidSubmissionError(f"{path.name} does not fit into memory.") from error


def _check_file(path: Path, answers_size: int | None) -> None:
    if path == Path():  # a list of submissions says `null` where there is none
        raise InvalidSubmissionError("There is no submission.")
    if not path.exists():
        raise InvalidSubmissionError(f"There is no submission at {path}.")
    if not path.is_file():
        raise InvalidSubmissionError(f"{path} is a folder, not a CSV file.")
    if path.suffix.lower() != ".csv":
        raise InvalidSubmissionError(f"The name of {path.name} does not end in .csv; only such files are graded.")
    size = path.stat().st_size
    if size == 0:
        raise InvalidSubmissionError(f"{path.name} is empty: it has no header and no rows.")
    if answers_size is not None and size > max(_SIZE_FLOOR, _SIZE_FACTOR * answers_size):
        raise InvalidSubmissionError(
            f"{path.name} has {size / _MEGABYTE:,.0f} MB, but the answers have {answers_size / _MEGABYTE:,.1f} MB; "
            "write one row per row of the sample submission and only its columns."
        )


def _check_bytes(path: Path, start: bytes) -> None:
    for signature, what in _SIGNATURES.items():
        if start.startswith(signature):
            raise InvalidSubmissionError(f"{path.name} is {what}, not a CSV file.")
    if start.startswith(_WIDE_MARKS):
        raise InvalidSubmissionError(f"{path.name} is UTF-16 text; save it again with the encoding UTF-8.")
    if b"\x00" in start:
        raise InvalidSubmissionError(f"{path.name} is a binary file, not a CSV file.")
    if not start.strip():
        raise InvalidSubmissionError(f"{path.name} holds nothing but blank lines.")


def _header(start: bytes) -> list[str]:
    text = start.decode("utf-8-sig", errors="replace")
    for row in csv.reader(text.splitlines(keepends=True)):
        if row:
            return row
    return []


def _check_header(path: Path, header: list[str]) -> None:
    repeated = [name for name, count in Counter(header).items() if count > 1]
    if repeated:
        raise InvalidSubmissionError(f"{path.name} names the column {repeated[0]!r} twice; keep one of them.")
    if len(header) == 1:
        for separator, word in ((";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")):
            if separator in header[0]:
                raise InvalidSubmissionError(f"{path.name} is separated by {word}; separate its columns by commas.")
