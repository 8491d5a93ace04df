"""Names of the published package's `mlebench.grade_helpers`; see `mlebench.competition.grader` and `mlebench.grade`."""

import logging

from mlebench.base.logs import shown_logger as get_logger
from mlebench.competition.grader import Grader
from mlebench.competition.named_functions import import_fn
from mlebench.errors import InvalidSubmissionError
from mlebench.grade.report import CompetitionReport

__all__ = ["CompetitionReport", "Grader", "InvalidSubmissionError", "get_logger", "import_fn", "logger"]
logger = logging.getLogger(__name__)
