"""What became of a run, in a word or two."""

from __future__ import annotations

from mlebench.competition.leaderboard import MEDALS
from mlebench.page.facts import RunFacts

OUTCOMES = (*MEDALS, "above median", "below median", "valid", "not valid", "not graded", "not ended")


def outcome(run: RunFacts) -> str:
    """What became of a run, in a word or two."""
    if not run.run.record.has_ended:
        return "not ended"
    if run.report is None:
        return "not graded"
    report = run.report.report
    if run.medal:
        return run.medal
    if not report.valid_submission:
        return "not valid"
    if run.report.is_twin or report.median_threshold is None:  # there is nobody to stand above or below
        return "valid"
    return "above median" if report.above_median else "below median"
