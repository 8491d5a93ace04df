"""Reading submissions, with a clear sentence for every way in which a file is not a CSV table."""

from __future__ import annotations

import csv
import errno
import io
import os
import stat
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mlebench.base.codes import RefusalCode
from mlebench.base.wording import plain, quote
from mlebench.errors import InvalidSubmissionError
from mlebench.files.csv_errors import csv_line, csv_problem
from mlebench.files.tables import read_csv

if TYPE_CHECKING:
    import pandas as pd

_MEGABYTE = 1 << 20
# A submission may be this much larger than the answers or the sample, or have this much per row of the sample; beyond
# that it is refused unread, since reading takes some twenty times the memory of the file.
_SIZE_FACTOR, _SIZE_FLOOR = 10, 16 * _MEGABYTE
_PER_ROW, _MOST_BY_ROWS = 64 << 10, 256 * _MEGABYTE
_MOST_COLUMNS = 20_000  # pandas takes some kilobytes for each
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
_MARK = b"\xef\xbb\xbf"  # UTF-8's byte order mark
_WIDE = {  # longer marks first: that of UTF-32 begins with that of UTF-16
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_LEADING = 100  # cells of a column that are looked at for a number that is too large
_TOO_LARGE = r"\s*\+?\d{20,}\s*"
_INFINITE = r"\s*\+?(?i:inf|infinity)\s*"
# What the system says about a path that no file can have.
_NO_SUCH_FILE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL)


