"""Reading reports back: those that mlebench wrote, and those of others that have the published fields only."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlebench.errors import MlebenchError
from mlebench.grade.report import CompetitionReport

GRADING_REPORTS = "*grading_report*.json"
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
    """What a submission was worth after so many seconds of a run."""

    seconds: float
    score: float | None
    any_medal: bool
    human_percentile: float | None = None


@dataclass(frozen=True)
class SavedReport:
    """A report that was read from a file; `run_id` and `seed` are None where it does not carry them."""

    report: CompetitionReport
    path: Path
    run_id: str | None = None
    seed: int | None = None
    snapshots: tuple[Snapshot, ...] = ()

    @property
    def competition_id(self) -> str:
        """The competition that was graded."""
        return self.report.competition_id

    @property
    def is_twin(self) -> bool:
        """Whether the data was synthetic, so that medals and percentiles do not exist."""
        return (self.report.data or "").startswith("twin")


def read_reports(path: Path) -> list[SavedReport]:
    """The reports in a JSON file: a grading report of many submissions, or the report of one."""
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise MlebenchError(f"There is no readable file {path} ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        raise MlebenchError(f"{path} is not valid JSON.", hint="Give a grading report or a run group.") from error
    entries = content
    if isinstance(content, dict):
        entries = content.get("competition_reports", [content] if "competition_id" in content else None)
    if not isinstance(entries, list):
        raise MlebenchError(f"{path} is no grading report: it has no list competition_reports.")
    return [_saved(entry, path, number) for number, entry in enumerate(entries, start=1)]


def newest_grading_report(folder: Path) -> Path | None:
    """The last grading report in a folder; their names begin with the time."""
    return max(folder.glob(GRADING_REPORTS), default=None)


def _saved(entry: Any, path: Path, number: int) -> SavedReport:
    try:
        values = dict(entry)
        for name in _NUMBERS:
            values[name] = _number(values.get(name))
        for name in _FLAGS:
            if not isinstance(values[name], bool):
                raise TypeError(name)
        if not isinstance(values["competition_id"], str):
            raise TypeError("competition_id")
        report = CompetitionReport.from_dict(values)
        run_id, seed = values.get("run_id"), values.get("seed")
        snapshots = tuple(_snapshot(each) for each in values.get("snapshots") or ())
    except KeyError as error:
        raise MlebenchError(f"Report {number} in {path} has no field {error.args[0]}.") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise MlebenchError(f"Report {number} in {path} does not have the form of a report ({error}).") from error
    is_whole = isinstance(seed, int) and not isinstance(seed, bool)
    return SavedReport(report, path, str(run_id) if run_id else None, seed if is_whole else None, snapshots)


def _snapshot(values: Any) -> Snapshot:
    score, percentile = _number(values.get("score")), _number(values.get("human_percentile"))
    return Snapshot(float(values["seconds"]), score, values.get("any_medal") is True, percentile)


def _number(value: Any) -> float | None:
    """A number, also one written as text; the token NaN stands for none."""
    if value is None or isinstance(value, bool):
        return None
    number = float(value)
    return None if math.isnan(number) else number
