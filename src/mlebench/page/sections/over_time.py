"""Scores and medals over the time of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mlebench.page.charts import (
    medals_over_time_chart,
    over_time_chart,
)
from mlebench.page.facts import CompetitionFacts, PageFacts
from mlebench.page.markup import Markup, element
from mlebench.page.quantities import duration, number, percent
from mlebench.page.sections.section import Section
from mlebench.page.shared import group_legend, metric_of, name_of
from mlebench.page.tables import (
    figure,
    folded,
    note,
    section,
)

_DOTS = 25  # competitions at most whose snapshots are dots to point at; of more, there are lines only


def over_time(page: PageFacts, _: Path) -> Markup:
    """Scores by the time of a run, from the snapshots that it left."""
    order = {group.label: place for place, group in enumerate(page.groups)}
    few = len(page.competitions) <= _DOTS
    figures = [drawn for facts in page.competitions if (drawn := _over_time(facts, order, with_dots=few)) is not None]
    if not figures:
        return section(
            "time",
            "Score over time",
            note("There are no graded snapshots: ", element("code", "mlebench run --snapshot-every"), " keeps them."),
        )
    return section(
        "time",
        "Score over time",
        note("What a run would have scored had it stopped there. Up is better."),
        group_legend(page),
        element("div", _medals_over_time(page), figures, class_="charts", data_filtered="Score over time"),
    )


def _over_time(facts: CompetitionFacts, order: dict[str, int], *, with_dots: bool) -> Markup | None:
    lines = []
    for run in facts.runs:
        points = [
            (one.seconds, one.score) for one in (run.report.snapshots if run.report else ()) if one.score is not None
        ]
        if points and run.score is not None and run.seconds is not None and run.seconds > points[-1][0]:
            points.append((run.seconds, run.score))
        if points:
            lines.append((order[run.label], name_of(run, order), points))
    if not lines:
        return None
    name = facts.competition.id
    words = [
        element("li", f"{label}: " + ", ".join(f"{duration(x)} {number(y)}" for x, y in _few(points)))
        for _, label, points in lines
    ]
    chart = over_time_chart(
        lines,
        facts.thresholds,
        f"{name}: scores over the time of a run",
        lower_is_better=facts.lower_is_better,
        with_dots=with_dots,
    )
    return figure(name, chart, metric_of(facts), folded("In words", element("ul", words)), name=name)


def _few(points: Sequence[tuple[float, float]], most: int = 8) -> list[tuple[float, float]]:
    """The points where the score changed, the last of them always."""
    changed = [point for place, point in enumerate(points) if place == 0 or point[1] != points[place - 1][1]]
    return changed if len(changed) <= most else [*changed[: most - 1], changed[-1]]


def _medals_over_time(page: PageFacts) -> Markup | None:
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
    chart = medals_over_time_chart(lines, "Runs with a medal over time, in percent")
    return figure("Runs with a medal, in percent", chart, f"{words}.")


SECTION = Section(place=60, anchor="time", name="Over time", draw=over_time)
