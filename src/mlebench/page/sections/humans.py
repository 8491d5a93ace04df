"""The scores of runs among those that decided the medals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mlebench.page.charts import (
    LINES,
    Dot,
    human_chart,
)
from mlebench.page.facts import CompetitionFacts, PageFacts, RunFacts
from mlebench.page.markup import Markup, element, joined
from mlebench.page.quantities import number, percent
from mlebench.page.sections.section import Section
from mlebench.page.shared import group_keys, metric_of, name_of
from mlebench.page.tables import (
    figure,
    folded,
    note,
    section,
)


def humans(page: PageFacts, _: Path) -> Markup:
    """Every competition as a small chart: the humans' scores, the thresholds, and the runs."""
    order = {group.label: place for place, group in enumerate(page.groups)}
    figures = [_humans(facts, order) for facts in page.competitions if facts.thresholds is not None]
    is_practice = all(facts.is_practice for facts in page.competitions)
    heading = "Scores against the leaderboard of pipelines" if is_practice else "Scores against the human distribution"
    teams = "pipelines" if is_practice else "teams"
    without = [facts.competition.id for facts in page.competitions if facts.thresholds is None]
    words = None
    if without:
        named = ", ".join(without[:5]) + (f" and {len(without) - 5} more" if len(without) > 5 else "")
        words = note(f"Without thresholds, because nothing is graded, the data are twins or nobody competes: {named}.")
    if not figures:
        return section("humans", heading, words or note("There is nothing to compare."))
    key = [element("span", "pipelines" if is_practice else "humans", class_="key line-humans")]
    key += [element("span", name, class_=f"key line-{name}") for name in LINES]
    key += group_keys(order)
    return section(
        "humans",
        heading,
        note(
            f"Across: the share of {teams} that a score beats or equals. Up is better, also where low scores are good. "
            f"The worst tenth of the {teams} is not drawn; a run far off is at the border."
        ),
        element("p", joined(key, " "), class_="legend"),
        element("div", figures, class_="charts", data_filtered=heading),
        words,
    )


def _humans(facts: CompetitionFacts, order: dict[str, int]) -> Markup:
    assert facts.thresholds is not None
    scored = [run for run in facts.runs if run.score is not None]
    dots = [
        Dot(
            0.0 if run.percentile is None else run.percentile,
            float(run.score or 0.0),
            order[run.label],
            f"{name_of(run, order)}: {number(run.score)}, {percent(run.percentile)}",
        )
        for run in scored
    ]
    name = facts.competition.id
    metric = metric_of(facts)
    limits = ", ".join(f"{line} {number(getattr(facts.thresholds, line))}" for line in LINES)
    score_texts = _scores_in_words(scored, order) or ["no valid submission"]
    only = "Only the thresholds are known." if facts.board is None or not facts.board.quantiles else ""
    chart = human_chart(
        facts.board,
        facts.thresholds,
        dots,
        f"{name}: scores of the runs against the {'pipelines' if facts.is_practice else 'human distribution'}",
        lower_is_better=facts.lower_is_better,
    )
    if len(order) == 1:
        return figure(name, chart, f"{metric}: {score_texts[0]}. Thresholds: {limits}. {only}", name=name)
    listed = [element("li", words) for words in [*score_texts, f"thresholds: {limits}"]]
    return figure(name, chart, f"{metric}. {only}", folded("In words", element("ul", listed)), name=name)


def _scores_in_words(runs: Sequence[RunFacts], order: dict[str, int]) -> list[str]:
    found = []
    for label in order:
        scores = [number(run.score) for run in runs if run.label == label]
        if scores:
            found.append(f"{label}: {', '.join(scores)}" if len(order) > 1 else f"runs {', '.join(scores)}")
    return found


SECTION = Section(place=40, anchor="humans", name="Scores", draw=humans)
