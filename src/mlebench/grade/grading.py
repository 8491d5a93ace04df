"""Grading one submission: its score, its medals, its report."""

from __future__ import annotations

import os
from collections.abc import Collection
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.base import progress
from mlebench.base.author_code import SHOW_MORE, in_brackets, place_of
from mlebench.competition.grader import DECIMALS, CrashedGradingError
from mlebench.competition.leaderboard import NO_STANDING
from mlebench.competition.local import LocalCompetition
from mlebench.competition.vocabulary import DEFAULT_EDITION
from mlebench.data.filling import is_finished
from mlebench.data.record import DatasetRecord
from mlebench.errors import (
    DamagedDataError,
    GraderError,
    InvalidSubmissionError,
    MissingColumnsError,
    MlebenchError,
    NotPreparedError,
)
from mlebench.files.hashing import sha256_of
from mlebench.files.tables import load_answers
from mlebench.grade.places import located
from mlebench.grade.reading import largest_submission, read_submission, shifted_columns
from mlebench.grade.report import CompetitionReport
from mlebench.renaming.mapping import Renaming
from mlebench.renaming.submissions import in_words_of_agent, with_true_names

if TYPE_CHECKING:
    import pandas as pd

VALID = "Submission is valid."  # as published: other projects look for these words


def grade_csv(
    path_to_submission: str | os.PathLike[str], competition: LocalCompetition, *, renaming: Renaming | None = None
) -> CompetitionReport:
    """Grade one submission file. A submission that breaks the rules gets a report that says why, and no score.

    `renaming` leads back to the true names of columns where the agent was shown others.
    """
    path = Path(path_to_submission)
    standings = competition.human_leaderboard()
    record = _record(competition)
    raw_score: float | None = None
    refusal: dict[str, Any] = {}
    try:
        raw_score = score_file(path, competition, renaming)
    except InvalidSubmissionError as error:
        refusal = _refusal_fields(error)
    score = None if raw_score is None else round(raw_score, DECIMALS)
    # Medals mean something only on the competition's own data.
    counts = record is None or record.is_real
    standing = standings.standing(score) if standings and counts else NO_STANDING
    limits = standings.thresholds if standings else None
    return CompetitionReport(
        competition_id=competition.id,
        score=score,
        gold_threshold=limits.gold if limits else None,
        silver_threshold=limits.silver if limits else None,
        bronze_threshold=limits.bronze if limits else None,
        median_threshold=limits.median if limits else None,
        any_medal=standing.any_medal,
        gold_medal=standing.gold_medal,
        silver_medal=standing.silver_medal,
        bronze_medal=standing.bronze_medal,
        above_median=standing.above_median,
        submission_exists=_is_file(path) and path.suffix.lower() == ".csv",
        valid_submission=score is not None,
        is_lower_better=competition.declaration.better == "lower",
        created_at=datetime.now(),  # local and without a zone, as published: others subtract it from such a time
        submission_path="" if path == Path() else str(path),
        human_percentile=standings.percentile(score) if standings and counts and score is not None else None,
        edition=competition.edition,
        data=record.data if record else None,
        raw_score=raw_score,
        answers_sha256=sha256_of(competition.answers),
        data_dir=str(competition.data_dir),
        no_medal_code=competition.no_medal_code(real_data=counts),
        medal_caveat=competition.medal_caveat if standings else None,
        **refusal,
    )


def _refusal_fields(refusal: InvalidSubmissionError) -> dict[str, Any]:
    """What a report says of a refusal; the error itself would keep the tables of its traceback in memory."""
    return {
        "refusal": str(refusal),
        "refusal_code": refusal.code,
        "refusal_line": refusal.line,
        "refusal_column": refusal.column,
        "refusal_value": refusal.value,
    }


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _record(competition: LocalCompetition) -> DatasetRecord | None:
    """How the prepared data came about; data of another edition is never graded as this one."""
    record = DatasetRecord.load(competition.prepared_dir)
    if record is not None and record.edition != competition.edition:
        raise MlebenchError(
            f"{competition.prepared_dir} has data of edition {record.edition}, not of {competition.edition}.",
            hint="Prepare the competition again, with --force.",
        )
    return record


def score_file(path: Path, competition: LocalCompetition, renaming: Renaming | None = None) -> float:
    """The unrounded score of a submission file; raises InvalidSubmissionError for one that breaks the rules."""
    require_answers(competition)
    if renaming is None:
        return _score_file(path, competition)
    largest = largest_submission(competition.answers, competition.sample_submission)
    with with_true_names(path, renaming, largest=largest) as original:
        try:
            return _score_file(original, competition)
        except InvalidSubmissionError as refusal:
            raise in_words_of_agent(refusal, renaming) from refusal


