"""Where in its file a submission breaks a rule: name and line, as compilers write it. Looked up for refusals only."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.base.wording import plain
from mlebench.errors import InvalidSubmissionError

if TYPE_CHECKING:
    import pandas as pd

_LARGEST = 200 << 20  # bytes of a file that is read once more for the number of a line
_LONGEST_VALUE = 60  # characters of a cell that are kept


def located(refusal: InvalidSubmissionError, path: Path, submission: pd.DataFrame) -> InvalidSubmissionError:
    """The refusal with the first line of the file that it is about, where it is about one, and the cell there.

    The line and the cell depend on the file and on what the refusal says of it, never on the answers.
    """
    row = _first_row(refusal, submission)
    column = refusal.column if refusal.column in submission.columns else None
    return InvalidSubmissionError(
        refusal.sentence,
        code=refusal.code,
        hint=refusal.hint,
        column=column,
        value=_cell(submission, row, column),
        file=plain(path.name, 100),
        line=None if row is None else line_of_row(path, row),
    )


def _cell(submission: pd.DataFrame, row: int | None, column: str | None) -> str | None:
    """What is in a cell of the submission, shortened; None for an empty one."""
    if row is None or column is None:
        return None
    value = submission[column].iloc[row]
    return None if value is None or value != value else plain(str(value), _LONGEST_VALUE)


def _first_row(refusal: InvalidSubmissionError, submission: pd.DataFrame) -> int | None:
    if refusal.where is None:
        return None
    # Graders rename and derive columns, and have their own ideas of types: then there is no row to name. Whatever goes
    # wrong here, the refusal stands.
    with suppress(Exception):
        return [bool(is_meant) for is_meant in refusal.where(submission)].index(True)
    return None


def line_of_row(path: Path, row: int) -> int | None:
    """The line (the first is 1) on which a row of a CSV table begins, the first row below the header being 0."""
    with suppress(OSError, ValueError, csv.Error):
        if path.stat().st_size <= _LARGEST:
            return next(islice(_starts(path), row + 1, None), None)
    return None


def _starts(path: Path) -> Iterator[int]:
    """The line on which each record begins, that of the header first; blank lines are none."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        begins = 1
        for record in reader:
            if len(record) > 1 or (record and record[0].strip()):
                yield begins
            begins = reader.line_num + 1
