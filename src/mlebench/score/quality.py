"""Where a score stands: among humans, between the sample and gold, or on twins between the sample and perfection."""

from __future__ import annotations

import math

from mlebench.competition import Competition
from mlebench.grade.saved import SavedReport


def human_percentile(saved: SavedReport, competition: Competition) -> float | None:
    """The percentile of a report: 0 if it is not valid, None on twins and where no human scores are known.

    Where only thresholds are known it ends at the median; below that, 50 times the way from the sample to the median.
    """
    report = saved.report
    if report.score is None or not report.valid_submission:
        return 0.0
    if saved.is_twin:
        return None
    if report.human_percentile is not None:
        return report.human_percentile
    board = competition.human_leaderboard()
    if board is None:
        return None
    known = board.percentile(report.score)
    if known is not None:
        return known
    sample = competition.sample_submission_score
    return 0.0 if sample is None else 50.0 * way(report.score, sample, board.thresholds.median)


def normalised_score(saved: SavedReport, competition: Competition) -> float | None:
    """(score - sample) / (gold - sample): 0 for the sample or an invalid one, 1 for gold; None where one is unknown."""
    report = saved.report
    if report.score is None or not report.valid_submission:
        return 0.0
    sample, gold = competition.sample_submission_score, report.gold_threshold
    if saved.is_twin or sample is None or gold is None or gold == sample:
        return None
    return (report.score - sample) / (gold - sample) if math.isfinite(report.score) else 0.0


def way(score: float, start: float, end: float) -> float:
    """How far a score is on the way from start to end, from 0 to 1.

    >>> way(0.75, 0.5, 1.0)
    0.5
    """
    if end == start:
        return float(score == end)
    part = (score - start) / (end - start)
    return 0.0 if math.isnan(part) else min(1.0, max(0.0, part))
