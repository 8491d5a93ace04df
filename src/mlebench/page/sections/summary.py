"""The summary: the numbers that people quote, with published agents as reference points beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mlebench.analysis.aggregate import REPORTED
from mlebench.analysis.leaderboards import COLUMNS, Column, Row, published_rows
from mlebench.base.amounts import format_mean
from mlebench.base.wording import agreeing, counted, part_of, plain
from mlebench.competition.leaderboard import MEDALS
from mlebench.page.charts import GROUPS, Estimate, Part, forest_chart, stacked_chart
from mlebench.page.charts.bars import LABEL
from mlebench.page.facts import GroupFacts, PageFacts
from mlebench.page.markup import Markup, element, joined
from mlebench.page.outcomes import OUTCOMES, outcome
from mlebench.page.quantities import NONE, duration, memory
from mlebench.page.sections.section import Section
from mlebench.page.tables import Column as TableColumn
from mlebench.page.tables import medal_badge, number_cell, table, text_cell
from mlebench.page.templating import template
from mlebench.score.lite import band

_SHARES = ("any_medal", "gold", "silver", "bronze", "above_median", "valid_submissions")
_BESIDE = 2  # published agents that are shown above and below each group
_SPLITS: tuple[Column, ...] = ("all", "low", "medium", "high")  # by how much they tell
_SPLIT_NAMES = {
    "all": "all 75 competitions",
    "low": "lite, the 22 of low complexity",
    "medium": "medium",
    "high": "high",
}


@dataclass(frozen=True)
class Card:
    """A number with its name and what to know of it."""

    name: str
    value: str
    more: str | Markup = ""
    is_first: bool = False


def summary(page: PageFacts, _: Path) -> Markup:
    """The numbers that people quote."""
    groups = [(group, f"group-{place % GROUPS}", _cards(group)) for place, group in enumerate(page.groups)]
    return template(
        "summary.html",
        page=page,
        groups=groups,
        reference=_reference(page),
        splits=_splits(page),
        outcomes=_outcomes(page),
    )


def _any_medal(group: GroupFacts) -> Card:
    """The number that people quote first, and how much of it there is."""
    best = group.headline
    if best is None:
        graded = "see the notes above" if group.graded else "nothing is graded yet"
        return Card("Any medal", NONE, "synthetic data" if group.is_twin else graded, is_first=True)
    medal, seeds = best.shares["any_medal"], best.num_seeds_averaged
    competitions = counted(best.num_competitions_per_seed, "competition")
    kind = "practice, " if group.is_practice else "" if best.split == REPORTED else f"{best.split}, "
    how = f"mean ± standard error over {seeds} seeds" if seeds > 1 else "one seed, so there is no standard error"
    count, planned = len(group.graded), len(group.runs)
    verb = agreeing(count, "counts", "count")
    waits = f"; provisional: {part_of(count, planned, 'run')} {verb} so far" if count < planned else ""
    value = f"{format_mean(medal.mean, medal.standard_error, seeds)} %"
    return Card("Any medal", value, f"{kind}{competitions}, {how}{waits}", is_first=True)


def _cards(group: GroupFacts) -> list[Card]:
    runs, graded = group.runs, group.graded
    competitions = {run.run.record.competition_id for run in runs}
    medals = [sum(run.medal == colour for run in graded) for colour in MEDALS]
    badges = [
        element("span", medal_badge(colour), f" {count}", class_="one")
        for colour, count in zip(MEDALS, medals, strict=True)
    ]
    valid = sum(bool(run.report and run.report.report.valid_submission) for run in graded)
    seeds = ", ".join(str(seed) for seed in group.seeds)
    cards = [
        _any_medal(group),
        _medals(group, sum(medals), joined(badges, " ")),
        Card("Valid submissions", _part(valid, len(graded), len(runs)), _ends(group)),
        Card(
            "Runs" if len(runs) != 1 else "Run",
            f"{len(runs)}",
            f"{counted(len(competitions), 'competition')}, {counted(len(group.seeds), 'seed')} ({seeds})",
        ),
    ]
    if group.lite is not None:
        overall, error = group.lite.mean("overall"), group.lite.standard_error("overall")
        value = NONE if overall is None else format_mean(overall, error, len(group.lite.seeds))
        cards.append(Card("Lite score", value, band(overall) or "metric quality is unknown"))
    return [*cards, *_cost(group)]


def _medals(group: GroupFacts, count: int, badges: Markup) -> Card:
    if not group.graded:
        return Card("Medals", NONE, "nothing is graded yet")
    return Card("Medals", f"{count}", "none on twins" if group.is_twin else badges)


def _part(count: int, graded: int, runs: int) -> str:
    """How many runs are so; of those that were graded, where not all were."""
    if not graded:
        return NONE
    return f"{count} of {runs}" if graded == runs else f"{count} of {graded} graded"


def _ends(group: GroupFacts) -> str:
    """How many runs were cut short, which a reader must see at a glance."""
    statuses = [run.run.record.status for run in group.runs]
    words = {"failed": "failed", "timeout": "timed out", "memory": "out of memory", "infrastructure": "lost"}
    found = [f"{statuses.count(status)} {word}" for status, word in words.items() if status in statuses]
    return f"ended badly: {', '.join(found)}" if found else ""


def _cost(group: GroupFacts) -> list[Card]:
    seconds = sum(run.seconds or 0.0 for run in group.runs)
    peaks = [run.memory for run in group.runs if run.memory is not None]
    more = f"at most {memory(max(peaks))} of memory" if peaks else ""
    ended = sum(run.run.record.has_ended for run in group.runs)
    name = "Time of all runs" if ended == len(group.runs) else f"Time of {counted(ended, 'run')} that ended"
    cards = [Card(name, duration(seconds) if ended else NONE, more)]
    measured = [run for run in group.runs if run.tokens is not None]
    cost = group.aggregation.cost if group.aggregation else None
    if measured:
        prices = [run.usd for run in measured]
        price = NONE if None in prices else f"{sum(price or 0.0 for price in prices):.2f} USD"
        tokens = sum(run.tokens or 0 for run in measured)
        unknown = ", price unknown" if None in prices else ""
        cards.append(Card("Cost", price, f"{tokens:,} tokens{unknown}, counted in {counted(len(measured), 'run')}"))
    if cost is not None and cost.usd is not None:
        tokens = (cost.input_tokens or 0) + (cost.output_tokens or 0)
        more = f"{tokens:,} tokens, as reported by {counted(cost.runs_with_usage, 'run')}"
        cards.append(Card("Cost as reported", f"{cost.usd:.2f} USD", more))
    return cards


def _reference(page: PageFacts) -> dict[str, object] | None:
    """The groups among published agents, on the largest split that all groups have whole; None where there is none."""
    found = [group.aggregation.splits if group.aggregation else {} for group in page.groups]
    if not any(group.graded for group in page.groups):
        return None
    if not found or any(group.is_practice or group.is_twin for group in page.groups):
        return None
    split = next((name for name in _SPLITS if all(name in splits for splits in found)), None)
    if split is None:
        return {"chart": None, "split": None}
    rows = [row for row in published_rows() if split in row.cells]
    own = [
        Estimate(group.label, share.mean, error or 0.0, _shown(share.mean, error), place)
        for place, (group, splits) in enumerate(zip(page.groups, found, strict=True))
        for share in [splits[split].shares["any_medal"]]
        for error in [share.standard_error if splits[split].num_seeds_averaged > 1 else None]
    ]
    published = [
        Estimate(_named(row), cell.mean, cell.standard_error or 0.0, _shown(cell.mean, cell.standard_error))
        for row in rows
        for cell in [row.cells[split]]
    ]
    words = "; ".join(f"{estimate.name} {estimate.shown}" for estimate in own)
    chart = forest_chart(_neighbours(own, published), f"Any medal in percent with one standard error: {words}.")
    notes = [f"{row.agent}: {row.notes}" for row in rows if row.notes]
    return {
        "chart": chart,
        "split": _SPLIT_NAMES[split],
        "words": words,
        "table": _published_table(rows),
        "notes": notes,
        "count": len(rows),
    }


def _shown(mean: float, error: float | None) -> str:
    return f"{mean:.1f} %" if error is None else f"{mean:.1f} ± {error:.1f} %"


def _named(row: Row) -> str:
    return f"{row.agent} ({row.models})" if row.models else row.agent


def _neighbours(own: Sequence[Estimate], published: Sequence[Estimate]) -> list[Estimate | None]:
    """The groups, the best and the last published agent, and those right above and below each group."""
    ranked = sorted([*own, *published], key=lambda estimate: -estimate.mean)
    places = {place for place, estimate in enumerate(ranked) if estimate.group is not None}
    shown = {0, len(ranked) - 1} | {
        near for place in places for near in range(place - _BESIDE, place + _BESIDE + 1) if 0 <= near < len(ranked)
    }
    rows: list[Estimate | None] = []
    for place, estimate in enumerate(ranked):
        if place in shown:
            rows.append(estimate)
        elif rows and rows[-1] is not None:
            rows.append(None)
    return rows


def _published_table(rows: Sequence[Row]) -> Markup:
    columns = [TableColumn("agent"), TableColumn("models"), *(TableColumn(name, is_number=True) for name in COLUMNS)]
    columns += [TableColumn("hours", is_number=True), TableColumn("date")]
    cells = [
        [
            text_cell(row.agent),
            text_cell(row.models),
            *(number_cell(row.cells[name].mean, str(row.cells[name])) if name in row.cells else number_cell(None)
              for name in COLUMNS),
            number_cell(_hours(row.hours), row.hours or NONE),
            text_cell(row.date),
        ]
        for row in rows
    ]  # fmt: skip
    return table("Published agents: any medal in percent", columns, cells)


def _hours(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


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
    agent_column = [TableColumn("agent")] if page.is_comparison else []
    columns = [*agent_column, TableColumn("split"), *(TableColumn(name, is_number=True) for name in names)]
    return table("Percent of runs per split: mean ± standard error over seeds", columns, rows)


def _outcomes(page: PageFacts) -> dict[str, object] | None:
    """What became of the runs, seed by seed."""
    rows: list[str] = []
    labels: list[str] = []
    counts: dict[str, list[int]] = {name: [] for name in OUTCOMES}
    for group in page.groups:
        by_seed: dict[int, list[str]] = {seed: [] for seed in group.seeds}
        for run in group.runs:
            by_seed[run.run.record.seed].append(outcome(run))
        for seed, found in by_seed.items():
            tail = f", seed {seed}"
            rows.append(f"{group.label}{tail}" if page.is_comparison else f"seed {seed}")
            labels.append(f"{plain(group.label, LABEL - len(tail))}{tail}" if page.is_comparison else f"seed {seed}")
            for name, numbers in counts.items():
                numbers.append(found.count(name))
    if not rows:
        return None
    known = {name: numbers for name, numbers in counts.items() if any(numbers)}
    parts = [Part(name, f"part-{name.replace(' ', '-')}", numbers) for name, numbers in known.items()]
    words = [
        f"{row}: " + ", ".join(f"{numbers[place]} {name}" for name, numbers in known.items() if numbers[place])
        for place, row in enumerate(rows)
    ]
    chart = stacked_chart(labels, parts, f"Runs by outcome and seed: {'; '.join(words)}.", width=430)
    return {"chart": chart, "parts": parts, "words": words}


SECTION = Section(place=10, anchor="summary", name="Summary", draw=summary)
