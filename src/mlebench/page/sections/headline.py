"""The headline: the numbers that people quote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mlebench.analysis.aggregate import REPORTED
from mlebench.base.amounts import format_mean
from mlebench.base.wording import counted, plain
from mlebench.competition.leaderboard import MEDALS
from mlebench.page.charts import GROUPS, LABEL, Part, stacked_chart
from mlebench.page.facts import GroupFacts, PageFacts
from mlebench.page.markup import Markup, element, joined
from mlebench.page.outcomes import OUTCOMES, outcome
from mlebench.page.quantities import NONE, duration, memory
from mlebench.page.sections.section import Section
from mlebench.page.tables import (
    Column,
    figure,
    folded,
    medal_badge,
    number_cell,
    section,
    table,
    text_cell,
)
from mlebench.score.lite import band

_SHARES = ("any_medal", "gold", "silver", "bronze", "above_median", "valid_submissions")


def headline(page: PageFacts, _: Path) -> Markup:
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
    value = f"{format_mean(medal.mean, medal.standard_error, seeds)} %"
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
    seeds = ", ".join(str(seed) for seed in group.seeds)
    cards.append(
        _card(
            f"{len(runs)}",
            "Runs" if len(runs) != 1 else "Run",
            f"{counted(len(competitions), 'competition')}, {counted(len(group.seeds), 'seed')} ({seeds})",
        )
    )
    if group.lite is not None:
        overall, error = group.lite.mean("overall"), group.lite.standard_error("overall")
        value = NONE if overall is None else format_mean(overall, error, len(group.lite.seeds))
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
    if cost is not None and cost.counted is not None:
        price = "price unknown" if cost.counted.usd is None else f"{cost.counted.usd:.2f} USD"
        more += f"; {cost.counted.tokens:,} tokens, {price}, counted in {counted(cost.runs_counted, 'run')}"
    if cost is not None and cost.usd is not None:
        tokens = (cost.input_tokens or 0) + (cost.output_tokens or 0)
        more += f"; {tokens:,} tokens, {cost.usd:.2f} USD as reported by {counted(cost.runs_with_usage, 'run')}"
    return _card(duration(seconds), "Time of all runs", more)


def _splits(page: PageFacts) -> Markup | None:
    """A row per split and group, where there is more to tell than the cards do."""
    rows = []
    for group in page.groups:
        for name, split in (group.aggregation.splits if group.aggregation else {}).items():
            values = [split.shares[share] for share in _SHARES]
            seeds, percentile = split.num_seeds_averaged, split.human_percentile
            cells = [number_cell(share.mean, format_mean(share.mean, share.standard_error, seeds)) for share in values]
            shown = NONE if percentile is None else format_mean(percentile.mean, percentile.standard_error, seeds)
            last = number_cell(percentile.mean if percentile else None, shown)
            counts = [number_cell(split.num_competitions_per_seed), number_cell(seeds)]
            agent = [text_cell(group.label)] if page.is_comparison else []
            rows.append([*agent, text_cell(name), *counts, *cells, last])
    if not rows:
        return None
    names = ["competitions", "seeds", *(share.replace("_", " ") for share in _SHARES), "percentile"]
    agent_column = [Column("agent")] if page.is_comparison else []
    columns = [*agent_column, Column("split"), *(Column(name, is_number=True) for name in names)]
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
            for name, numbers in counts.items():
                numbers.append(found.count(name))
    if not rows:
        return None
    parts = {name: numbers for name, numbers in counts.items() if any(numbers)}
    drawn = [Part(name, f"part-{name.replace(' ', '-')}", numbers) for name, numbers in parts.items()]
    chart = stacked_chart(labels, drawn, f"Runs by outcome and seed: {'; '.join(_row_words(rows, parts))}.")
    legend = [element("span", part.name, class_=f"key {part.css_class}") for part in drawn]
    words = [element("li", sentence) for sentence in _row_words(rows, parts)]
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


SECTION = Section(place=10, anchor="headline", name="Headline", draw=headline)
