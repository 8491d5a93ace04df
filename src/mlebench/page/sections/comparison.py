"""The comparison of every two groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from mlebench.analysis.compare import Comparison, Tested
from mlebench.analysis.statistics import Interval
from mlebench.base.amounts import format_mean
from mlebench.base.wording import counted
from mlebench.page.charts import bar_chart
from mlebench.page.facts import PageFacts
from mlebench.page.markup import Markup, element, joined
from mlebench.page.quantities import number, percent
from mlebench.page.sections.section import Section
from mlebench.page.tables import (
    Cell,
    Column,
    figure,
    folded,
    note,
    number_cell,
    section,
    table,
    text_cell,
)


def comparison(page: PageFacts, _: Path) -> Markup | None:
    """Which agent is better, and how sure one can be."""
    if not page.is_comparison:
        return None
    if page.comparison_problem is not None:
        return section("comparison", "Comparison", element("p", page.comparison_problem))
    if len(page.comparisons) == 1:
        only = page.comparisons[0]
        return section("comparison", "Comparison", _shares_figure(page), element("h3", _title(only)), _pair(only))
    details = [folded(element("b", _title(pair)), _pair(pair)) for pair in page.comparisons]
    warnings = _warnings(warning for pair in page.comparisons for warning in pair.warnings)
    return section("comparison", "Comparison", _shares_figure(page), warnings, _verdicts(page.comparisons), details)


def _warnings(found: Iterable[str]) -> Markup | None:
    """Why groups are not comparable, each sentence once."""
    items = [element("li", warning) for warning in dict.fromkeys(found)]
    return element("ul", items, class_="notices") if items else None


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


def _shares_figure(page: PageFacts) -> Markup | None:
    known = [
        (place, group.label, group.headline) for place, group in enumerate(page.groups) if group.headline is not None
    ]
    if not known:
        return None
    shares = [split.shares["any_medal"] for _, _, split in known]
    words = [
        f"{label} {format_mean(share.mean, share.standard_error, split.num_seeds_averaged)} %"
        for (_, label, split), share in zip(known, shares, strict=True)
    ]
    chart = bar_chart(
        [label for _, label, _ in known],
        [[share.mean for share in shares]],
        f"Any medal in percent, mean and standard error: {'; '.join(words)}.",
        shown=lambda value: percent(value, 2),
        axis=lambda value: percent(value, 0),
        most=100.0,
        errors=[[share.standard_error for share in shares]],
        groups=[place for place, _, _ in known],
    )
    return figure("Any medal, with one standard error", chart, f"{'; '.join(words)}.")


def _pair(compared: Comparison) -> Markup:
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
    return element(
        "div",
        element("p", element("strong", compared.verdict)),
        _warnings(compared.warnings),
        element(
            "p",
            f"{counted(len(compared.competitions), 'competition')}, {counted(compared.pairs, 'pair')} of runs; "
            f"{first} is better in {len(compared.wins)}, worse in {len(compared.losses)}.",
        ),
        _tests(compared),
        table(f"{first} : {second}, by competition", columns, rows),
    )


def _tests(compared: Comparison) -> Markup:
    rows: list[tuple[str, str, Tested]] = []
    if compared.mcnemar is not None:
        only = f"medals of one only: {compared.medals_first_only} and {compared.medals_second_only}"
        rows.append(("exact McNemar", only, compared.mcnemar))
    if compared.sign_flip is not None and compared.percentile is not None:
        rows.append(
            (
                "sign flips by competition",
                _interval(compared.percentile_measure, compared.percentile),
                compared.sign_flip,
            )
        )
    wins = f"better in {len(compared.wins)}, worse in {len(compared.losses)} competitions"
    rows.append(("sign test", wins, compared.sign_test))
    cells = []
    for name, words, test in rows:
        cells.append(
            [
                text_cell(name),
                text_cell(words),
                number_cell(test.p_value, f"{test.p_value:.3g}"),
                number_cell(test.adjusted, f"{test.adjusted:.3g}"),
            ]
        )
    medals = _interval("any medal, in points", compared.medals) if compared.medals else None
    columns = [Column("test"), Column("difference"), Column("p", is_number=True), Column("p (Holm)", is_number=True)]
    return joined([table("Tests", columns, cells), note(f"{medals[0].upper()}{medals[1:]}.") if medals else None])


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
