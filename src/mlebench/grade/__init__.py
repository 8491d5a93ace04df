"""Grading: rules for submissions, scores, medals and reports."""

from mlebench.errors import InvalidSubmissionError
from mlebench.grade.grader import Grader
from mlebench.grade.grading import grade_csv, grade_jsonl, validate_submission
from mlebench.grade.report import CompetitionReport
from mlebench.grade.rules import (
    aligned,
    as_text,
    class_numbers,
    complete,
    distributions,
    known_ids,
    numbers,
    one_of,
    probabilities,
    require_columns,
    require_rows,
    same_ids,
    truth_values,
    whole_numbers,
)

__all__ = [
    "CompetitionReport",
    "Grader",
    "InvalidSubmissionError",
    "aligned",
    "as_text",
    "class_numbers",
    "complete",
    "distributions",
    "grade_csv",
    "grade_jsonl",
    "known_ids",
    "numbers",
    "one_of",
    "probabilities",
    "require_columns",
    "require_rows",
    "same_ids",
    "truth_values",
    "validate_submission",
    "whole_numbers",
]