def _score_file(path: Path, competition: LocalCompetition) -> float:
    with progress.stage("read", path.name):
        largest = largest_submission(competition.answers, competition.sample_submission)
        submission = read_submission(path, largest=largest, text_columns=competition.text_columns)
    with progress.stage("read", "the answers"):
        answers = _answers(competition)
    try:
        with progress.stage("score", path.name):
            return competition.grader.raw_score(submission, answers)
    except InvalidSubmissionError as refusal:
        problem = grader_at_fault(competition, refusal)
        if problem is not None:
            raise GraderError(problem, hint=SHOW_MORE) from refusal
        if shifted := shifted_columns(submission):
            raise shifted from refusal
        raise located(refusal, path, submission) from refusal


def grader_at_fault(competition: LocalCompetition, refusal: InvalidSubmissionError) -> str | None:
    """What is wrong with the grader if it would refuse the sample submission for the same reason; None if nothing is.

    A mistake in a grader looks like one in a submission: a column with a misspelt name is in no submission. The sample
    has the right form, unless the competition says that it breaks that rule.
    """
    if "sample_valid" in competition.breaks or not competition.sample_submission.is_file():
        return None
    try:
        if isinstance(refusal, MissingColumnsError):
            place = in_brackets(place_of(refusal, competition.grader.grade_fn))
            return _unknown_columns(refusal.columns, _sample(competition), place)
        if isinstance(refusal, CrashedGradingError):
            competition.grader.raw_score(_sample(competition), _answers(competition))
    except CrashedGradingError as crash:
        return f"The grader of {competition.id} fails on the sample submission too: {crash.error_text}" + (
            f"{in_brackets(crash.in_code)}."
        )
    except InvalidSubmissionError:
        return None
    return None


def _sample(competition: LocalCompetition) -> pd.DataFrame:
    return read_submission(competition.sample_submission, text_columns=competition.text_columns)


def _unknown_columns(asked: Collection[str], sample: pd.DataFrame, place: str) -> str | None:
    unknown = ", ".join(name for name in asked if name not in sample.columns)
    if not unknown:
        return None
    known = ", ".join(map(str, sample.columns[:8]))
    return f"The grader asks for {unknown}, but the columns of the sample submission are {known}{place}."


def validate_submission(submission: str | os.PathLike[str], competition: LocalCompetition) -> tuple[bool, str]:
    """(whether a file is a valid submission, a sentence that says so or says what is wrong). Reveals no score."""
    refusal = refusal_of(Path(submission), competition)
    return refusal is None, str(refusal or VALID)


def refusal_of(path: Path, competition: LocalCompetition) -> InvalidSubmissionError | None:
    """Why a file is no valid submission, with code and place; None if it is one. Reveals no score."""
    try:
        score_file(path, competition)
    except InvalidSubmissionError as refusal:
        return refusal
    return None


def require_answers(competition: LocalCompetition) -> None:
    """The answers are on disk, or the error says how to get them."""
    competition.require_edition()
    if competition.answers.is_file() and is_finished(competition.private_dir):
        return
    command = _prepare_command(competition)
    if competition.prepared_dir.is_dir() or competition.public_dir.exists():
        raise NotPreparedError(
            f"The preparation of {competition.id} in {competition.home} was interrupted: its answers are missing.",
            hint=f"Run: {command}",
        )
    raise NotPreparedError(f"{competition.id} is not prepared in {competition.data_dir}.", hint=f"Run: {command}")


def _prepare_command(competition: LocalCompetition) -> str:
    command = f"mlebench prepare -c {competition.id} --data-dir {competition.data_dir}"
    return command if competition.edition == DEFAULT_EDITION else f"{command} --edition {competition.edition}"


def _answers(competition: LocalCompetition) -> Any:
    """The answers, kept while submissions of the same competition follow; graders get a copy to work on.

    They must be what was prepared, unless a client chose others: what is wrong with them is never a submission's fault.
    """
    path = competition.answers
    found = path.stat()
    prepared = competition.prepared_dir if competition.answers_are_prepared else None
    try:
        once = _answers_once(path, prepared, found.st_size, found.st_mtime_ns, competition.text_columns)
        return once.copy()
    except (ValueError, RecursionError) as error:  # parser errors and wrong encodings among them
        raise DamagedDataError(
            f"The private data of {competition.id} is damaged: {path} is not what was prepared.",
            hint=f"Run: {_prepare_command(competition)} --force",
        ) from error


@lru_cache(maxsize=1)
def _answers_once(path: Path, prepared: Path | None, size: int, modified: int, text_columns: tuple[str, ...]) -> Any:
    record = DatasetRecord.load(prepared) if prepared is not None else None
    if record is not None and record.answers_differ(path):
        raise ValueError("its sha256 is another one")
    return load_answers(path, text_columns)
