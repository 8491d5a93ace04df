"""Scores and medals over the time of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mlebench.page.charts import medals_over_time_chart, over_time_chart
from mlebench.page.facts import CompetitionFacts, PageFacts, RunFacts
from mlebench.page.markup import Markup
from mlebench.page.quantities import duration, number, percent
from mlebench.page.sections.section import Section
from mlebench.page.shared import metric_of, name_of
from mlebench.page.templating import template

_DOTS = 25  # competitions at most whose snapshots are dots to point at; of more, there are lines only
_OPEN = 9  # charts; more are folded away


def over_time(page: PageFacts, _: Path) -> Markup:
    """Scores by the time of a run, from the snapshots that it left."""
    order = {group.label: place for place, group in enumerate(page.groups)}
    few = len(page.competitions) <= _DOTS
    figures = [drawn for facts in page.competitions if (drawn := _over_time(facts, order, with_dots=few)) is not None]
    return template(
        "time.html", page=page, medals=_medals_over_time(page), figures=figures, is_open=len(figures) <= _OPEN
    )


def points_of(run: RunFacts) -> list[tuple[float, float]]:
    """(seconds, score) of a run: its graded snapshots, and its end."""
    snapshots = run.report.snapshots if run.report else ()
    points = [(snapshot.seconds, snapshot.score) for snapshot in snapshots if snapshot.score is not None]
    if points and run.score is not None and run.seconds is not None and run.seconds > points[-1][0]:
        points.append((run.seconds, run.score))
    return points


def _over_time(facts: CompetitionFacts, order: dict[str, int], *, with_dots: bool) -> dict[str, object] | None:
    runs = [(run, points) for run in facts.runs if (points := points_of(run))]
    if not runs:
        return None
    lines = [(order[run.label], name_of(run, order), points) for run, points in runs]
    chart = over_time_chart(
        lines,
        facts.thresholds,
        f"{facts.competition.id}: scores over the time of a run",
        lower_is_better=facts.lower_is_better,
        with_dots=with_dots,
        marks_of=[str(run.run.record.seed) for run, _ in runs] if len(runs) > 1 else (),
    )
    words = [
        f"{label}: " + ", ".join(f"{duration(x)} {number(y)}" for x, y in changes(points)) for _, label, points in lines
    ]
    return {"name": facts.competition.id, "chart": chart, "metric": metric_of(facts), "words": words}


def changes(points: Sequence[tuple[float, float]], most: int = 8) -> list[tuple[float, float]]:
    """The points where the score changed, the last of them always."""
    changed = [point for place, point in enumerate(points) if place == 0 or point[1] != points[place - 1][1]]
    return changed if len(changed) <= most else [*changed[: most - 1], changed[-1]]


def _medals_over_time(page: PageFacts) -> dict[str, object] | None:
    lines = [
        (place, group.label, [(point["seconds"], point["any_medal"]) for point in group.aggregation.over_time])
        for place, group in enumerate(page.groups)
        if group.aggregation and group.aggregation.over_time
    ]
    if not lines:
        return None
    words = "; ".join(
        f"{label}: {percent(points[-1][1])} after {duration(points[-1][0])}" for _, label, points in lines
    )
    return {"chart": medals_over_time_chart(lines, "Runs with a medal over time, in percent"), "words": words}


SECTION = Section(place=60, anchor="time", name="Over time", draw=over_time)
