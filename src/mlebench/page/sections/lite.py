"""The Lite score of every group."""

from __future__ import annotations

from pathlib import Path

from mlebench.page.facts import PageFacts
from mlebench.page.markup import Markup
from mlebench.page.quantities import NONE
from mlebench.page.sections.section import Section
from mlebench.page.tables import Column, number_cell, table, text_cell
from mlebench.page.templating import template
from mlebench.score.group import NAMES
from mlebench.score.lite import rounded


def lite(page: PageFacts, _: Path) -> Markup | None:
    """The Lite score, seed by seed."""
    rows, means_of_seeds = [], []
    for group in page.groups:
        score = group.lite
        if score is None:
            continue
        agent = [text_cell(group.label)] if page.is_comparison else []
        for seed in score.seeds:
            shown = [number_cell(value, _two(value)) for value in (rounded(seed.values[name]) for name in NAMES)]
            rows.append([*agent, text_cell(f"seed {seed.seed}"), *shown])
        if len(score.seeds) > 1:
            means = [(score.mean(name), score.standard_error(name)) for name in NAMES]
            cells = [number_cell(mean, NONE if mean is None else f"{mean:.2f} ± {error:.2f}") for mean, error in means]
            means_of_seeds.append([*agent, text_cell("mean ± SE"), *cells])
    if not rows:
        return None
    agent_column = [Column("agent")] if page.is_comparison else []
    columns = [*agent_column, Column("seed"), *(Column(name.replace("_", " "), is_number=True) for name in NAMES)]
    return template("lite.html", table=table("Lite score per seed", columns, rows, foot=means_of_seeds, is_named=True))


def _two(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


SECTION = Section(place=80, anchor="lite", name="Lite score", draw=lite)
