"""Drop-in names of the published benchmark; see `mlebench.grade`."""

from mlebench.errors import InvalidSubmissionError
from mlebench.grade.report import CompetitionReport
from mlebench.grader import Grader

__all__ = ["CompetitionReport", "Grader", "InvalidSubmissionError"]
