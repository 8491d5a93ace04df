"""Where runs stand among those who decided the medals; the raw scores on demand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from mlebench.base.wording import counted
from mlebench.page.charts import GROUPS, LINES, Dot, StandingRow, human_chart, standing_chart
from mlebench.page.charts.axes import is_drawn
from mlebench.page.charts.standing import position
from mlebench.page.facts import CompetitionFacts, PageFacts, RunFacts
from mlebench.page.markup import Markup
from mlebench.page.quantities import number, percent
from mlebench.page.sections.section import Section
from mlebench.page.shared import metric_of, name_of
from mlebench.page.tables import Column, number_cell, table, text_cell
from mlebench.page.templating import template

_OPEN = 6  # competitions; of more, the raw scores are folded away


def humans(page: PageFacts, _: Path) -> Markup:
    """All competitions on one axis of medal bands; below it the raw scores of each."""
    order = {group.label: place for place, group in enumerate(page.groups)}
    known = [facts for facts in page.competitions if facts.thresholds is not None]
    rivals = " and ".join(page.kinds_of_rivals)
    without = [facts.competition.id for facts in page.competitions if facts.thresholds is None]
    rows = sorted((_standing(facts, order) for facts in known), key=_rank)
    return template(
        "humans.html",
        page=page,
        heading="Against the leaderboard of pipelines" if rivals == "pipelines" else f"Against {rivals}",
        rivals=rivals,
        teams=rivals.replace("humans", "teams"),
        is_mixed=len(page.kinds_of_rivals) > 1,
        without=without,
        chart=standing_chart(rows, len(page.groups), _label(rows, rivals)) if rows else None,
        charts=[_raw(facts, order) for facts in known],
        lines=LINES,
        is_open=len(known) <= _OPEN,
        scores=_scores(page),
        groups=GROUPS,
    )


def _label(rows: Sequence[StandingRow], rivals: str) -> str:
    return f"Where the runs of {counted(len(rows), 'competition')} stand among {rivals}, from below the median to gold"


def _rank(row: StandingRow) -> tuple[bool, float]:
    places = [at for runs in row.runs.values() for at, _, _ in runs]
    return not places, -mean(places) if places else 0.0


def _standing(facts: CompetitionFacts, order: dict[str, int]) -> StandingRow:
    assert facts.thresholds is not None
    runs: dict[int, list[tuple[float, str, str]]] = {place: [] for place in order.values()}
    for run in facts.runs:
        if run.score is None or not is_drawn(run.score):
            continue
        at = position(run.score, run.percentile, facts.thresholds, lower_is_better=facts.lower_is_better)
        words = f"{facts.competition.id}, {name_of(run, order)}: {number(run.score)}, {percent(run.percentile)}"
        runs[order[run.label]].append((at, words, run.anchor))
    return StandingRow(facts.competition.id, runs)


def _raw(facts: CompetitionFacts, order: dict[str, int]) -> dict[str, object]:
    """One competition in its own metric, with its thresholds and scores in words."""
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
    chart = human_chart(
        facts.board,
        facts.thresholds,
        dots,
        f"{facts.competition.id}: scores of the runs against the "
        f"{'pipelines' if facts.is_practice else 'human distribution'}",
        lower_is_better=facts.lower_is_better,
    )
    return {
        "name": facts.competition.id,
        "is_practice": facts.is_practice,
        "chart": chart,
        "metric": metric_of(facts),
        "limits": ", ".join(f"{line} {number(getattr(facts.thresholds, line))}" for line in LINES),
        "scores": "; ".join(_scores_in_words(scored, order)) or "no valid submission",
        "only": facts.board is None or not facts.board.quantiles,
    }


def _scores_in_words(runs: Sequence[RunFacts], order: dict[str, int]) -> list[str]:
    found = []
    for label in order:
        scores = [number(run.score) for run in runs if run.label == label]
        if scores:
            found.append(f"{label}: {', '.join(scores)}" if len(order) > 1 else f"runs {', '.join(scores)}")
    return found


def _scores(page: PageFacts) -> Markup:
    """A table of raw scores, also of competitions where nobody competes."""
    rows = []
    for facts in page.competitions:
        for group in page.groups:
            runs = [run for run in facts.runs if run.label == group.label]
            scores = [run.score for run in runs if run.score is not None]
            finite = [score for score in scores if is_drawn(score)]
            row = [text_cell(facts.competition.id)]
            row += [text_cell(group.label)] if page.is_comparison else []
            row += [
                text_cell(metric_of(facts)),
                text_cell(", ".join(number(score) for score in scores)),
                number_cell(mean(finite) if finite and len(finite) == len(scores) else None),
            ]
            rows.append(row)
    names = ["competition", *(["agent"] if page.is_comparison else []), "metric", "score of every seed"]
    return table("Raw scores", [*(Column(name) for name in names), Column("mean", is_number=True)], rows)


SECTION = Section(place=40, anchor="humans", name="Standing", draw=humans)
