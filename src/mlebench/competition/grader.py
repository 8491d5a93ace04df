"""Scoring one submission table against one answers table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.base.author_code import error_text, in_brackets, place_of
from mlebench.base.codes import RefusalCode
from mlebench.base.logs import get_logger
from mlebench.competition.declaration import GradeFn
from mlebench.competition.leaderboard import Leaderboard
from mlebench.competition.named_functions import import_fn
from mlebench.competition.vocabulary import Direction
from mlebench.errors import GraderError, InvalidSubmissionError, MlebenchError

if TYPE_CHECKING:
    import pandas as pd

DECIMALS = 5  # a reported score is the raw score rounded to this many places


class CrashedGradingError(InvalidSubmissionError):
    """Grading raised an ordinary error, so that there is no score; a closer look may find the grader at fault.

    `error_text` is the error, which may quote answers, and `in_code` the line of the grader: for its author alone.
    """

    def __init__(self, error: BaseException, in_code: str | None) -> None:
        super().__init__(
            f"The submission cannot be scored: grading it fails ({type(error).__name__}"
            f"{f' in {Path(in_code).name}' if in_code else ''}). Compare it with the sample submission.",
            code=RefusalCode.GRADING_FAILED,
        )
        self.error_text, self.in_code = error_text(error), in_code


def _number(score: Any) -> float:
    """A score as a number; whatever else a grader returns is named by its type alone, since it may hold answers."""
    try:
        return float(score)
    except (TypeError, ValueError):
        raise TypeError(f"the grader returned {type(score).__name__}, where a score is a number") from None


@dataclass(frozen=True)
class Grader:
    """The grading of one competition.

    `grader(submission, answers)` returns the rounded score, or None for a submission that breaks the rules;
    `raw_score` returns the unrounded one and raises InvalidSubmissionError instead. `name` is the name of the metric in
    the published benchmark. As there, `grade_fn` may also be the text `module:function`.
    """

    name: str
    grade_fn: GradeFn

    def __post_init__(self) -> None:
        if isinstance(self.grade_fn, str):
            object.__setattr__(self, "grade_fn", import_fn(self.grade_fn))

    @staticmethod
    def from_dict(data: Mapping[str, str]) -> Grader:
        """The grader that a configuration in the published form names: `name`, and `grade_fn` as module:function."""
        return Grader(data["name"], import_fn(data["grade_fn"]))

    def raw_score(self, submission: pd.DataFrame, answers: Any) -> float:
        """The unrounded score; every way in which a submission cannot be scored is an InvalidSubmissionError."""
        import numpy as np
        import pandas as pd

        from mlebench.files.tables import with_plain_strings

        if isinstance(answers, pd.DataFrame):
            answers = with_plain_strings(answers)
        try:
            # Numbers at the edge of all bounds overflow on their way to a score, which is infinite then or none.
            with np.errstate(all="ignore"):
                score = _number(self.grade_fn(with_plain_strings(submission), answers))
        except GraderError as error:
            place = in_brackets(place_of(error, self.grade_fn))
            raise GraderError(f"{error.sentence.rstrip('.')}{place}.", hint=error.hint) from error
        except MlebenchError:  # of the submission, or of a grader that cannot be imported
            raise
        except (Exception, SystemExit) as error:
            # The published graders raise all sorts of errors on broken input and count them as "no score". What they
            # say is about code, and may quote answers, so it goes to the log; the rules of a competition should leave
            # nothing for here.
            get_logger(__name__).debug("grading raised", exc_info=True)
            raise CrashedGradingError(error, place_of(error, self.grade_fn)) from error
        if math.isnan(score):
            raise InvalidSubmissionError(
                "The score of this submission is not a number: check for constant or empty predictions.",
                code=RefusalCode.NO_SCORE,
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
        standings = Leaderboard.from_scores([float(score) for score in leaderboard["score"]], better, "given")
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
