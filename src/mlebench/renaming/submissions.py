"""The way back: a submission with the columns that an agent was shown, as its grader knows it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mlebench.errors import InvalidSubmissionError
from mlebench.files.hashing import sha256_of
from mlebench.files.regular import open_regular
from mlebench.renaming.headers import rename_columns
from mlebench.renaming.mapping import Renaming


@contextmanager
def with_true_names(path: Path, renaming: Renaming, *, largest: int | None = None) -> Iterator[Path]:
    """A copy of a submission with the true names of its columns, under the same file name; the file itself stays.

    It is the file itself where there is nothing to change: also where it is missing, too large or no file, which
    reading it will say.
    """
    with tempfile.TemporaryDirectory(prefix="mlebench-submission-") as folder:
        copy = Path(folder) / path.name
        yield copy if _copied(path, copy, renaming, largest) else path


def _copied(path: Path, copy: Path, renaming: Renaming, largest: int | None) -> bool:
    try:
        with open_regular(path, follow=True) as file:
            if largest is not None and path.stat().st_size > largest:
                return False
            return rename_columns(file, copy, renaming.exchanged)
    except (OSError, ValueError):
        return False


def rename_submission(path: Path, renaming: Renaming) -> None:
    """Give the columns of a file that we wrote for an agent the names that it is shown."""
    partial = path.with_name(f".{path.name}.partial")
    with path.open("rb") as file:
        changed = rename_columns(file, partial, renaming.columns)
    if changed:
        partial.replace(path)


def sha256_as_shown(path: Path, renaming: Renaming) -> str:
    """The hash that a file of ours, such as the sample submission, has under the names that an agent is shown."""
    with with_true_names(path, renaming) as copy:  # names are exchanged, so this is the same in both directions
        return sha256_of(copy)


def in_words_of_agent(refusal: InvalidSubmissionError, renaming: Renaming) -> InvalidSubmissionError:
    """A refusal that names columns and files as the agent has seen them."""
    column = refusal.column
    return InvalidSubmissionError(
        renaming.message(refusal.sentence),
        code=refusal.code,
        hint=None if refusal.hint is None else renaming.message(refusal.hint),
        column=None if column is None else renaming.exchanged.get(column, column),
        value=refusal.value,
        file=refusal.file,
        line=refusal.line,
    )
