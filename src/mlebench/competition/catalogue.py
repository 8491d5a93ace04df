"""Everything known about a competition, as plain values for tables and JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from mlebench.competition.local import LocalCompetition


def facts_of(competition: LocalCompetition) -> dict[str, Any]:
    """All facts of one competition; None where something is not known."""
    declared = competition.declaration
    sums = competition.known_checksums
    return figures_of(competition) | {
        "checksums": {"archive": sums.archive, "public": sums.public, "private": sums.private},
        "known_issues": [
            asdict(issue) | {"v2_exists": declared.differs("v2") if issue.v2 else None}
            for issue in declared.known_issues
        ],
    }


def figures_of(competition: LocalCompetition) -> dict[str, Any]:
    """The facts that fit into a table; those that files of the competition's own hold are not read."""
    declared = competition.declaration
    standings = competition.human_leaderboard()
    thresholds = standings.thresholds if standings else None
    return {
        "id": declared.id,
        "name": declared.name,
        "group": competition.group,
        "category": declared.category,
        "metric": competition.metric,
        "better": declared.better,
        "editions": list(declared.editions),
        "edition": competition.edition,
        "differs_from_v1": competition.differs,
        "no_medal_code": competition.no_medal_code(),
        "medal_caveat": competition.medal_caveat,
        "teams": standings.teams if standings else None,
        "gold": thresholds.gold if thresholds else None,
        "silver": thresholds.silver if thresholds else None,
        "bronze": thresholds.bronze if thresholds else None,
        "median": thresholds.median if thresholds else None,
        "leaderboard": standings.source if standings else None,
        "known_scores": standings.known if standings else None,
        "score_quantiles": list(standings.quantiles) if standings and standings.quantiles else None,
        "sample_submission_score": None if competition.differs else declared.sample_submission_score,
        "gigabytes": declared.gigabytes,
    }
