"""Checking prepared data against what is known about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.base import progress
from mlebench.competition.vocabulary import DEFAULT_EDITION
from mlebench.data.changes import DESCRIPTION, TWIN, Changes, changes_since
from mlebench.data.download import md5_of
from mlebench.data.record import RECORD_NAME, DatasetRecord, record_path
from mlebench.errors import DamagedDataError, NotPreparedError
from mlebench.files.hashing import sha256_of
from mlebench.files.space import size_of

if TYPE_CHECKING:
    from mlebench.competition.local import LocalCompetition


@dataclass(frozen=True)
class Difference:
    """A file that is not what it should be."""

    path: str
    expected: str
    found: str | None

    def __str__(self) -> str:
        return f"{self.path} is missing" if self.found is None else f"{self.path} has {self.found}, not {self.expected}"


def _broken_record(prepared: Path) -> Difference:
    path = record_path(prepared)
    name = path.relative_to(prepared).as_posix() if path is not None else RECORD_NAME
    return Difference(
        name, "the record of a preparation (prepare the competition again, with --force)", "damaged content"
    )


def differing_files(competition: LocalCompetition, prepared: Path) -> list[Difference]:
    """The prepared files whose md5 is not the known one."""
    sums = competition.known_checksums
    known = {f"public/{name}": value for name, value in sums.public.items()}
    known |= {f"private/{name}": value for name, value in sums.private.items()}
    differences = []
    for name, expected in known.items():
        path = prepared / name
        found = md5_of(path) if path.is_file() else None
        if found != expected:
            differences.append(Difference(name, f"md5 {expected}", f"md5 {found}" if found else None))
    return differences


@dataclass(frozen=True)
class Verification:
    """What checking the prepared data of one competition found."""

    competition_id: str
    data: str | None
    checked_files: int
    differences: list[Difference] = field(default_factory=list)
    sample_score: float | None = None
    expected_sample_score: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything is as it should be."""
        return not self.differences

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain values."""
        return {
            "competition_id": self.competition_id,
            "passed": self.passed,
            "data": self.data,
            "checked_files": self.checked_files,
            "sample_score": self.sample_score,
            "expected_sample_score": self.expected_sample_score,
            "differences": [str(difference) for difference in self.differences],
            "notes": list(self.notes),
        }


def verify(competition: LocalCompetition, score_sample: Callable[[Path, LocalCompetition], float]) -> Verification:
    """Check prepared data: files against known sums, their number and size against the record, the sample's score.

    `score_sample` is a function that scores a submission file for a competition, as grading does; data comes before
    grading, so it is handed in.
    """
    with progress.task(competition.id), progress.stage("verify"):
        return _verified(competition, score_sample)


def _verified(competition: LocalCompetition, score_sample: Callable[[Path, LocalCompetition], float]) -> Verification:
    if not competition.prepared_dir.is_dir():
        raise NotPreparedError(f"{competition.id} is not prepared.", hint=f"Run: mlebench prepare -c {competition.id}")
    try:
        record = DatasetRecord.load(competition.prepared_dir)
    except DamagedDataError:
        return Verification(competition.id, None, 0, [_broken_record(competition.prepared_dir)])
    real = record is None or record.is_real
    differences = differing_files(competition, competition.prepared_dir) if real else []
    path = record_path(competition.prepared_dir)
    if record is not None and path is not None:
        with progress.stage("verify", "number and size of files"):
            files, size = size_of(competition.prepared_dir)  # the record itself is not in its figures
        found = (files - 1, size - path.stat().st_size)
        expected = (record.files, record.bytes)
        if found != expected:
            differences.append(Difference("prepared", _amount(*expected), _amount(*found)))
        if competition.answers.is_file() and record.answers_differ(competition.answers):
            found_sum, name = sha256_of(competition.answers), competition.answers.relative_to(competition.prepared_dir)
            expected_sum = f"sha256 {record.answers_sha256}"
            differences.append(Difference(name.as_posix(), expected_sum, f"sha256 {found_sum}"))
    expected_score = (
        competition.declaration.sample_submission_score if real and competition.edition == DEFAULT_EDITION else None
    )
    score = None
    try:
        with progress.stage("grade", "the sample submission"):
            score = round(score_sample(competition.sample_submission, competition), 5)
    except DamagedDataError as error:
        if not differences:
            differences.append(Difference("private data", "the answers", str(error)))
    except Exception as error:
        differences.append(Difference("sample submission", "a score", str(error)))
    if score is not None and expected_score is not None and score != expected_score:
        differences.append(Difference("sample submission", f"the score {expected_score}", f"the score {score}"))
    sums = competition.known_checksums
    if record is not None and real and sums.archive and record.verified != (not differences):
        replace(record, verified=not differences).save(competition.prepared_dir)
    changes = changes_since(competition, record)
    differences += _changed_by_author(competition, changes)
    # To prepare the archive that there is again, as for other differences, would not mend what its twin says.
    is_noted = changes and (changes.twin or not changes.own)
    notes = (f"{changes.sentence} {changes.action(competition)}",) if is_noted else ()
    checked = len(sums.public) + len(sums.private) if real else 0
    data = record.data if record else None
    return Verification(competition.id, data, checked, differences, score, expected_score, notes)


def _changed_by_author(competition: LocalCompetition, changes: Changes) -> list[Difference]:
    """What a competition of one's own says now, and its data does not."""
    if not changes.own:
        return []
    folder = competition.declaration.folder
    programs = (*changes.code, *([TWIN] if changes.twin else []))
    found = [
        Difference("prepared", f"of {folder / name} as it is now", f"data of an older {name}") for name in programs
    ]
    if changes.description:
        found.append(Difference(f"public/{DESCRIPTION}", f"that of {folder / DESCRIPTION}", "an older text"))
    return found


def _amount(files: int, size: int) -> str:
    return f"{files} files with {size} bytes"
