"""Competition by competition: medals, places among the humans, what was used of the budgets, and scores over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean

from mlebench.page.charts import (
    GROUPS,
    LINES,
    Dot,
    bar_chart,
    histogram,
    human_chart,
    medals_over_time_chart,
    over_time_chart,
)
from mlebench.page.facts import CompetitionFacts, GroupFacts, PageFacts, RunFacts
from mlebench.page.markup import Markup, element, joined
from mlebench.page.overview import outcome
from mlebench.page.quantities import duration, number, percent
from mlebench.page.tables import (
    Cell,
    Column,
    figure,
    folded,
    medal_badge,
    medal_rank,
    note,
    number_cell,
    percent_cell,
    section,
    table,
    text_cell,
)

_DOTS = 25  # competitions at most whose snapshots are dots to point at; of more, there are lines only
_BARS = 16  # bars at most; more competitions are counted in tenths of the budget


def medals(page: PageFacts) -> Markup:
    """A row per competition and group: the medal of every seed."""
    rows = []
    for each in page.competitions:
        declaration = each.competition.declaration
        for group in page.groups:
            runs = [run for run in each.runs if run.label == group.label]
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
                text_cell(_metric(each)),
                Cell(
                    element("ul", badges, class_="badges"), sum(medal_rank(run.medal) + bool(run.medal) for run in runs)
                ),
                number_cell(mean(scores) if scores else None),
                percent_cell(mean(percentiles) if percentiles else None),
            ]
            rows.append([cell for cell in row if cell is not None])
    names = ["competition", *(["agent"] if page.is_comparison else []), "category", "metric", "medal of every seed"]
    columns = [*(Column(each) for each in names), Column("mean score", True), Column("mean percentile", True)]
    return section("medals", "Medals per competition", table("Medals per competition", columns, rows, is_named=True))


def _metric(each: CompetitionFacts) -> str:
    return f"{each.competition.declaration.metric} ({'lower' if each.lower_is_better else 'higher'} is better)"


def _seed_badge(run: RunFacts) -> Markup:
    return element("a", f"{run.run.record.seed} ", medal_badge(run.medal, outcome(run)), href=f"#{run.anchor}")


def humans(page: PageFacts) -> Markup:
    """Every competition as a small chart: the humans' scores, the thresholds, and the runs."""
    order = {group.label: place for place, group in enumerate(page.groups)}
    figures = [_humans(each, order) for each in page.competitions if each.thresholds is not None]
    is_practice = all(each.is_practice for each in page.competitions)
    heading = "Scores against the leaderboard of pipelines" if is_practice else "Scores against the human distribution"
    teams = "pipelines" if is_practice else "teams"
    without = [each.competition.id for each in page.competitions if each.thresholds is None]
    words = None
    if without:
        named = ", ".join(without[:5]) + (f" and {len(without) - 5} more" if len(without) > 5 else "")
        words = note(f"Without thresholds, because nothing is graded, the data are twins or nobody competes: {named}.")
    if not figures:
        return section("humans", heading, words or note("There is nothing to compare."))
    key = [element("span", "pipelines" if is_practice else "humans", class_="key line-humans")]
    key += [element("span", name, class_=f"key line-{name}") for name in LINES]
    key += _group_keys(order)
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


def _group_keys(order: dict[str, int]) -> list[Markup]:
    return [element("span", label, class_=f"key group-{place % GROUPS}") for label, place in order.items()]


def group_legend(page: PageFacts) -> Markup | None:
    """Which colour is whose, where there are several."""
    order = {group.label: place for place, group in enumerate(page.groups)}
    return element("p", joined(_group_keys(order), " "), class_="legend") if page.is_comparison else None


def _humans(each: CompetitionFacts, order: dict[str, int]) -> Markup:
    assert each.thresholds is not None
    scored = [run for run in each.runs if run.score is not None]
    dots = [
        Dot(
            0.0 if run.percentile is None else run.percentile,
            float(run.score or 0.0),
            order[run.label],
            f"{_name(run, order)}: {number(run.score)}, {percent(run.percentile)}",
        )
        for run in scored
    ]
    name = each.competition.id
    metric = _metric(each)
    limits = ", ".join(f"{line} {number(getattr(each.thresholds, line))}" for line in LINES)
    told = _scores_in_words(scored, order) or ["no valid submission"]
    only = "Only the thresholds are known." if each.board is None or not each.board.quantiles else ""
    chart = human_chart(
        each.board,
        each.thresholds,
        dots,
        f"{name}: scores of the runs against the {'pipelines' if each.is_practice else 'human distribution'}",
        lower_is_better=each.lower_is_better,
    )
    if len(order) == 1:
        return figure(name, chart, f"{metric}: {told[0]}. Thresholds: {limits}. {only}", name=name)
    listed = [element("li", words) for words in [*told, f"thresholds: {limits}"]]
    return figure(name, chart, f"{metric}. {only}", folded("In words", element("ul", listed)), name=name)


def _name(run: RunFacts, order: dict[str, int]) -> str:
    seed = f"seed {run.run.record.seed}"
    return f"{run.label}, {seed}" if len(order) > 1 else seed


