"""The errors that mlebench raises on purpose; each carries one sentence for the person who reads it."""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mlebench.base.codes import RefusalCode
from mlebench.base.wording import plain

if TYPE_CHECKING:
    import pandas as pd


class MlebenchError(Exception):
    """Something a user can cause and correct: one sentence, and what to do next.

    Sentences quote files and names of others: whatever is in them, a message is one line of bounded length.
    """

    longest = 2000  # characters of the whole message

    def __init__(self, sentence: str, *, hint: str | None = None) -> None:
        hint = plain(hint, self.longest // 2) if hint else None
        sentence = plain(sentence, self.longest - (len(hint) + 1 if hint else 0))
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.sentence} {self.hint}" if self.hint else self.sentence

    def __reduce__(self) -> tuple[object, ...]:  # survives the way back from a worker process
        return (_rebuild, (type(self), self.sentence, self.hint))


def _rebuild(kind: type[MlebenchError], sentence: str, hint: str | None) -> MlebenchError:
    return kind(sentence, hint=hint)


class InvalidSubmissionError(MlebenchError):
    """A submission breaks the rules of its competition; the message tells the contestant what to change.

    `code` names the rule for programs. `where` finds the offending rows in the table of the submission: it takes the
    table and returns a mask. It must look at nothing but the submission, and so must `column`, the column that the
    refusal is about. What becomes of them where the file is known: `line` of `file`, and `value`, the offending cell.
    """

    longest = 600

    def __init__(
        self,
        sentence: str,
        *,
        code: RefusalCode = RefusalCode.BREAKS_RULE,
        hint: str | None = None,
        where: Callable[[pd.DataFrame], Any] | None = None,
        column: str | None = None,
        value: str | None = None,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        self.code, self.where, self.column, self.value, self.file, self.line = code, where, column, value, file, line
        around = (len(self.place) + 2 if self.place else 0) + (len(hint) + 1 if hint else 0)
        super().__init__(plain(sentence, max(self.longest - around, 1)), hint=hint)

    @property
    def place(self) -> str | None:
        """File and line as compilers write them, where they are known."""
        return f"{self.file}:{self.line}" if self.file and self.line else None

    def __str__(self) -> str:
        return f"{self.place}: {super().__str__()}" if self.place else super().__str__()

    def __reduce__(self) -> tuple[object, ...]:  # `where` stays behind: it has done its work in the process that grades
        names = ("code", "hint", "column", "value", "file", "line")
        return (_rebuild_invalid, (self.sentence, {name: getattr(self, name) for name in names}))


def _rebuild_invalid(sentence: str, values: dict[str, Any]) -> InvalidSubmissionError:
    return InvalidSubmissionError(sentence, **values)


def in_cell(text: str) -> Callable[[pd.DataFrame], Any]:
    """What finds the rows of a submission with a cell of just this text, for the `where` of a refusal."""
    return lambda table: table.eq(text).any(axis=1)


class MissingColumnsError(InvalidSubmissionError):
    """A submission lacks columns that its competition's grader asks for."""

    def __init__(self, sentence: str, *, hint: str | None = None, columns: Collection[str] = ()) -> None:
        super().__init__(sentence, code=RefusalCode.MISSING_COLUMNS, hint=hint)
        self.columns = columns


class GraderError(MlebenchError):
    """The grading of a competition is wrong, or does not fit its data; no submission is to blame."""


class PreparationError(MlebenchError):
    """Raw data is not what the preparation of a competition needs."""


class ChecksumMismatchError(PreparationError, ValueError):
    """A file does not have its known checksum; a ValueError in the published benchmark."""


class UnknownCompetitionError(MlebenchError):
    """No competition has this id."""


class NotPreparedError(MlebenchError, ValueError):
    """The data of a competition is not on disk, or only half of it is; a ValueError in the published benchmark."""


class VersionError(MlebenchError):
    """A machine of a cluster has another version of something than the one that planned the runs."""


class DamagedDataError(MlebenchError):
    """Prepared data is not what it was when it was prepared; no submission is to blame."""


class StoppedByUser(KeyboardInterrupt):
    """Ctrl-C, with a sentence that says where the finished part of the work is."""


_REMEDIES = {
    errno.ENOENT: " Check the path; something may have removed it meanwhile.",
    errno.ENOTDIR: " A part of this path is a file; give one that leads through folders.",
    errno.EISDIR: " Give the path of a file.",
    errno.EEXIST: " Remove what is there, or choose another place.",
    errno.ENAMETOOLONG: " Give a shorter path.",
    errno.ELOOP: " Replace the link by what it should lead to.",
    errno.EMFILE: " Allow more open files (`ulimit -n 4096`) and run the same command again.",
    errno.EIO: " The disk may be failing; try another place.",
}


@contextmanager
def system_errors_in_words() -> Iterator[None]:
    """Within this block, or the function that it decorates, what the operating system refuses is a MlebenchError."""
    try:
        yield
    except BrokenPipeError:  # the reader of what is printed has gone, which is no error
        raise
    except OSError as error:
        if isinstance(error, MlebenchError):
            raise
        raise MlebenchError(os_sentence(error)) from error


def is_disk_full(error: OSError) -> bool:
    """Whether the disk has no room: for data, for one more file, or for this user."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def os_sentence(error: OSError) -> str:
    """What the operating system refuses, as one sentence, and what to do next."""
    where = f" ({plain(str(error.filename), 500)})" if error.filename else ""
    if is_disk_full(error):
        return f"The disk is full{where}. Free some space and run the same command again; nothing finished is lost."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"Permission denied{where}. Change its permissions, or choose another place; of data, with --data-dir."
    what_to_do = _REMEDIES.get(error.errno or 0, "")
    return f"{plain(str(error.strerror or error), 500)}{where}.{what_to_do}"
