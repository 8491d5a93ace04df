"""Grading submissions: one file, or many in parallel."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from mlebench.data.record import DatasetRecord
from mlebench.errors import InvalidSubmissionError, MlebenchError, NotPreparedError
from mlebench.files.tables import load_answers
from mlebench.files.writing import get_timestamp, now, write_json
from mlebench.grade.reading import read_submission
from mlebench.grade.report import CompetitionReport
from mlebench.grader import DECIMALS
from mlebench.leaderboard import NO_STANDING
from mlebench.local import LocalCompetition
from mlebench.logs import get_logger
from mlebench.registry import Registry
from mlebench.registry import registry as default_registry

Progress = Callable[[int, int], None]


def grade_csv(path_to_submission: str | os.PathLike[str], competition: LocalCompetition) -> CompetitionReport:
    """Grade one submission file. A submission that breaks the rules gets a report that says why, and no score."""
    path = Path(path_to_submission)
    standings = competition.human_leaderboard()
    record = DatasetRecord.load(competition.prepared_dir)
    raw_score, refusal = None, None
    try:
        raw_score = score_file(path, competition)
    except InvalidSubmissionError as error:
        refusal = str(error)
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
        submission_exists=path.is_file(),
        valid_submission=score is not None,
        is_lower_better=competition.declaration.better == "lower",
        created_at=now(),
        submission_path=str(path),
        refusal=refusal,
        human_percentile=standings.percentile(score) if standings and counts and score is not None else None,
        edition=competition.edition,
        data=record.data if record else None,
        raw_score=raw_score,
    )


def score_file(path: Path, competition: LocalCompetition) -> float:
    """The unrounded score of a submission file; raises InvalidSubmissionError for one that breaks the rules."""
    require_answers(competition)
    grader = competition.grader
    submission = read_submission(path, answers_size=competition.answers.stat().st_size)
    return grader.raw_score(submission, _answers(competition.answers))


def validate_submission(submission: str | os.PathLike[str], competition: LocalCompetition) -> tuple[bool, str]:
    """(whether a file is a valid submission, a sentence that says so or says what is wrong). Reveals no score."""
    try:
        score_file(Path(submission), competition)
    except InvalidSubmissionError as error:
        return False, str(error)
    return True, "The submission is valid."


def require_answers(competition: LocalCompetition) -> None:
    """The answers are on disk, or the error says how to get them."""
    competition.require_implementation()
    if competition.answers.is_file():
        return
    command = f"mlebench prepare -c {competition.id} --data-dir {competition.data_dir}"
    if competition.prepared_dir.is_dir() or competition.public_dir.exists():
        raise NotPreparedError(
            f"The preparation of {competition.id} in {competition.home} was interrupted: its answers are missing.",
            hint=f"Run: {command}",
        )
    raise NotPreparedError(f"{competition.id} is not prepared in {competition.data_dir}.", hint=f"Run: {command}")


@lru_cache(maxsize=1)
def _answers_once(path: Path, modified: int) -> Any:
    return load_answers(path)


def _answers(path: Path) -> Any:
    """The answers, kept while submissions of the same competition follow; graders get a copy to work on."""
    answers = _answers_once(path, path.stat().st_mtime_ns)
    return answers.copy()


@dataclass(frozen=True)
class SubmissionLine:
    """One line of a JSONL file that lists submissions."""

    number: int
    competition_id: str
    submission_path: Path


@dataclass(frozen=True)
class LineError:
    """A line of a JSONL file that cannot be graded, and why."""

    line: int
    reason: str


def read_submission_list(path: Path) -> tuple[list[SubmissionLine], list[LineError]]:
    """The submissions that a JSONL file lists, and the lines that are malformed.

    Relative submission paths are taken from the current folder, or else from the folder of the list.
    """
    if not path.is_file():
        raise MlebenchError(f"There is no file {path}.", hint="Give a JSONL file with one submission per line.")
    lines: list[SubmissionLine] = []
    errors: list[LineError] = []
    for number, text in _numbered_lines(path):
        try:
            record = json.loads(text)
            competition_id, submission = record["competition_id"], record["submission_path"]
            if not isinstance(competition_id, str):
                raise TypeError
            lines.append(SubmissionLine(number, competition_id, _resolved(submission, path.parent)))
        except json.JSONDecodeError as error:
            errors.append(LineError(number, f"not valid JSON: {error.msg} at column {error.colno}"))
        except (KeyError, TypeError):
            reason = 'needs the form {"competition_id": "…", "submission_path": "…"}'
            errors.append(LineError(number, reason))
    return lines, errors


def _numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                text = line.strip()
                if text and not text.startswith(("#", "//")):
                    yield number, text
    except UnicodeDecodeError as error:
        raise MlebenchError(f"{path} is not a UTF-8 text file with one JSON record per line.") from error


def _resolved(submission: str | None, folder: Path) -> Path:
    path = Path(submission or "")
    if not path.is_absolute() and not path.exists() and (folder / path).exists():
        return folder / path
    return path


def grade_jsonl(
    path_to_submissions: str | os.PathLike[str],
    output_dir: str | os.PathLike[str],
    registry: Registry = default_registry,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Grade all submissions that a JSONL file lists and write `<timestamp>_grading_report.json`; gives that report."""
    lines, errors = read_submission_list(Path(path_to_submissions))
    output = writable_folder(Path(output_dir))
    outcomes = _grade_lines(lines, registry, workers or os.cpu_count() or 1, progress)
    reports = [outcome for outcome in outcomes if isinstance(outcome, CompetitionReport)]
    errors = sorted(errors + [o for o in outcomes if isinstance(o, LineError)], key=lambda error: error.line)
    summary = summarise(reports, errors)
    path = _fresh_path(output, f"{get_timestamp()}_grading_report.json")
    write_json(path, summary)
    get_logger(__name__).info("Saved grading report to %s", path)
    return summary | {"report_path": str(path)}


