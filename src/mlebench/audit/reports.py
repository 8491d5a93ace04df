"""Scores that nobody reaches honestly, in grading reports: perfect ones, beyond all humans, or what a leak is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mlebench.audit.auditing import Audit

if TYPE_CHECKING:
    from mlebench.competition.leaderboard import Leaderboard
    from mlebench.grade.report import CompetitionReport

# What a perfect submission scores, by how the metric is bounded; others have no such score.
_BEST_OF_SHARES = 1.0
_BEST_OF_ERRORS = 0.0
_EQUAL = 1e-5  # between two scores that are rounded to five decimals


@dataclass(frozen=True)
class Suspect:
    """A score to look at, the reason's code, and the reason in words."""

    competition_id: str
    edition: str
    score: float
    code: str  # perfect, beyond_humans or equals_leak
    reason: str
    submission: str
    run_id: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The suspect as plain values."""
        return {
            "competition_id": self.competition_id,
            "edition": self.edition,
            "score": self.score,
            "code": self.code,
            "reason": self.reason,
            "submission_path": self.submission,
            "run_id": self.run_id,
        }


def suspects(
    report: CompetitionReport, humans: Leaderboard | None, audits: Mapping[tuple[str, str], Audit]
) -> list[Suspect]:
    """What is suspicious about one report: nothing, or one entry per reason."""
    if report.score is None:
        return []

    def suspect(code: str, reason: str) -> Suspect:
        edition = report.edition or "v1"
        path = str(report.submission_path or "")
        return Suspect(report.competition_id, edition, float(report.score or 0.0), code, reason, path, report.run_id)

    found = []
    lower = report.is_lower_better
    perfect = _BEST_OF_ERRORS if lower else _BEST_OF_SHARES
    is_share = humans is None or not humans.quantiles or lower or max(humans.quantiles) <= 1.0
    human_best = _best(humans)
    is_reached = human_best is not None and abs(human_best - perfect) <= _EQUAL
    if is_share and abs(report.score - perfect) <= _EQUAL and not is_reached:
        known = "" if human_best is None else f"; the best human scored {human_best:g}"
        found.append(suspect("perfect", f"The score is perfect{known}."))
    spread = _spread(humans)
    if human_best is not None and spread is not None and humans is not None:
        beyond = human_best - report.score if lower else report.score - human_best
        if beyond > spread > 0:
            words = (
                f"It is {beyond:.4g} better than the best human ({human_best:g}); "
                f"the best tenth of humans differ by {spread:.4g}."
            )
            found.append(suspect("beyond_humans", words))
    audit = audits.get((report.competition_id, report.edition or "v1"))
    for finding in audit.findings if audit else ():
        if (
            finding.severity == "leak"
            and finding.worth is not None
            and abs(finding.worth.score - report.score) <= _EQUAL
        ):
            found.append(suspect("equals_leak", f"It is exactly what the leak in {finding.where} is worth."))
            break
    return found


def _best(humans: Leaderboard | None) -> float | None:
    if humans is None:
        return None
    return float(humans.quantiles[0]) if humans.quantiles else float(humans.thresholds.gold)


def _spread(humans: Leaderboard | None) -> float | None:
    """By how much the humans at the top differ: from the best to the last of the best tenth."""
    if humans is None:
        return None
    if humans.quantiles and len(humans.quantiles) > 10:
        return abs(float(humans.quantiles[len(humans.quantiles) // 10]) - float(humans.quantiles[0]))
    return abs(float(humans.thresholds.gold) - float(humans.thresholds.bronze))