def _scores_in_words(runs: Sequence[RunFacts], order: dict[str, int]) -> list[str]:
    found = []
    for label in order:
        scores = [number(run.score) for run in runs if run.label == label]
        if scores:
            found.append(f"{label}: {', '.join(scores)}" if len(order) > 1 else f"runs {', '.join(scores)}")
    return found


def budgets(page: PageFacts) -> Markup:
    """Time and memory against what was allowed."""
    time = _budget(page, "time", lambda run: run.time_share)
    memory = _budget(page, "memory", lambda run: run.memory_share)
    if time is None and memory is None:
        return section("budget", "Time and memory", note("Nothing was measured, or there were no budgets."))
    return section(
        "budget",
        "Time and memory",
        group_legend(page),
        element("div", time, memory, class_="charts"),
        note("The table of runs has every one of them."),
    )


def _budget(page: PageFacts, what: str, share: Callable[[RunFacts], float | None]) -> Markup | None:
    per_group = [[value for run in group.runs if (value := share(run)) is not None] for group in page.groups]
    if not any(per_group):
        return None
    words = "; ".join(
        (f"{group.label}: " if page.is_comparison else "")
        + f"{percent(mean(each))} on average, {percent(max(each))} at most"
        for group, each in zip(page.groups, per_group, strict=True)
        if each
    )
    title, caption = f"{what.capitalize()} used, in percent of the budget", f"{words}."
    if len(page.competitions) * len(page.groups) > _BARS:
        chart = histogram(
            per_group, f"How many runs used which part of their {what}, in tenths of the budget. {words}."
        )
        return figure(title, chart, "How many runs used 0 to 10 %, 10 to 20 %, and so on. ", caption)
    names = [each.competition.id for each in page.competitions]
    means = [[_mean_share(each, group, share) for each in page.competitions] for group in page.groups]
    chart = bar_chart(
        names,
        means,
        f"{what.capitalize()} used per competition, in percent of the budget. {words}.",
        shown=percent,
        axis=lambda value: f"{value:g} %",
    )
    listed = [
        element("li", f"{name}: " + ", ".join(percent(values[place]) for values in means))
        for place, name in enumerate(names)
    ]
    return figure(title, chart, caption, folded("In words", element("ul", listed)))


def _mean_share(each: CompetitionFacts, group: GroupFacts, share: Callable[[RunFacts], float | None]) -> float | None:
    values = [value for run in each.runs if run.label == group.label and (value := share(run)) is not None]
    return mean(values) if values else None


def over_time(page: PageFacts) -> Markup:
    """Scores by the time of a run, from the snapshots that it left."""
    order = {group.label: place for place, group in enumerate(page.groups)}
    few = len(page.competitions) <= _DOTS
    figures = [drawn for each in page.competitions if (drawn := _over_time(each, order, with_dots=few)) is not None]
    if not figures:
        return section(
            "time",
            "Score over time",
            note("There are no graded snapshots: ", element("code", "mlebench run --snapshot-every"), " keeps them."),
        )
    return section(
        "time",
        "Score over time",
        note("What a run would have scored had it stopped there. Up is better."),
        group_legend(page),
        element("div", _medals_over_time(page), figures, class_="charts", data_filtered="Score over time"),
    )


def _over_time(each: CompetitionFacts, order: dict[str, int], *, with_dots: bool) -> Markup | None:
    lines = []
    for run in each.runs:
        points = [
            (one.seconds, one.score) for one in (run.report.snapshots if run.report else ()) if one.score is not None
        ]
        if points and run.score is not None and run.seconds is not None and run.seconds > points[-1][0]:
            points.append((run.seconds, run.score))
        if points:
            lines.append((order[run.label], _name(run, order), points))
    if not lines:
        return None
    name = each.competition.id
    words = [
        element("li", f"{label}: " + ", ".join(f"{duration(x)} {number(y)}" for x, y in _few(points)))
        for _, label, points in lines
    ]
    chart = over_time_chart(
        lines,
        each.thresholds,
        f"{name}: scores over the time of a run",
        lower_is_better=each.lower_is_better,
        with_dots=with_dots,
    )
    return figure(name, chart, _metric(each), folded("In words", element("ul", words)), name=name)


def _few(points: Sequence[tuple[float, float]], most: int = 8) -> list[tuple[float, float]]:
    """The points where the score changed, the last of them always."""
    changed = [each for place, each in enumerate(points) if place == 0 or each[1] != points[place - 1][1]]
    return changed if len(changed) <= most else [*changed[: most - 1], changed[-1]]


def _medals_over_time(page: PageFacts) -> Markup | None:
    lines = [
        (place, group.label, [(each["seconds"], each["any_medal"]) for each in group.aggregation.over_time])
        for place, group in enumerate(page.groups)
        if group.aggregation and group.aggregation.over_time
    ]
    if not lines:
        return None
    words = "; ".join(
        f"{label}: {percent(points[-1][1])} after {duration(points[-1][0])}" for _, label, points in lines
    )
    chart = medals_over_time_chart(lines, "Runs with a medal over time, in percent")
    return figure("Runs with a medal, in percent", chart, f"{words}.")
