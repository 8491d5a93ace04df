"""What must be true of prepared data, whatever the competition; run at the end of every preparation.

A competition whose published data breaks one of these says so in its declaration (`breaks=…`).
"""

from __future__ import annotations

import hashlib
import sys
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mlebench.base.author_code import error_text, place_of
from mlebench.competition.checks import (
    Check,
    Judgement,
    Problem,
    at_place,
    by_stage,
    check,
    checks_in,
    judged,
    line_with,
    registered_checks,
)
from mlebench.competition.grader import CrashedGradingError, Grader
from mlebench.competition.local import LocalCompetition
from mlebench.errors import GraderError, InvalidSubmissionError, PreparationError
from mlebench.files.tables import load_answers, read_csv
from mlebench.files.zip_reader import bounded

if TYPE_CHECKING:
    import pyarrow as pa

_TABLES = (".csv", ".csv.zip", ".tsv", ".tsv.zip")
_STRETCH = 1 << 16  # rows of a column that are looked at together, at least
_CORRECT = "Correct the preparation."


def check_preparation(competition: LocalCompetition, prepared: Path) -> None:
    """Raise a PreparationError that says what is wrong with the data in a folder of prepared data."""
    require_files(competition, prepared)
    if competition.declaration.published is not None:  # as published: its own program says what is right
        return
    data = PreparedData(competition, prepared)
    for entry in data_checks():
        if entry.id in competition.breaks:
            continue
        for problem in entry.function(data).problems:
            place = f" ({problem.file}, line {problem.line})" if problem.line else ""
            raise PreparationError(
                f"The prepared data of {competition.id} is not sound ({entry.id}): {problem.what.rstrip('.')}{place}."
            )


def require_files(competition: LocalCompetition, prepared: Path) -> None:
    """Refuse prepared data without a sample submission or without answers."""
    for path in (_sample(competition, prepared), prepared / "private" / competition.declaration.answers):
        if not path.is_file():
            raise PreparationError(
                f"The preparation of {competition.id} did not write {path.relative_to(prepared).as_posix()}."
            )


class PreparedData:
    """What checks of prepared data look at: a competition, the folder of its prepared data, and the tables there."""

    def __init__(self, competition: LocalCompetition, prepared: Path) -> None:
        self.competition, self._prepared = competition, prepared

    @property
    def prepared(self) -> Path:
        """The folder with public/ and private/."""
        return self._prepared

    @property
    def sample_path(self) -> Path:
        """The sample submission."""
        return _sample(self.competition, self.prepared)

    @cached_property
    def sample(self) -> Any:
        """The table of the sample submission."""
        return read_csv(self.sample_path, text=self.competition.text_columns)

    @cached_property
    def answers(self) -> Any:
        """The answers, in whatever form the competition has them."""
        path = self.prepared / "private" / self.competition.declaration.answers
        return load_answers(path, self.competition.text_columns)

    def problem(self, what: str, advice: str, pattern: str = r"\.prepare\b") -> Problem:
        """A problem of the competition's program, at the first line in which a pattern is found."""
        file = self.competition.declaration.folder / "competition.py"
        return Problem(what, advice, file, line_with(file, pattern))


def data_checks() -> list[Check]:
    """The checks of prepared data: those of this module, and those that other packages register."""
    others = [entry for entry in registered_checks() if entry.stage == "data"]
    return by_stage([*checks_in(sys.modules[__name__]), *others])


@check("sample_has_a_row_per_answer", "the sample has a row per answer", stage="data", cost="seconds")
def _row_per_answer(data: PreparedData) -> Judgement:
    if len(data.sample) == len(data.answers):
        return judged([])
    what = f"The sample submission has {len(data.sample)} rows, but there are {len(data.answers)} answers."
    return judged([data.problem(what, _CORRECT)])


@check("sample_valid", "the sample submission is valid", stage="data", cost="seconds")
def _sample_valid(data: PreparedData) -> Judgement:
    declared = data.competition.declaration
    grade = declared.grade_fn(data.competition.edition)
    try:
        score = Grader(declared.metric, grade).raw_score(data.sample, data.answers)
    except CrashedGradingError as crash:
        return _fails(data, crash.error_text, crash.in_code)
    except GraderError as error:
        first = error.__cause__ or error  # which does not name the place yet
        return _fails(data, error_text(first), place_of(first, grade))
    except InvalidSubmissionError as refusal:
        advice = "Write a sample that keeps the rules, or correct the rule."
        return judged([data.problem(f"The sample submission is refused: {refusal}", advice, r"\.grade\b")])
    return judged([], f"it scores {score:.6g}")


