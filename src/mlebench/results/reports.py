"""Reading reports back: those that mlebench wrote, and those of others that have the published fields only."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mlebench.base.wording import syntax_place
from mlebench.competition.vocabulary import DEFAULT_EDITION, EDITIONS
from mlebench.errors import MlebenchError
from mlebench.files.regular import read_regular
from mlebench.grade.report import CompetitionReport, truth_value
from mlebench.results.kinds import DataKind, kind_of_data
from mlebench.results.names import GRADING_REPORTS

_LARGEST = 128 << 20  # bytes of a file with reports that is read: those of 100,000 submissions
_NUMBERS = (
    "score",
    "raw_score",
    "human_percentile",
    "gold_threshold",
    "silver_threshold",
    "bronze_threshold",
    "median_threshold",
)
_FLAGS = (
    "any_medal",
    "gold_medal",
    "silver_medal",
    "bronze_medal",
    "above_median",
    "submission_exists",
    "valid_submission",
    "is_lower_better",
)


@dataclass(frozen=True)
class Snapshot:
    """What a submission was worth at a moment of a run, in seconds after its start."""

    seconds: float
    score: float | None
    medal: str | None


@dataclass(frozen=True)
class SavedReport:
    """A report that was read from a file, and what its run had handed in on the way, where that was kept."""

    report: CompetitionReport
    path: Path
    snapshots: tuple[Snapshot, ...] = ()
    is_disqualified: bool = False  # for plagiarism: medals are taken away

    @property
    def run_id(self) -> str | None:
        """The run, where the report carries it."""
        return self.report.run_id

    @property
    def seed(self) -> int | None:
        """The seed of the run, where the report carries it."""
        return self.report.seed

    @property
    def competition_id(self) -> str:
        """The competition that was graded."""
        return self.report.competition_id

    @property
    def thresholds(self) -> tuple[float | None, ...]:
        """For gold, silver, bronze and the median: what it was graded with."""
        report = self.report
        return report.gold_threshold, report.silver_threshold, report.bronze_threshold, report.median_threshold

    @property
    def kind(self) -> DataKind:
        """The kind of data that it was graded on."""
        return kind_of_data(self.report.data)

    @property
    def is_twin(self) -> bool:
        """Whether the data was synthetic, so that medals and percentiles do not exist."""
        return self.kind is DataKind.TWIN


def read_reports(path: Path, *, follow: bool = False) -> list[SavedReport]:
    """The reports in a JSON file: a grading report of many submissions, or the report of one.

    With `follow` the path may be a link to such a file.
    """
    try:
        content = json.loads(read_regular(path, _LARGEST, follow=follow).decode("utf-8-sig"))
    except OSError as error:
        raise MlebenchError(f"There is no readable file {path} ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        raise MlebenchError(
            f"{syntax_place(path, error)} is not valid JSON.", hint="Give a grading report or a run group."
        ) from error
    entries = content
    if isinstance(content, dict):
        entries = content.get("competition_reports", [content] if "competition_id" in content else None)
    if not isinstance(entries, list):
        raise MlebenchError(f"{path} is no grading report: it has no list competition_reports.")
    return [_saved(entry, path, number) for number, entry in enumerate(entries, start=1)]


def newest_grading_report(folder: Path) -> Path | None:
    """The last grading report in a folder; their names begin with the time."""
    return max(grading_reports(folder), default=None)


def grading_reports(folder: Path) -> list[Path]:
    """All grading reports in a folder, the oldest first."""
    return sorted(folder.glob(GRADING_REPORTS))


def _saved(entry: Any, path: Path, number: int) -> SavedReport:
    try:
        if not isinstance(entry, dict):
            raise TypeError("it is not an object")
        values = dict(entry)
        for name in _NUMBERS:
            values[name] = _number(values.get(name))
        for name in _FLAGS:
            values[name] = _flag(values[name], name)
        for name in ("data", "run_id", "refusal"):
            if not isinstance(values.get(name), str | None):
                raise TypeError(name)
        if not isinstance(values["competition_id"], str):
            raise TypeError("competition_id")
        if not _is_seed(values.get("seed")):
            raise TypeError("seed")
        if not 0.0 <= (values["human_percentile"] or 0.0) <= 100.0:
            raise ValueError("human_percentile")
        values["edition"] = values.get("edition") or DEFAULT_EDITION
        if values["edition"] not in EDITIONS:
            raise ValueError("edition")
        values["submission_path"] = str(values["submission_path"] or "")  # null where nothing was handed in
        values["created_at"] = _time(values["created_at"])
        report = CompetitionReport.from_dict(values)
    except KeyError as error:
        raise MlebenchError(f"Report {number} in {path} has no field {error.args[0]}.") from error
    except (TypeError, ValueError, AttributeError, ArithmeticError, OSError) as error:
        raise MlebenchError(f"Report {number} in {path} does not have the form of a report ({error}).") from error
    return SavedReport(report, path)


def read_snapshots(path: Path) -> dict[str, tuple[Snapshot, ...]]:
    """The snapshots in `snapshots.json`, by run; nothing where there is no such file."""
    if not os.path.lexists(path):
        return {}
    try:
        content = json.loads(read_regular(path, _LARGEST).decode("utf-8"))
        return {
            run_id: tuple(
                Snapshot(_seconds(entry["seconds"]), _number(entry["score"]), _medal(entry["medal"]))
                for entry in sorted(entries, key=lambda entry: entry["seconds"])
            )
            for run_id, entries in content.items()
        }
    except OSError as error:
        raise MlebenchError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise MlebenchError(f"{path} is damaged or was written by another version of mlebench.") from error


def _seconds(value: Any) -> float:
    seconds = float(value)
    if not 0.0 <= seconds < math.inf:
        raise ValueError("seconds")
    return seconds


def _medal(value: Any) -> str | None:
    if not isinstance(value, str | None):
        raise TypeError("medal")
    return value


def _time(value: Any) -> datetime:
    """A time from ISO 8601 text or from seconds since 1970; in UTC where no zone is given, so that all compare."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return datetime.fromtimestamp(value, UTC)
    if not isinstance(value, str):
        raise TypeError("created_at")
    time = datetime.fromisoformat(value.strip())
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _flag(value: Any, name: str) -> bool:
    try:
        return truth_value(value)
    except TypeError:
        raise TypeError(name) from None


def _is_seed(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _number(value: Any) -> float | None:
    """A number, also one written as text; the token NaN stands for none."""
    if value is None or isinstance(value, bool):
        return None
    number = float(value)
    return None if math.isnan(number) else number
