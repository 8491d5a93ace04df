"""Grading many submissions, listed as JSON lines: in several processes, each failure kept apart from the rest."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from mlebench.base import progress as progress_events
from mlebench.base.logs import get_logger
from mlebench.base.processes import Died, Send, run_tasks
from mlebench.competition.registry import Registry
from mlebench.competition.registry import registry as default_registry
from mlebench.errors import MlebenchError, StoppedByUser, os_sentence
from mlebench.files.writing import get_timestamp, write_json
from mlebench.grade.aggregate import aggregate_reports
from mlebench.grade.grading import grade_csv
from mlebench.grade.report import CompetitionReport
from mlebench.renaming.mapping import load_renaming
from mlebench.results.names import GRADING_REPORT

_SAVE_EVERY = 2.0  # seconds; a report that is killed loses at most this much


@dataclass(frozen=True)
class SubmissionLine:
    """One submission to grade: a line of a JSONL file, or a run of a run group.

    `renaming` is the file that leads back to the true names of columns, where the agent was shown others.
    """

    number: int
    competition_id: str
    submission_path: Path
    run_id: str | None = None
    seed: int | None = None
    renaming: Path | None = None
    renaming_sha256: str | None = None


@dataclass(frozen=True)
class LineError:
    """A line of a JSONL file that cannot be graded, and why."""

    line: int
    reason: str


def read_submission_list(path: Path) -> tuple[list[SubmissionLine], list[LineError]]:
    """The submissions that a JSONL file lists, and the lines that are malformed.

    Relative submission paths are taken from the current folder, or else from the folder of the list.
    """
    if not path.exists() or path.is_dir():  # a pipe and /dev/stdin are read too
        raise MlebenchError(f"There is no file {path}.", hint="Give a JSONL file with one submission per line.")
    lines: list[SubmissionLine] = []
    errors: list[LineError] = []
    for number, text in _numbered_lines(path):
        try:
            record = json.loads(text)
            competition_id, submission = record["competition_id"], record["submission_path"]
            if not isinstance(competition_id, str):
                raise TypeError
            renaming = record.get("renaming_path")
            lines.append(
                SubmissionLine(
                    number,
                    competition_id,
                    _resolved(submission, path.parent),
                    renaming=None if renaming is None else _resolved(renaming, path.parent),
                )
            )
        except json.JSONDecodeError as error:
            errors.append(LineError(number, f"not valid JSON: {error.msg} at column {error.colno}"))
        except (KeyError, TypeError):
            reason = 'needs the form {"competition_id": "…", "submission_path": "…"}'
            errors.append(LineError(number, reason))
        except (ValueError, RecursionError):  # a number or a nesting beyond all bounds
            errors.append(LineError(number, "not a JSON record of reasonable size"))
    if not lines and not errors:
        raise MlebenchError(
            f"{path} lists no submissions.",
            hint='Write one {"competition_id": "…", "submission_path": "…"} per line.',
        )
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
    try:
        if not path.is_absolute() and not path.exists() and (folder / path).exists():
            return folder / path
    except (OSError, ValueError):  # a name that no file can have: grading says so
        return path
    return path


@dataclass
class GradingReport:
    """What became of many submissions, saved as it grows."""

    path: Path
    lines: int
    errors: list[LineError]
    results: dict[int, CompetitionReport | LineError] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _later: threading.Timer | None = None

    def add(self, position: int, result: CompetitionReport | LineError) -> None:
        """Note the result of the line at a position; the file follows soon, also when the next line takes hours."""
        with self._lock:
            self.results[position] = result
            if self._later is None:
                self._later = threading.Timer(_SAVE_EVERY, self.save)
                self._later.daemon = True
                self._later.start()

    def save(self) -> None:
        """Write what there is so far."""
        with self._lock:
            if self._later is not None:
                self._later.cancel()
            self._later = None
            write_json(self.path, self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """The grading report, submissions in the order of their lines."""
        ordered = [self.results[position] for position in sorted(self.results)]
        reports = [result for result in ordered if isinstance(result, CompetitionReport)]
        errors = self.errors + [result for result in ordered if isinstance(result, LineError)]
        return aggregate_reports(reports) | {
            "errors": [
                {"line": error.line, "reason": error.reason} for error in sorted(errors, key=lambda error: error.line)
            ],
            "not_graded": self.lines - len(self.results),
        }


def grade_jsonl(
    path_to_submissions: str | os.PathLike[str],
    output_dir: str | os.PathLike[str],
    registry: Registry = default_registry,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Grade all submissions that a JSONL file lists and write `<timestamp>_grading_report.json`; returns that report.

    With `workers` the work is done in so many processes, and one that is killed costs only its own line; without, in
    this process. The report is written as lines finish: Ctrl-C keeps what was graded.
    """
    lines, errors = read_submission_list(Path(path_to_submissions))
    return grade_lines(lines, errors, Path(output_dir), registry, workers=workers, progress=progress)