def _fails(data: PreparedData, error: str, place: str | None) -> Judgement:
    problem = data.problem(
        f"Grading the sample submission fails with {error}.", "Correct the grader, or the sample.", r"\.grade\b"
    )
    if place is not None:
        file, line = at_place(place)
        problem = replace(problem, file=file, line=line)
    return judged([problem])


@check("ids_disjoint", "ids of train and test are disjoint", stage="data", cost="seconds")
def _ids_disjoint(data: PreparedData) -> Judgement:
    found = _overlap(data.prepared / "public", data.sample_path)
    return judged([data.problem(found, _CORRECT)] if found else [])


@check("no_private_file_public", "no private file is public", stage="data", cost="seconds")
def _no_private_file_public(data: PreparedData) -> Judgement:
    found = _published_twice(data.prepared)
    return judged([data.problem(found, _CORRECT)] if found else [])


def _sample(competition: LocalCompetition, prepared: Path) -> Path:
    private = competition.declaration.private_sample
    return prepared / "private" / private if private else prepared / "public" / competition.declaration.sample


def require_description(competition: LocalCompetition) -> None:
    """Refuse a competition of which a contestant could read nothing."""
    if not competition.description.strip():
        raise PreparationError(
            f"{competition.id} has no description.",
            hint=f"Write what the contestant needs to know into {competition.declaration.folder / 'description.md'}.",
        )


def _overlap(public: Path, sample: Path) -> str | None:
    """An id of the sample submission that a training table has too; only tables at the top of public/ are looked at."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # The first column that has a name: a published sample may have nameless row numbers in front.
    on = next(name for name in _header(sample) if not name.startswith("Unnamed: "))
    ids = pa.chunked_array(list(_columns(sample, on)), pa.string()).combine_chunks()
    for path in sorted(public.iterdir()):
        name = path.name.lower()
        if path == sample or not name.endswith(_TABLES) or not ("train" in name or "labels" in name):
            continue
        if on not in _header(path):
            continue
        for column in _in_stretches(_columns(path, on), max(len(ids), _STRETCH)):
            both = column.filter(pc.is_in(column, value_set=ids))
            if len(both):
                return f"The {on} {both[0]} is that of a row in {path.name} and of a row to predict."
    return None


def _in_stretches(columns: Iterable[pa.Array], rows: int) -> Iterator[pa.ChunkedArray]:
    """A column in stretches of some rows: looking for ids takes a table of them, which Arrow makes each time anew."""
    import pyarrow as pa

    waiting: list[pa.Array] = []
    for column in columns:
        waiting.append(column)
        if sum(map(len, waiting)) >= rows:
            yield pa.chunked_array(waiting)
            waiting = []
    if waiting:
        yield pa.chunked_array(waiting)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    if path.suffix != ".zip":
        with path.open("rb") as file:
            yield file
        return
    with zipfile.ZipFile(path) as archive, bounded(archive, archive.infolist()[0]) as member:
        yield member


def _separator(path: Path) -> str:
    return "\t" if ".tsv" in path.name else ","


def _header(path: Path) -> list[str]:
    with _opened(path) as file:
        return [str(name) for name in read_csv(file, nrows=0, sep=_separator(path)).columns]


def _columns(path: Path, name: str) -> Iterator[pa.Array]:
    """One column of a table as text, some rows at a time: a large table is not held in memory for this."""
    import pyarrow as pa
    from pyarrow import csv

    with _opened(path) as file:
        reader = csv.open_csv(
            file,
            parse_options=csv.ParseOptions(
                delimiter=_separator(path), newlines_in_values=True, invalid_row_handler=lambda _: "skip"
            ),
            convert_options=csv.ConvertOptions(include_columns=[name], column_types={name: pa.string()}),
        )
        for batch in reader:
            yield batch.column(0)


def _published_twice(prepared: Path) -> str | None:
    """A private file that is public too, byte for byte."""
    private = {path: path.stat().st_size for path in (prepared / "private").rglob("*") if path.is_file()}
    for path in (prepared / "public").rglob("*"):
        if path.is_file() and path.stat().st_size in private.values():
            for secret, size in private.items():
                if size == path.stat().st_size and _digest(path) == _digest(secret):
                    public, private_name = path.relative_to(prepared), secret.relative_to(prepared)
                    return f"The file {public} is {private_name}, which is private."
    return None


def _digest(path: Path) -> Any:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").digest()
