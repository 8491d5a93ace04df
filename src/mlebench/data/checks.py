"""What must be true of prepared data, whatever the competition; run at the end of every preparation.

A competition whose published data breaks one of these says so in its declaration (`breaks=…`).
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mlebench.base.authored import in_brackets
from mlebench.competition.declaration import Check
from mlebench.competition.grader import CrashedGradingError, Grader
from mlebench.competition.local import LocalCompetition
from mlebench.errors import InvalidSubmissionError, PreparationError
from mlebench.files.archives import bounded
from mlebench.files.tables import load_answers, read_csv

if TYPE_CHECKING:
    import pyarrow as pa

_TABLES = (".csv", ".csv.zip", ".tsv", ".tsv.zip")


def check_preparation(competition: LocalCompetition, prepared: Path) -> None:
    """Raise a PreparationError that says what is wrong with the data in a folder of prepared data."""
    require_files(competition, prepared)
    for problem in data_checks(competition, prepared, leaving_out=competition.declaration.breaks).values():
        found = problem()
        if found is not None:
            raise PreparationError(f"The prepared data of {competition.id} is not sound: {found}.")


def require_files(competition: LocalCompetition, prepared: Path) -> None:
    """Refuse prepared data without a sample submission or without answers."""
    for path in (_sample(competition, prepared), prepared / "private" / competition.declaration.answers):
        if not path.is_file():
            raise PreparationError(
                f"The preparation of {competition.id} did not write {path.relative_to(prepared).as_posix()}."
            )


def data_checks(
    competition: LocalCompetition, prepared: Path, *, leaving_out: Collection[Check] = ()
) -> dict[Check, Callable[[], str | None]]:
    """The checks of prepared data by name: each gives what is wrong, or None."""
    sample, answers = _sample(competition, prepared), prepared / "private" / competition.declaration.answers
    tables: list[Any] = []

    def loaded() -> list[Any]:
        if not tables:
            tables.extend([read_csv(sample), load_answers(answers)])
        return tables

    checks: dict[Check, Callable[[], str | None]] = {
        "the sample has a row per answer": lambda: _count_problem(*loaded()),
        "the sample is valid": lambda: _refusal(competition, *loaded()),
        "ids of train and test are disjoint": lambda: _overlap(prepared / "public", sample),
        "no private file is public": lambda: _published_twice(prepared),
    }
    return {name: problem for name, problem in checks.items() if name not in leaving_out}


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


def _refusal(competition: LocalCompetition, sample: Any, answers: Any) -> str | None:
    declared = competition.declaration
    try:
        Grader(declared.metric, declared.grade_fn(competition.edition)).raw_score(sample, answers)
    except CrashedGradingError as crash:
        return f"grading its sample submission fails with {crash.error_text}{in_brackets(crash.in_code)}"
    except InvalidSubmissionError as error:
        return f"its sample submission is refused ({str(error).rstrip('.')})"
    return None


def _count_problem(sample: Any, answers: Any) -> str | None:
    if len(sample) == len(answers):
        return None
    return f"its sample submission has {len(sample)} rows, but there are {len(answers)} answers"


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
        for column in _columns(path, on):
            both = column.filter(pc.is_in(column, value_set=ids))
            if len(both):
                return f"{both[0]} is the {on} of a row in {path.name} and of a row to predict"
    return None


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
                    return f"{path.relative_to(prepared)} is {secret.relative_to(prepared)}, which is private"
    return None


def _digest(path: Path) -> Any:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").digest()