def summarise(reports: list[CompetitionReport], errors: list[LineError]) -> dict[str, Any]:
    """The grading report of many submissions."""
    return {
        "total_runs": len(reports),
        "total_runs_with_submissions": sum(report.submission_exists for report in reports),
        "total_valid_submissions": sum(report.valid_submission for report in reports),
        "total_medals": sum(report.any_medal for report in reports),
        "total_gold_medals": sum(report.gold_medal for report in reports),
        "total_silver_medals": sum(report.silver_medal for report in reports),
        "total_bronze_medals": sum(report.bronze_medal for report in reports),
        "total_above_median": sum(report.above_median for report in reports),
        "competition_reports": [report.to_dict() for report in reports],
        "errors": [{"line": error.line, "reason": error.reason} for error in errors],
    }


def _grade_lines(
    lines: list[SubmissionLine], registry: Registry, workers: int, progress: Progress | None
) -> list[CompetitionReport | LineError]:
    """Grade each line, in several processes; the outcomes come in the order of the lines."""
    # Submissions of one competition follow each other, so that its answers are read once per process.
    order = sorted(range(len(lines)), key=lambda index: lines[index].competition_id)
    outcomes: dict[int, CompetitionReport | LineError] = {}
    places = (registry.data_dir, registry.competitions_dirs)

    def note(index: int, outcome: CompetitionReport | LineError) -> None:
        outcomes[index] = outcome
        if progress is not None:
            progress(len(outcomes), len(lines))

    workers = min(workers, len(lines))
    if workers <= 1:
        for index in order:
            note(index, _grade_line(lines[index], *places))
    else:
        from concurrent.futures import ProcessPoolExecutor, as_completed
        from multiprocessing import get_context

        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            futures = {pool.submit(_grade_line, lines[index], *places): index for index in order}
            for future in as_completed(futures):
                note(futures[future], future.result())
    return [outcomes[index] for index in range(len(lines))]


def _grade_line(line: SubmissionLine, data_dir: Path, dirs: tuple[Path, ...]) -> CompetitionReport | LineError:
    try:
        return grade_csv(line.submission_path, Registry(data_dir, dirs).get_competition(line.competition_id))
    except MlebenchError as error:
        return LineError(line.number, str(error))
    except OSError as error:
        return LineError(line.number, f"{line.submission_path} cannot be read: {error.strerror or error}")


def writable_folder(path: Path) -> Path:
    """The folder, made if need be; an error before any work is done if it cannot be written to."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = path / f".mlebench-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise MlebenchError(
            f"The folder {path} cannot be written to ({error.strerror or error}).", hint="Choose another one."
        ) from error
    return path


def _fresh_path(folder: Path, name: str) -> Path:
    """A path in a folder that no file has yet, so that nothing is ever overwritten."""
    path, count = folder / name, 1
    while path.exists():
        count += 1
        path = folder / f"{name.removesuffix('.json')}_{count}.json"
    return path
