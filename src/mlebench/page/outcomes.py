"""What became of a run, in a word or two, and the mark that stands for it."""

from __future__ import annotations

from mlebench.competition.leaderboard import MEDALS
from mlebench.page.facts import RunFacts

OUTCOMES = (
    *MEDALS,
    "above median",
    "below median",
    "valid",
    "not valid",
    "failed",
    "timed out",
    "not graded",
    "not ended",
    "running",  # of a live page, which knows more of runs that have not ended
    "waiting",
)
# Where there is room for a letter only. A run without a mark is known by its percentile.
MARKS = {
    "gold": "G",
    "silver": "S",
    "bronze": "B",
    "valid": "✓",
    "not valid": "I",
    "failed": "F",
    "timed out": "T",
    "not graded": "?",
    "not ended": "…",
    "running": "▸",
    "waiting": "…",
}
RANKS = {name: len(OUTCOMES) - place for place, name in enumerate(OUTCOMES)}


def outcome(run: RunFacts) -> str:
    """What became of a run, in a word or two; of one without a valid submission, how it ended."""
    record = run.run.record
    if not record.has_ended:
        return run.live.outcome if run.live else "not ended"
    ended = "timed out" if record.status == "timeout" else "not valid" if record.status == "success" else "failed"
    if run.report is None:  # what was cut short and handed in nothing is known without a report
        is_known = record.submission is None and record.status not in ("success", "cancelled")
        return ended if is_known else "not graded"
    report = run.report.report
    if run.medal:
        return run.medal
    if not report.valid_submission:
        return ended
    if run.report.is_twin or report.median_threshold is None:  # there is nobody to stand above or below
        return "valid"
    return "above median" if report.above_median else "below median"
