"""The comparison of every two groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from mlebench.analysis.compare import Comparison, Tested
from mlebench.analysis.statistics import Interval
from mlebench.base.amounts import format_mean
from mlebench.base.wording import counted
from mlebench.page.charts import Estimate, forest_chart, scatter_chart
from mlebench.page.facts import GroupFacts, PageFacts
from mlebench.page.markup import Markup
from mlebench.page.quantities import number
from mlebench.page.sections.section import Section
from mlebench.page.tables import Cell, Column, number_cell, table, text_cell
from mlebench.page.templating import template


def comparison(page: PageFacts, _: Path) -> Markup | None:
    """Which agent is better, and how sure one can be."""
    if not page.is_comparison:
        return None
    warnings = [warning for pair in page.comparisons for warning in pair.warnings]
    return template(
        "comparison.html",
        page=page,
        shares=_shares(page),
        warnings=list(dict.fromkeys(warnings)),
        verdicts=_verdicts(page.comparisons) if len(page.comparisons) > 1 else None,
        pairs=[_pair(pair) for pair in page.comparisons],
        hours=_against(page, "hours", _hours, lambda value: f"{value:g} h"),
        money=_against(page, "US dollars", _usd, lambda value: f"{value:g} $"),
    )


def _title(compared: Comparison) -> str:
    return f"{compared.first} against {compared.second}"


def _verdicts(comparisons: Sequence[Comparison]) -> Markup:
    """A row for every two groups: what the tests say; all else of them is below, folded away."""
    rows = [
        [
            text_cell(_title(pair)),
            text_cell(pair.verdict),
            *(
                number_cell(found.difference, f"{found.difference:+.2f} ({found.bounds})")
                if found
                else number_cell(None)
                for found in (pair.medals, pair.percentile)
            ),
            number_cell(len(pair.wins) - len(pair.losses), f"{len(pair.wins)} : {len(pair.losses)}"),
        ]
        for pair in comparisons
    ]
    names = ("any medal, in points", "percentile", "better : worse")
    columns = [Column("groups"), Column("verdict"), *(Column(name, is_number=True) for name in names)]
    caption = "Every two groups, the first minus the second; p is corrected for their number (Holm)"
    return table(caption, columns, rows)


def _shares(page: PageFacts) -> dict[str, object] | None:
    """Any medal of every group, with its error."""
    rows = []
    for place, group in enumerate(page.groups):
        if (split := group.headline) is not None:
            share = split.shares["any_medal"]
            shown = f"{format_mean(share.mean, share.standard_error, split.num_seeds_averaged)} %"
            error = share.standard_error if split.num_seeds_averaged > 1 else 0.0
            rows.append(Estimate(group.label, share.mean, error, shown, place))
    if not rows:
        return None
    words = "; ".join(f"{row.name} {row.shown}" for row in rows)
    return {"chart": forest_chart(rows, f"Any medal in percent, mean and standard error: {words}."), "words": words}


def _hours(group: GroupFacts) -> float | None:
    known = [run.seconds for run in group.runs if run.seconds is not None]
    return sum(known) / len(known) / 3600 if known else None


def _usd(group: GroupFacts) -> float | None:
    measured = [run.usd for run in group.runs if run.usd is not None]
    if measured:
        return sum(measured) / len(measured)
    cost = group.aggregation.cost if group.aggregation else None
    return cost.usd / cost.runs_with_usage if cost and cost.usd is not None and cost.runs_with_usage else None


def _against(
    page: PageFacts, what: str, of_group: Callable[[GroupFacts], float | None], shown: Callable[[float], str]
) -> dict[str, object] | None:
    """Any medal against what a run took; None where it is known of fewer than two groups."""
    points = []
    for place, group in enumerate(page.groups):
        used, split = of_group(group), group.headline
        if used is not None and split is not None:
            share = split.shares["any_medal"]
            points.append((place, group.label, used, share.mean, share.standard_error))
    if len(points) < 2:
        return None
    words = "; ".join(f"{name} {used:.3g} {what} a run for {mean:.1f} %" for _, name, used, mean, _ in points)
    label = f"Any medal in percent against {what} of a run: {words}."
    return {"chart": scatter_chart(points, label, shown=shown), "words": words, "what": what}


def _pair(compared: Comparison) -> dict[str, object]:
    first, second = compared.first, compared.second
    rows = [
        [
            text_cell(competition.competition_id),
            text_cell("even" if competition.winner is None else (first, second)[competition.winner]),
            _versus_cell(competition.medals, words) if (words := competition.medals_in_words) else text_cell(None),
            _versus_cell(competition.percentiles, _percentiles(competition.percentiles)),
            text_cell(_versus(competition.scores)),
        ]
        for competition in compared.competitions
    ]
    columns = [Column("competition"), *(Column(name) for name in ("better", "medals", "percentile", "score"))]
    medals = _interval("any medal, in points", compared.medals) if compared.medals else None
    return {
        "title": _title(compared),
        "verdict": compared.verdict,
        "warnings": list(dict.fromkeys(compared.warnings)),
        "counts": f"{counted(len(compared.competitions), 'competition')}, {counted(compared.pairs, 'pair')} of runs; "
        f"{first} is better in {len(compared.wins)}, worse in {len(compared.losses)}.",
        "tests": _tests(compared),
        "medals": f"{medals[0].upper()}{medals[1:]}." if medals else None,
        "table": table(f"{first} : {second}, by competition", columns, rows),
        "many": len(rows) > 12,
    }


def _tests(compared: Comparison) -> Markup:
    rows: list[tuple[str, str, Tested]] = []
    if compared.mcnemar is not None:
        only = f"medals of one only: {compared.medals_first_only} and {compared.medals_second_only}"
        rows.append(("exact McNemar", only, compared.mcnemar))
    if compared.sign_flip is not None and compared.percentile is not None:
        difference = _interval(compared.percentile_measure, compared.percentile)
        rows.append(("sign flips by competition", difference, compared.sign_flip))
    wins = f"better in {len(compared.wins)}, worse in {counted(len(compared.losses), 'competition')}"
    rows.append(("sign test", wins, compared.sign_test))
    cells = [
        [
            text_cell(name),
            text_cell(words),
            number_cell(test.p_value, f"{test.p_value:.3g}"),
            number_cell(test.adjusted, f"{test.adjusted:.3g}"),
        ]
        for name, words, test in rows
    ]
    columns = [Column("test"), Column("difference"), Column("p", is_number=True), Column("p (Holm)", is_number=True)]
    return table("Tests", columns, cells)


def _interval(what: str, interval: Interval) -> str:
    return f"{what} {interval.difference:+.2f}, {interval.bounds}"


def _versus_cell(values: Sequence[float] | None, shown: str | None) -> Cell:
    """Two values, sorted by how far they are apart."""
    return text_cell(None) if values is None else Cell(shown, float(values[0] - values[1]))


def _versus(values: Sequence[float | None] | None) -> str | None:
    return None if values is None else " : ".join(number(value) for value in values)


def _percentiles(values: tuple[float, float] | None) -> str | None:
    return None if values is None else " : ".join(f"{value:.1f}" for value in values)


SECTION = Section(place=20, anchor="comparison", name="Comparison", draw=comparison)
