"""Many reports in one: how many runs, submissions and medals there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlebench.grade.report import CompetitionReport


def aggregate_reports(competition_reports: Sequence[CompetitionReport]) -> dict[str, Any]:
    """The totals over reports, and the reports themselves, with the keys of the published grading report."""
    reports = list(competition_reports)
    return {
        "total_runs": len(reports),
        "total_runs_with_submissions": sum(bool(report.submission_exists) for report in reports),
        "total_valid_submissions": sum(bool(report.valid_submission) for report in reports),
        "total_medals": sum(bool(report.any_medal) for report in reports),
        "total_gold_medals": sum(bool(report.gold_medal) for report in reports),
        "total_silver_medals": sum(bool(report.silver_medal) for report in reports),
        "total_bronze_medals": sum(bool(report.bronze_medal) for report in reports),
        "total_above_median": sum(bool(report.above_median) for report in reports),
        "competition_reports": [report.to_dict() for report in reports],
    }
