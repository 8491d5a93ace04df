"""What runs used of their budgets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import mean

from mlebench.page.charts import (
    bar_chart,
    histogram,
)
from mlebench.page.facts import CompetitionFacts, GroupFacts, PageFacts, RunFacts
from mlebench.page.markup import Markup, element
from mlebench.page.quantities import percent
from mlebench.page.sections.section import Section
from mlebench.page.shared import group_legend
from mlebench.page.tables import (
    figure,
    folded,
    note,
    section,
)

_BARS = 16  # bars at most; more competitions are counted in tenths of the budget


def budgets(page: PageFacts, _: Path) -> Markup:
    """Time and memory against what was allowed."""
    time = _budget(page, "time", lambda run: run.time_share)
    memory = _budget(page, "memory", lambda run: run.memory_share)
    if time is None and memory is None:
        return section("budget", "Time and memory", note("Nothing was measured, or there were no budgets."))
    return section(
        "budget",
        "Time and memory",
        group_legend(page),
        element("div", time, memory, class_="charts"),
        note("The table of runs has every one of them."),
    )


def _budget(page: PageFacts, what: str, share: Callable[[RunFacts], float | None]) -> Markup | None:
    per_group = [[value for run in group.runs if (value := share(run)) is not None] for group in page.groups]
    if not any(per_group):
        return None
    words = "; ".join(
        (f"{group.label}: " if page.is_comparison else "")
        + f"{percent(mean(values))} on average, {percent(max(values))} at most"
        for group, values in zip(page.groups, per_group, strict=True)
        if values
    )
    title, caption = f"{what.capitalize()} used, in percent of the budget", f"{words}."
    if len(page.competitions) * len(page.groups) > _BARS:
        chart = histogram(
            per_group, f"How many runs used which part of their {what}, in tenths of the budget. {words}."
        )
        return figure(title, chart, "How many runs used 0 to 10 %, 10 to 20 %, and so on. ", caption)
    names = [facts.competition.id for facts in page.competitions]
    means = [[_mean_share(facts, group, share) for facts in page.competitions] for group in page.groups]
    chart = bar_chart(
        names,
        means,
        f"{what.capitalize()} used per competition, in percent of the budget. {words}.",
        shown=percent,
        axis=lambda value: f"{value:g} %",
    )
    listed = [
        element("li", f"{name}: " + ", ".join(percent(values[place]) for values in means))
        for place, name in enumerate(names)
    ]
    return figure(title, chart, caption, folded("In words", element("ul", listed)))


def _mean_share(facts: CompetitionFacts, group: GroupFacts, share: Callable[[RunFacts], float | None]) -> float | None:
    values = [value for run in facts.runs if run.label == group.label and (value := share(run)) is not None]
    return mean(values) if values else None


SECTION = Section(place=50, anchor="budget", name="Time and memory", draw=budgets)
