"""What runs used of their budgets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import mean

from mlebench.page.charts import histogram
from mlebench.page.facts import PageFacts, RunFacts
from mlebench.page.markup import Markup
from mlebench.page.quantities import percent
from mlebench.page.sections.section import Section
from mlebench.page.templating import template


def budgets(page: PageFacts, _: Path) -> Markup:
    """Time and memory against what was allowed."""
    found = [_budget(page, "time", lambda run: run.time_share), _budget(page, "memory", lambda run: run.memory_share)]
    return template("budget.html", page=page, figures=[figure for figure in found if figure])


def _budget(page: PageFacts, what: str, share: Callable[[RunFacts], float | None]) -> dict[str, object] | None:
    per_group = [[value for run in group.runs if (value := share(run)) is not None] for group in page.groups]
    if not any(per_group):
        return None
    words = "; ".join(
        (f"{group.label}: " if page.is_comparison else "")
        + f"{percent(mean(values))} on average, {percent(max(values))} at most"
        for group, values in zip(page.groups, per_group, strict=True)
        if values
    )
    label = f"How many runs used which part of their {what}, in tenths of the budget. {words}."
    of = "of the budget" if what == "time" else "of the budget, or of the machine's where that is less"
    return {"title": f"{what.capitalize()} used, in percent {of}", "chart": histogram(per_group, label), "words": words}


SECTION = Section(place=50, anchor="budget", name="Time and memory", draw=budgets)
