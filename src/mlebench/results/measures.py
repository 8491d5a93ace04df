"""Where a score stands: among humans, between the sample and gold, or on twins between the sample and perfection."""

from __future__ import annotations

import math

from mlebench.base.codes import Code
from mlebench.competition.declaration import Competition
from mlebench.competition.vocabulary import DEFAULT_EDITION, EDITIONS, Edition
from mlebench.results.reports import SavedReport


def human_percentile(saved: SavedReport, competition: Competition) -> float | None:
    """The percentile of a report: None on twins and where no human scores are known, else 0 if it is not valid.

    Where only thresholds are known it ends at the median; below that, 50 times how far it is from the sample to that.
    """
    report = saved.report
    if saved.is_twin:
        return None
    is_valid = report.score is not None and report.valid_submission
    if is_valid and report.human_percentile is not None:
        return report.human_percentile
    board = competition.human_leaderboard() if _is_task_of_humans(report.edition, competition) else None
    if board is None:
        # Failures alone must not count where success cannot.
        return None if is_valid or report.median_threshold is None else 0.0
    if report.score is None or not report.valid_submission:
        return 0.0
    known = board.percentile(report.score)
    if known is not None:
        return known
    sample = competition.sample_submission_score
    return 0.0 if sample is None else 50.0 * fraction_between(report.score, sample, board.thresholds.median)


class NotNormalised(Code):
    """Why a score cannot be placed between the sample and gold."""

    TWIN = "twin", "Twins have no human scores."
    NO_SAMPLE_SCORE = "no_sample_score", "What the sample submission scores is not known."
    NO_GOLD_THRESHOLD = "no_gold_threshold", "There is no gold threshold."
    GOLD_IS_SAMPLE = "gold_is_sample", "The sample submission scores as much as gold."
    OTHER_EDITION = "other_edition", "What the sample submission scores is known in edition v1 alone."


def normalised_score(saved: SavedReport, competition: Competition) -> float | None:
    """(score - sample) / (gold - sample): 0 for the sample or an invalid one, 1 for gold; None where one is unknown."""
    normalised = normalised_or_reason(saved, competition)
    return None if isinstance(normalised, NotNormalised) else normalised


def normalised_or_reason(saved: SavedReport, competition: Competition) -> float | NotNormalised:
    """The normalised score, or why there is none."""
    report, sample = saved.report, competition.sample_submission_score
    gold = report.gold_threshold
    if gold is None and (board := competition.human_leaderboard()):  # others need not tell it
        gold = board.thresholds.gold
    if saved.is_twin:
        return NotNormalised.TWIN
    if sample is None:
        return NotNormalised.NO_SAMPLE_SCORE
    if gold is None:
        return NotNormalised.NO_GOLD_THRESHOLD
    if gold == sample:
        return NotNormalised.GOLD_IS_SAMPLE
    if competition.differs(_edition(report.edition)):
        return NotNormalised.OTHER_EDITION
    if report.score is None or not report.valid_submission or not math.isfinite(report.score):
        return 0.0
    return (report.score - sample) / (gold - sample)


def _edition(name: str) -> Edition:
    return next((edition for edition in EDITIONS if edition == name), DEFAULT_EDITION)


def _is_task_of_humans(edition: str, competition: Competition) -> bool:
    return competition.changes(_edition(edition)).no_medals is None


def fraction_between(score: float, start: float, end: float) -> float:
    """How far a score is from start to end, from 0 to 1.

    >>> fraction_between(0.75, 0.5, 1.0)
    0.5
    """
    if end == start:
        return float(score == end)
    fraction = (score - start) / (end - start)
    return 0.0 if math.isnan(fraction) else min(1.0, max(0.0, fraction))
