"""How good an agent was at which time of its runs, from the snapshots of its submissions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from statistics import mean
from typing import Any

from mlebench.competition.declaration import Competition
from mlebench.results.measures import human_percentile
from mlebench.results.reports import SavedReport, Snapshot
from mlebench.results.runs import Run
from mlebench.results.sources import Reports


def over_time(source: Reports, competitions: Mapping[str, Competition]) -> list[dict[str, Any]]:
    """Medals and percentiles of all runs at the times of their snapshots and when the last of them ended.

    Before its first snapshot a run has nothing, after its end what it handed in; nothing without any snapshot.
    """
    runs = source.runs
    if not any(run.snapshots for run in runs):
        return []
    lines = [_timeline(run, competitions[run.record.competition_id]) for run in runs]
    times = {snapshot.seconds for run in runs for snapshot in run.snapshots}
    rows = []
    for seconds in sorted(times | {max(line[-1][0] for line in lines)}):
        reached = [[point for point in line if point[0] <= seconds][-1:] for line in lines]
        percentiles = [found[0][2] if found else 0.0 for found in reached]
        known = [percentile for percentile in percentiles if percentile is not None]
        rows.append(
            {
                "seconds": seconds,
                "any_medal": 100.0 * mean(bool(found and found[0][1]) for found in reached),
                "human_percentile": mean(known) if len(known) == len(percentiles) else None,
                "runs": len(lines),
            }
        )
    return rows


def _timeline(run: Run, competition: Competition) -> list[tuple[float, bool, float | None]]:
    """(seconds, whether there was a medal, the percentile) of a run, in order; the last entry is its end."""
    assert run.report is not None
    report = run.report
    entries = [
        (snapshot.seconds, snapshot.medal is not None, _percentile(report, snapshot, competition))
        for snapshot in report.snapshots
    ]
    ended = max([float(run.record.usage.get("seconds") or 0.0), *(entry[0] for entry in entries)])
    return [*entries, (ended, report.report.any_medal, human_percentile(report, competition))]


def _percentile(saved: SavedReport, snapshot: Snapshot, competition: Competition) -> float | None:
    """The percentile of a snapshot, as if it had been handed in."""
    is_valid = snapshot.score is not None
    report = replace(saved.report, score=snapshot.score, valid_submission=is_valid, human_percentile=None)
    return human_percentile(replace(saved, report=report), competition)
