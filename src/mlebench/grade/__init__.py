"""Grading: reading submissions, scores, medals and reports.

The names here are those of the published benchmark, loaded when they are asked for; authors of competitions import
`mlebench.kit`.
"""

from typing import TYPE_CHECKING, Any

from mlebench.base.lazy import lazy_attribute

if TYPE_CHECKING:
    from mlebench.competition.grader import Grader
    from mlebench.errors import InvalidSubmissionError
    from mlebench.grade.aggregate import aggregate_reports
    from mlebench.grade.batch import grade_jsonl
    from mlebench.grade.grading import grade_csv, validate_submission
    from mlebench.grade.report import CompetitionReport

__all__ = [
    "CompetitionReport",
    "Grader",
    "InvalidSubmissionError",
    "aggregate_reports",
    "grade_csv",
    "grade_jsonl",
    "validate_submission",
]
# The published module imports these, and other projects import them from it.
_OF_DATA = ["get_leaderboard", "is_dataset_prepared"]
_OF_UTILS = ["get_logger", "get_timestamp", "load_answers", "purple", "read_csv", "read_jsonl"]
_RULES = [
    "aligned", "as_text", "class_numbers", "complete", "distributions", "known_ids", "numbers", "one_of",
    "probabilities", "require_columns", "require_rows", "same_ids", "truth_values", "whole_numbers",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    return lazy_attribute(
        __name__,
        name,
        {
            "mlebench.grade.aggregate": ["aggregate_reports"],
            "mlebench.grade.batch": ["grade_jsonl"],
            "mlebench.grade.grading": ["grade_csv", "validate_submission"],
            "mlebench.grade.report": ["CompetitionReport"],
            "mlebench.competition.grader": ["Grader"],
            "mlebench.errors": ["InvalidSubmissionError"],
            "mlebench.data": _OF_DATA,
            "mlebench.compat.utils": _OF_UTILS,
            "mlebench.compat.grade": ["DEFAULT_REGISTRY", "logger"],
            "mlebench.competition.registry": ["Competition", "Registry"],
            # Competitions of users import the rules from here; they are part of the kit.
            "mlebench.kit": _RULES,
        },
    )
