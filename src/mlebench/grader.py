"""Scoring one submission table against one answers table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from mlebench.competition import GradeFn
from mlebench.errors import InvalidSubmissionError
from mlebench.leaderboard import Leaderboard
from mlebench.logs import get_logger
from mlebench.vocabulary import Direction

if TYPE_CHECKING:
    import pandas as pd

DECIMALS = 5  # a reported score is the raw score rounded to this many places


class Grader:
    """The grading of one competition.

    `grader(submission, answers)` returns the rounded score, or None for a submission that breaks the rules;
    `raw_score` returns the unrounded one and raises InvalidSubmissionError instead.
    """

    def __init__(self, name: str, grade_fn: GradeFn) -> None:
        self.name = name
        self.grade_fn = grade_fn

    def raw_score(self, submission: pd.DataFrame, answers: Any) -> float:
        """The unrounded score; every way in which a submission cannot be scored is an InvalidSubmissionError."""
        import numpy as np
        import pandas as pd

        from mlebench.files.tables import plain_strings, with_plain_strings

        if isinstance(answers, pd.DataFrame):
            answers = with_plain_strings(answers)
        try:
            # Numbers at the edge of all bounds overflow on their way to a score, which is infinite then or none.
            with plain_strings(), np.errstate(all="ignore"):
                score = float(self.grade_fn(with_plain_strings(submission), answers))
        except InvalidSubmissionError:
            raise
        except Exception as error:
            # The published graders raise all sorts of errors on broken input and count them as "no score". What they
            # say is about code, so it goes to the log; the rules of a competition should leave nothing for here.
            get_logger(__name__).debug("grading raised", exc_info=True)
            raise InvalidSubmissionError(
                f"The submission cannot be scored: grading it fails ({type(error).__name__}). "
                "Compare it with the sample submission."
            ) from error
        if math.isnan(score):
            raise InvalidSubmissionError(
                "The score of this submission is not a number: check for constant or empty predictions."
            )
        return score

    def __call__(self, submission: pd.DataFrame, answers: Any) -> float | None:
        """The rounded score; None for a submission that breaks the rules."""
        try:
            return round(self.raw_score(submission, answers), DECIMALS)
        except InvalidSubmissionError as error:
            get_logger(__name__).warning("Invalid submission: %s", error)
            return None

    def is_lower_better(self, leaderboard: pd.DataFrame) -> bool:
        """Whether a lower score is better, seen from a leaderboard whose first row is the best."""
        scores = leaderboard["score"]
        return bool(scores.iloc[0] < scores.iloc[-1])

    def rank_score(self, score: float | None, leaderboard: pd.DataFrame) -> dict[str, Any]:
        """Medals and thresholds of a score by its position on a leaderboard."""
        better: Direction = "lower" if self.is_lower_better(leaderboard) else "higher"
        standings = Leaderboard.from_scores([float(each) for each in leaderboard["score"]], better, "given")
        standing, limits = standings.standing(score), standings.thresholds
        return {
            "gold_medal": standing.gold_medal,
            "silver_medal": standing.silver_medal,
            "bronze_medal": standing.bronze_medal,
            "above_median": standing.above_median,
            "gold_threshold": limits.gold,
            "silver_threshold": limits.silver,
            "bronze_threshold": limits.bronze,
            "median_threshold": limits.median,
        }