def grade_lines(
    lines: list[SubmissionLine],
    errors: list[LineError],
    output_dir: Path,
    registry: Registry,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Grade submissions and write `<timestamp>_grading_report.json` into a folder; returns that report."""
    path = _fresh_file(writable_folder(output_dir), f"{get_timestamp()}_{GRADING_REPORT}.json")
    report = GradingReport(path, len(lines), errors)
    report.save()
    try:
        with closing(_graded(lines, replace(registry), workers)) as results:
            for position, result in results:
                report.add(position, result)
                if progress is not None:
                    progress(len(report.results), len(lines))
    except KeyboardInterrupt:
        raise StoppedByUser(f"Interrupted. What was graded is in {path}.") from None
    finally:
        report.save()
    get_logger(__name__).info("Saved grading report to %s", path)
    return report.to_dict() | {"report_path": str(path)}


def _graded(
    lines: list[SubmissionLine], registry: Registry, workers: int | None
) -> Generator[tuple[int, CompetitionReport | LineError], None, None]:
    """(position of the line, its result), as they finish."""
    # Submissions of one competition follow each other, so that its answers are read once per process.
    order = sorted(range(len(lines)), key=lambda position: lines[position].competition_id)
    work = partial(_grade_line, registry)
    if workers is None:
        for position in order:
            yield position, work(lines[position], print)
        return
    with closing(run_tasks(work, [lines[position] for position in order], workers=workers)) as results:
        for place, result in results:
            position = order[place]
            if isinstance(result, Died):
                yield position, LineError(lines[position].number, result.sentence)
            else:
                yield position, result


def _grade_line(registry: Registry, line: SubmissionLine, _: Send) -> CompetitionReport | LineError:
    try:
        with progress_events.task(f"line {line.number}, {line.competition_id}"):
            renaming = None if line.renaming is None else load_renaming(line.renaming, line.renaming_sha256)
            competition = registry.get_competition(line.competition_id)
            report = grade_csv(line.submission_path, competition, renaming=renaming)
        return replace(report, run_id=line.run_id, seed=line.seed)
    except MlebenchError as error:
        get_logger(__name__).debug("grading line %s raised", line.number, exc_info=True)
        return LineError(line.number, str(error))
    except OSError as error:
        return LineError(line.number, os_sentence(error))
    except MemoryError:
        return LineError(line.number, "cannot be graded: memory runs out")
    except Exception as error:  # whatever it is, it is this line's and no other's
        get_logger(__name__).debug("grading line %s raised", line.number, exc_info=True)
        return LineError(line.number, f"cannot be graded ({type(error).__name__})")


def writable_folder(path: Path) -> Path:
    """The folder, made if need be; an error before any work is done if it cannot be written to."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = path / f".mlebench-{os.getpid()}"
        probe.touch()
        probe.unlink(missing_ok=True)  # another thread may have tried the same folder
    except OSError as error:
        raise MlebenchError(
            f"The folder {path} cannot be written to ({error.strerror or error}).", hint="Choose another one."
        ) from error
    return path


def _fresh_file(folder: Path, name: str) -> Path:
    """A new file in a folder, still empty: a second grading in the same second makes another one."""
    path, count = folder / name, 1
    while True:
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            count += 1
            path = folder / f"{name.removesuffix('.json')}_{count}.json"
        else:
            return path
