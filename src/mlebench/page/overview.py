"""The top of a page: what must be known first, the headline, the comparison of agents, and the Lite score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlebench.analysis.aggregate import REPORTED
from mlebench.analysis.compare import Comparison, Tested
from mlebench.analysis.statistics import Interval
from mlebench.base.wording import counted, plain
from mlebench.competition.leaderboard import MEDALS
from mlebench.page.charts import GROUPS, LABEL, Part, bar_chart, stacked_chart
from mlebench.page.facts import GroupFacts, PageFacts, RunFacts
from mlebench.page.markup import Markup, element, joined
from mlebench.page.quantities import NONE, duration, memory, number, percent
from mlebench.page.tables import (
    Cell,
    Column,
    figure,
    folded,
    medal_badge,
    note,
    number_cell,
    section,
    table,
    text_cell,
)
from mlebench.score.group import NAMES
from mlebench.score.lite import band, rounded

OUTCOMES = (*MEDALS, "above median", "below median", "valid", "not valid", "not graded", "not ended")
_SHARES = ("any_medal", "gold", "silver", "bronze", "above_median", "valid_submissions")


def notices(page: PageFacts) -> Markup:
    """What a reader must know before any number, each sentence once."""
    found: dict[str, list[str]] = {}
    for group in page.groups:
        for each in group.notices:
            found.setdefault(each, []).append(group.label)
    told = [
        element("li", f"{', '.join(labels)}: " if page.is_comparison and len(labels) < len(page.groups) else None, each)
        for each, labels in found.items()
    ]
    return element("ul", told, class_="notices", aria_label="Please note") if told else Markup()


def outcome(run: RunFacts) -> str:
    """What became of a run, in a word or two."""
    if not run.run.record.has_ended:
        return "not ended"
    if run.report is None:
        return "not graded"
    report = run.report.report
    if run.medal:
        return run.medal
    if not report.valid_submission:
        return "not valid"
    if run.report.is_twin or report.median_threshold is None:  # there is nobody to stand above or below
        return "valid"
    return "above median" if report.above_median else "below median"


def headline(page: PageFacts) -> Markup:
    """The numbers that people quote."""
    cards = [_cards(group, place, named=page.is_comparison) for place, group in enumerate(page.groups)]
    parts = [_splits(page), _outcomes(page)]
    return section("headline", "Headline", cards, parts)


def _card(value: str | Markup, what: str, more: str | Markup = "", *, is_first: bool = False) -> Markup:
    return element(
        "div",
        element("dt", what),
        element("dd", element("strong", value), element("span", more) if more else None),
        class_="card first" if is_first else "card",
    )


def _with_error(mean: float, error: float | None, seeds: int) -> str:
    """A mean with its standard error, which one seed does not have."""
    return f"{mean:.2f} ± {error or 0.0:.2f}" if seeds > 1 else f"{mean:.2f}"


def _any_medal(group: GroupFacts) -> Markup:
    """The number that people quote first, and how much of it there is."""
    best = group.headline
    if best is None:
        graded = "see the notes above" if group.graded else "nothing is graded yet"
        return _card(NONE, "Any medal", "synthetic data" if group.is_twin else graded, is_first=True)
    medal, seeds = best.shares["any_medal"], best.num_seeds_averaged
    competitions = counted(best.num_competitions_per_seed, "competition")
    kind = "practice, " if group.is_practice else "" if best.split == REPORTED else f"{best.split}, "
    how = f"mean ± standard error over {seeds} seeds" if seeds > 1 else "one seed, so there is no standard error"
    count, planned = len(group.graded), len(group.runs)
    waits = f"; provisional: {count} of {planned} runs count so far" if count < planned else ""
    value = f"{_with_error(medal.mean, medal.standard_error, seeds)} %"
    return _card(value, "Any medal", f"{kind}{competitions}, {how}{waits}", is_first=True)


def _cards(group: GroupFacts, place: int, *, named: bool) -> Markup:
    runs, graded = group.runs, group.graded
    competitions = {run.run.record.competition_id for run in runs}
    cards = [_any_medal(group)]
    medals = [sum(run.medal == colour for run in graded) for colour in MEDALS]
    badges = [
        element("span", medal_badge(colour), f" {count}", class_="one")
        for colour, count in zip(MEDALS, medals, strict=True)
    ]
    cards.append(_card(f"{sum(medals)}", "Medals", "none on twins" if group.is_twin else joined(badges, " ")))
    valid = sum(bool(run.report and run.report.report.valid_submission) for run in graded)
    cards.append(_card(f"{valid} of {len(runs)}", "Valid submissions"))
    seeds = ", ".join(str(each) for each in group.seeds)
    cards.append(
        _card(
            f"{len(runs)}",
            "Runs" if len(runs) != 1 else "Run",
            f"{counted(len(competitions), 'competition')}, {counted(len(group.seeds), 'seed')} ({seeds})",
        )
    )
    if group.lite is not None:
        overall, error = group.lite.mean("overall"), group.lite.standard_error("overall")
        value = NONE if overall is None else _with_error(overall, error, len(group.lite.seeds))
        cards.append(_card(value, "Lite score", band(overall) or "metric quality is unknown"))
    cards.append(_cost(group))
    return joined(
        [element("h3", group.label) if named else None, element("dl", cards, class_=f"cards group-{place % GROUPS}")]
    )


def _cost(group: GroupFacts) -> Markup:
    seconds = sum(run.seconds or 0.0 for run in group.runs)
    peaks = [run.memory for run in group.runs if run.memory is not None]
    more = f"at most {memory(max(peaks))} of memory" if peaks else ""
    cost = group.aggregation.cost if group.aggregation else None
    if cost is not None and cost.usd is not None:
        tokens = (cost.input_tokens or 0) + (cost.output_tokens or 0)
        more += f"; {tokens:,} tokens, {cost.usd:.2f} USD as reported by {counted(cost.runs_with_usage, 'run')}"
    return _card(duration(seconds), "Time of all runs", more)


def _splits(page: PageFacts) -> Markup | None:
    """A row per split and group, where there is more to tell than the cards do."""
    rows = []
    for group in page.groups:
        for name, split in (group.aggregation.splits if group.aggregation else {}).items():
            values = [split.shares[each] for each in _SHARES]
            seeds, percentile = split.num_seeds_averaged, split.human_percentile
            cells = [number_cell(each.mean, _with_error(each.mean, each.standard_error, seeds)) for each in values]
            shown = NONE if percentile is None else _with_error(percentile.mean, percentile.standard_error, seeds)
            last = number_cell(percentile.mean if percentile else None, shown)
            counts = [number_cell(split.num_competitions_per_seed), number_cell(seeds)]
            agent = [text_cell(group.label)] if page.is_comparison else []
            rows.append([*agent, text_cell(name), *counts, *cells, last])
    if not rows:
        return None
    names = ["competitions", "seeds", *(each.replace("_", " ") for each in _SHARES), "percentile"]
    agent_column = [Column("agent")] if page.is_comparison else []
    columns = [*agent_column, Column("split"), *(Column(each, is_number=True) for each in names)]
    return table("Percent of runs per split: mean ± standard error over seeds", columns, rows)


def _outcomes(page: PageFacts) -> Markup | None:
    """What became of the runs, seed by seed."""
    rows: list[str] = []
    labels: list[str] = []
    counts: dict[str, list[int]] = {name: [] for name in OUTCOMES}
    for group in page.groups:
        for seed in group.seeds:
            tail = f", seed {seed}"
            rows.append(f"{group.label}{tail}" if page.is_comparison else f"seed {seed}")
            labels.append(f"{plain(group.label, LABEL - len(tail))}{tail}" if page.is_comparison else f"seed {seed}")
            found = [outcome(run) for run in group.runs if run.run.record.seed == seed]
            for name, each in counts.items():
                each.append(found.count(name))
    if not rows:
        return None
    parts = {name: each for name, each in counts.items() if any(each)}
    drawn = [Part(name, f"part-{name.replace(' ', '-')}", each) for name, each in parts.items()]
    chart = stacked_chart(labels, drawn, f"Runs by outcome and seed: {'; '.join(_row_words(rows, parts))}.")
    legend = [element("span", part.name, class_=f"key {part.css_class}") for part in drawn]
    words = [element("li", each) for each in _row_words(rows, parts)]
    return figure(
        "Runs by outcome",
        chart,
        element("p", joined(legend, " "), class_="legend"),
        folded("In words", element("ul", words)),
    )


def _row_words(rows: Sequence[str], parts: dict[str, list[int]]) -> list[str]:
    return [
        f"{row}: " + ", ".join(f"{counts[place]} {name}" for name, counts in parts.items() if counts[place])
        for place, row in enumerate(rows)
    ]


def comparison(page: PageFacts) -> Markup | None:
    """Which agent is better, and how sure one can be."""
    if not page.is_comparison:
        return None
    if page.comparison_problem is not None:
        return section("comparison", "Comparison", element("p", page.comparison_problem))
    if len(page.comparisons) == 1:
        only = page.comparisons[0]
        return section("comparison", "Comparison", _shares_figure(page), element("h3", _title(only)), _pair(only))
    told = [folded(element("b", _title(each)), _pair(each)) for each in page.comparisons]
    warnings = _warnings(warning for each in page.comparisons for warning in each.warnings)
    return section("comparison", "Comparison", _shares_figure(page), warnings, _verdicts(page.comparisons), told)


def _warnings(found: Iterable[str]) -> Markup | None:
    """Why groups are not comparable, each sentence once."""
    told = [element("li", each) for each in dict.fromkeys(found)]
    return element("ul", told, class_="notices") if told else None


def _title(compared: Comparison) -> str:
    return f"{compared.first} against {compared.second}"


def _verdicts(comparisons: Sequence[Comparison]) -> Markup:
    """A row for every two groups: what the tests say; all else of them is below, folded away."""
    rows = [
        [
            text_cell(_title(each)),
            text_cell(each.verdict),
            *(
                number_cell(found.difference, f"{found.difference:+.2f} ({found.bounds})")
                if found
                else number_cell(None)
                for found in (each.medals, each.percentile)
            ),
            number_cell(len(each.wins) - len(each.losses), f"{len(each.wins)} : {len(each.losses)}"),
        ]
        for each in comparisons
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
        f"{label} {_with_error(share.mean, share.standard_error, split.num_seeds_averaged)} %"
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
            text_cell(each.competition_id),
            text_cell("even" if each.winner is None else (first, second)[each.winner]),
            _versus_cell(each.medals, f"{each.medals[0]} : {each.medals[1]} of {each.seeds}")
            if compared.mcnemar
            else text_cell(None),
            _versus_cell(each.percentiles, _percentiles(each.percentiles)),
            text_cell(_versus(each.scores)),
        ]
        for each in compared.competitions
    ]
    columns = [Column("competition"), *(Column(each) for each in ("better", "medals", "percentile", "score"))]
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
        rows.append(("sign flips by competition", _interval("percentile", compared.percentile), compared.sign_flip))
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
    return None if values is None else " : ".join(number(each) for each in values)


def _percentiles(values: tuple[float, float] | None) -> str | None:
    return None if values is None else " : ".join(f"{each:.1f}" for each in values)


def lite(page: PageFacts) -> Markup | None:
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
    columns = [*agent_column, Column("seed"), *(Column(each.replace("_", " "), is_number=True) for each in NAMES)]
    return section(
        "lite",
        "Lite score",
        note("Each dimension is from 0 to 100; overall is 0.55 metric quality and 0.15 of each of the next three."),
        table("Lite score per seed", columns, rows, foot=means_of_seeds, is_named=True),
    )


def _two(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"
