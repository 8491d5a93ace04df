"""The medals: a row per competition and group."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

from mlebench.page.facts import PageFacts, RunFacts
from mlebench.page.markup import Markup, element
from mlebench.page.outcomes import outcome
from mlebench.page.sections.section import Section
from mlebench.page.shared import metric_of
from mlebench.page.tables import (
    Cell,
    Column,
    medal_badge,
    medal_rank,
    number_cell,
    percent_cell,
    section,
    table,
    text_cell,
)


def medals(page: PageFacts, _: Path) -> Markup:
    """A row per competition and group: the medal of every seed."""
    rows = []
    for facts in page.competitions:
        declaration = facts.competition.declaration
        for group in page.groups:
            runs = [run for run in facts.runs if run.label == group.label]
            if not runs:
                continue
            ordered = sorted(runs, key=lambda run: run.run.record.seed)
            badges = [element("li", _seed_badge(run)) for run in ordered]
            scores = [run.score for run in runs if run.score is not None]
            percentiles = [run.percentile for run in runs if run.percentile is not None]
            row = [
                text_cell(declaration.id),
                text_cell(group.label) if page.is_comparison else None,
                text_cell(declaration.category),
                text_cell(metric_of(facts)),
                Cell(
                    element("ul", badges, class_="badges"), sum(medal_rank(run.medal) + bool(run.medal) for run in runs)
                ),
                number_cell(mean(scores) if scores else None),
                percent_cell(mean(percentiles) if percentiles else None),
            ]
            rows.append([cell for cell in row if cell is not None])
    names = ["competition", *(["agent"] if page.is_comparison else []), "category", "metric", "medal of every seed"]
    columns = [*(Column(name) for name in names), Column("mean score", True), Column("mean percentile", True)]
    return section("medals", "Medals per competition", table("Medals per competition", columns, rows, is_named=True))


def _seed_badge(run: RunFacts) -> Markup:
    return element("a", f"{run.run.record.seed} ", medal_badge(run.medal, outcome(run)), href=f"#{run.anchor}")


SECTION = Section(place=30, anchor="medals", name="Medals", draw=medals)