def largest_submission(answers: Path, sample: Path) -> int:
    """The size in bytes beyond which a submission is refused unread: in proportion to what there is to predict.

    A prediction may be longer than what the sample shows (a mask, a list of boxes), so every row may have some space.
    """
    sizes = [path.stat().st_size for path in (answers, sample) if path.is_file()]
    by_rows = min(_MOST_BY_ROWS, _PER_ROW * _lines(sample, _MOST_BY_ROWS // _PER_ROW))
    return max(_SIZE_FLOOR, by_rows, *(_SIZE_FACTOR * size for size in sizes))


def _lines(path: Path, enough: int) -> int:
    """How many lines a file has, or that they are enough."""
    if not path.is_file():
        return 0
    count = 0
    with path.open("rb") as file:
        while count < enough and (block := file.read(_MEGABYTE)):
            count += block.count(b"\n")
    return count


def read_submission(path: Path, *, largest: int | None = None, text_columns: Collection[str] = ()) -> pd.DataFrame:
    """The table in a submission file, whose `text_columns` are text, whatever is in them.

    Raises InvalidSubmissionError for a file that is missing, empty, binary, not UTF-8, not a CSV, larger than
    `largest` bytes, or that names a column twice. A UTF-8 byte order mark is passed over.
    """
    if path == Path():  # a list of submissions says `null` where there is none
        raise _refusal(RefusalCode.NO_SUBMISSION, "There is no submission.")
    name = plain(path.name, 100)
    with _opened(path) as file:
        if path.suffix.lower() != ".csv":
            sentence = f"The name of {name} does not end in .csv; only such files are graded."
            raise _refusal(RefusalCode.WRONG_NAME, sentence)
        _check_size(name, os.fstat(file.fileno()).st_size, largest)
        start = file.read(_MEGABYTE)
        _check_bytes(name, start)
        _check_header(name, start)
        file.seek(0)
        try:
            return _read_as_pandas_2(file, text_columns)
        except UnicodeDecodeError as error:
            line = _line_that_is_not_utf8(file)
            raise InvalidSubmissionError(
                f"{name} is not UTF-8 text (a byte {error.object[error.start]:#04x} is wrong); "
                "save it again with the encoding UTF-8.",
                code=RefusalCode.WRONG_ENCODING,
                file=name,
                line=line,
            ) from error
        except (ValueError, OverflowError) as error:  # pandas.errors.ParserError and EmptyDataError among them
            problem, line = csv_problem(error), csv_line(error)
            raise InvalidSubmissionError(
                f"{name} cannot be read as CSV: {problem}.", code=RefusalCode.UNREADABLE, file=name, line=line
            ) from error
        except MemoryError as error:
            raise _refusal(RefusalCode.TOO_LARGE, f"{name} does not fit into memory.") from error


def _read_as_pandas_2(file: IO[bytes], text_columns: Collection[str]) -> pd.DataFrame:
    """The table in a file; a number that is too large for its type makes its whole column text, as in pandas 2.

    pandas 3 reads such a column as Python's integers, or 1e400 as infinite, and where the column begins with such a
    number among words, empty cells too as text: the same file would have another score.
    """
    import numpy as np

    table = read_csv(file, text=text_columns)
    columns = [column for _, column in table.items()]
    whole = [
        place
        for place, column in enumerate(columns)
        if column.dtype.kind == "O" and column.name not in text_columns and _begins_too_large(column)
    ]
    infinite = [place for place, column in enumerate(columns) if column.dtype.kind == "f" and (column == np.inf).any()]
    if not whole and not infinite:
        return table
    file.seek(0)
    # Without labels: those of rows that are longer than the header are text here and numbers above.
    texts = read_csv(file, dtype=str).reset_index(drop=True)
    written = {place: texts.iloc[:, place][(columns[place] == np.inf).to_numpy()] for place in infinite}
    for place in whole + [place for place in infinite if not written[place].str.fullmatch(_INFINITE).all()]:
        table.isetitem(place, texts.iloc[:, place].to_numpy())
    return table


def _begins_too_large(column: pd.Series[Any]) -> bool:
    """Whether a column has Python's integers, or one of its first texts is a whole number that no 64 bits hold."""
    from pandas.api.types import infer_dtype

    if infer_dtype(column) == "integer":
        return True
    return bool(column.head(_LEADING).astype(str).str.fullmatch(_TOO_LARGE).any())


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The file, opened once and without waiting: what is checked is what is read, whatever takes its place."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:  # ValueError: a null character or a lone surrogate in the path
        if not isinstance(error, OSError) or error.errno in _NO_SUCH_FILE:
            sentence = f"There is no submission at {plain(str(path), 400)}."
            raise _refusal(RefusalCode.NO_SUBMISSION, sentence) from error
        if error.errno == errno.ENXIO:
            raise _not_a_file(path, "a socket") from error
        if error.errno in (errno.EISDIR, errno.EACCES) and path.is_dir():  # as Windows says it
            raise _not_a_file(path, "a folder") from error
        raise
    mode = os.fstat(descriptor).st_mode
    for is_kind, word in _KINDS:
        if is_kind(mode):
            os.close(descriptor)
            raise _not_a_file(path, word)
    with os.fdopen(descriptor, "rb") as file:
        yield file


def _line_that_is_not_utf8(file: IO[bytes]) -> int | None:
    """The first line with a byte that is not UTF-8."""
    file.seek(0)
    for number, line in enumerate(file, start=1):
        try:
            line.decode()
        except UnicodeDecodeError:
            return number
    return None


def _not_a_file(path: Path, what: str) -> InvalidSubmissionError:
    return _refusal(RefusalCode.NOT_A_FILE, f"{plain(str(path), 400)} is {what}, not a CSV file.")


def _refusal(code: RefusalCode, sentence: str) -> InvalidSubmissionError:
    return InvalidSubmissionError(sentence, code=code)


def _check_size(name: str, size: int, largest: int | None) -> None:
    if size == 0:
        raise _refusal(RefusalCode.EMPTY_FILE, f"{name} is empty: it has no header and no rows.")
    if largest is not None and size > largest:
        raise InvalidSubmissionError(
            f"{name} has {size / _MEGABYTE:,.0f} MB, but at most {largest / _MEGABYTE:,.0f} MB are read for this "
            "competition; write one row per row of the sample submission and only its columns.",
            code=RefusalCode.TOO_LARGE,
        )


def _check_bytes(name: str, start: bytes) -> None:
    for signature, what in _SIGNATURES.items():
        if start.startswith(signature):
            raise _refusal(RefusalCode.NOT_CSV, f"{name} is {what}, not a CSV file.")
    if wide := _wide_encoding(start):
        sentence = f"{name} is {wide} text; save it again with the encoding UTF-8."
        raise _refusal(RefusalCode.WRONG_ENCODING, sentence)
    if b"\x00" in start:
        raise _refusal(RefusalCode.NOT_CSV, f"{name} is a binary file, not a CSV file.")
    if start.startswith(_MARK * 2):
        sentence = f"{name} begins with two byte order marks; save it again without them."
        raise _refusal(RefusalCode.WRONG_ENCODING, sentence)
    text = start.removeprefix(_MARK).lstrip()
    if not text:
        raise _refusal(RefusalCode.EMPTY_FILE, f"{name} holds nothing but blank lines.")
    if text.startswith((b"{", b"[")):
        sentence = f"{name} is JSON, not CSV; write a header line, then one line per row."
        raise _refusal(RefusalCode.NOT_CSV, sentence)
    if text[:9].lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        raise _refusal(RefusalCode.NOT_CSV, f"{name} is a web page, not a CSV file.")


def _wide_encoding(start: bytes) -> str | None:
    """UTF-16 or UTF-32, if that is what a text is in: by its mark, or by the zeros in its first characters."""
    for mark, encoding in _WIDE.items():
        if start.startswith(mark):
            return encoding
    zeros = [byte == 0 for byte in start[:16]]
    for width, encoding in ((4, "UTF-32"), (2, "UTF-16")):
        if len(zeros) == 16 and sum(zeros) == 16 - 16 // width:
            columns = [set(zeros[place::width]) for place in range(width)]
            if columns[0] == {False} or columns[-1] == {False}:
                return encoding
    return None


def _check_header(name: str, start: bytes) -> None:
    if max(line.count(b",") for line in start.splitlines()) >= _MOST_COLUMNS:
        raise _refusal(
            RefusalCode.TOO_LARGE,
            f"{name} has a line of more than {_MOST_COLUMNS:,} cells; write only the columns of the sample submission.",
        )
    if len(start) == _MEGABYTE and b"\n" not in start and b"\r" not in start:
        raise _refusal(RefusalCode.TOO_LARGE, f"The first line of {name} is longer than 1 MB; it must be a header.")
    header = _header(name, start)
    repeated = [column for column, count in Counter(header).items() if count > 1]
    if repeated == [""]:
        sentence = f"{name} has {header.count('')} columns without a name; remove the commas that are too many."
        raise _refusal(RefusalCode.UNNAMED_COLUMNS, sentence)
    if repeated:
        column = quote(next(filter(None, repeated)))
        raise _refusal(RefusalCode.DUPLICATE_COLUMNS, f"{name} names the column {column} twice; keep one of them.")
    if len(header) == 1:
        for separator, word in ((";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")):
            if separator in header[0]:
                sentence = f"{name} is separated by {word}; separate its columns by commas."
                raise _refusal(RefusalCode.WRONG_SEPARATOR, sentence)


def _header(name: str, start: bytes) -> list[str]:
    text = start.decode("utf-8-sig", errors="replace")
    try:
        return next(filter(None, csv.reader(io.StringIO(text, newline=""))), [])
    except csv.Error as error:  # a cell of more than 131,072 characters
        raise InvalidSubmissionError(
            f"The header of {name} has a cell of more than 100,000 characters; a quotation mark may not be closed.",
            code=RefusalCode.UNREADABLE,
        ) from error


def shifted_columns(submission: pd.DataFrame) -> InvalidSubmissionError | None:
    """The refusal of a table whose rows have more cells than its header, so that pandas took a column for labels.

    Such a table is not refused for this alone: the published graders score it where the rest of it is right.
    """
    import pandas as pd

    if isinstance(submission.index, pd.RangeIndex):
        return None
    return _refusal(
        RefusalCode.SHIFTED_COLUMNS,
        "The rows have more cells than the first line has names, so that every value is in the wrong column; "
        "the first line must name every column, and no row may end in a comma.",
    )
