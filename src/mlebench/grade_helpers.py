"""Drop-in names of the published benchmark; see `mlebench.grade`."""

from mlebench.competition.grader import Grader
from mlebench.errors import InvalidSubmissionError
from mlebench.grade.report import CompetitionReport

__all__ = ["CompetitionReport", "Grader", "InvalidSubmissionError"]
