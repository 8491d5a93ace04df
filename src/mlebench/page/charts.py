"""The charts of a page, drawn by pygal: what the axes show, and in which range."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mlebench.base.wording import counted, plain
from mlebench.competition.leaderboard import MEDALS, Leaderboard, Thresholds
from mlebench.page.markup import Markup
from mlebench.page.quantities import duration, number
from mlebench.page.svg import drawn

WIDTH = 340  # of a small chart: what fits on a phone without being made smaller
_TAIL = 10  # percent of the humans, the worst, that are not shown: they are often far off
_EVERY = 2  # of the known points of the humans' scores: more are not seen at this size
_LARGEST, _FINEST = 1e100, 1e-6  # of values that are drawn, and of a range as a part of what it holds
LINES = (*MEDALS, "median")
GROUPS = 6  # groups with a colour of their own; more begin again
LABEL = 24  # characters of the label of a bar


@dataclass(frozen=True)
class Dot:
    """A run on a chart: the series it belongs to, and its tooltip."""

    x: float
    y: float
    series: int
    text: str


@dataclass(frozen=True)
class Part:
    """A part of stacked bars: its name, the class that colours it, and its count in every bar."""

    name: str
    css_class: str
    counts: Sequence[int]


def human_chart(
    board: Leaderboard | None,
    thresholds: Thresholds,
    dots: Sequence[Dot],
    label: str,
    *,
    lower_is_better: bool,
) -> Markup:
    """Scores by the share of teams that they beat or equal: the humans as a line, thresholds, and runs as dots."""
    curve = _curve(board) if board is not None and board.quantiles is not None else []
    low, high = _range([value for _, value in curve] or list(_limits(thresholds).values()), thresholds, dots)
    chart = _chart(
        "XY",
        height=190,
        range=(low, high),
        xrange=(0, 100),
        inverse_y_axis=lower_is_better,
        x_labels=(0, 25, 50, 75, 100),
        x_value_formatter=lambda value: f"{value:g} %",
        value_formatter=number,
        y_labels=_ticks(low, high),
    )
    classes = _threshold_lines(chart, thresholds, (0.0, 100.0), low, high)
    if curve:
        chart.add("humans", [(x, min(max(y, low), high)) for x, y in curve], show_dots=False, stroke=True)
        classes.append("humans")
    classes += _dots(chart, dots, low, high)
    if not classes:
        chart.x_labels = chart.y_labels = None  # pygal says that there is no data, and can place no labels
    return drawn(chart, label, classes)


def over_time_chart(
    lines: Sequence[tuple[int, str, Sequence[tuple[float, float]]]],
    thresholds: Thresholds | None,
    label: str,
    *,
    lower_is_better: bool,
    with_dots: bool = True,
) -> Markup:
    """Scores by the seconds of a run: one line per run, (series, name, points) each, and the thresholds."""
    dots = [
        Dot(x, y, series, f"{name}, after {duration(x)}: {number(y)}")
        for series, name, points in lines
        for x, y in points
    ]
    base = [dot.y for dot in dots if _is_drawn(dot.y)] or [0.0]
    low, high = _range(base, None, dots)
    last = max((dot.x for dot in dots), default=1.0) or 1.0
    chart = _chart(
        "XY",
        height=190,
        range=(low, high),
        inverse_y_axis=lower_is_better,
        **_time_axis(last),
        value_formatter=number,
        y_labels=_ticks(low, high),
    )
    classes = _threshold_lines(chart, thresholds, (0.0, last), low, high) if thresholds else []
    for series, name, points in lines:
        values = [_value(Dot(x, y, series, f"{name}, after {duration(x)}: {number(y)}"), low, high) for x, y in points]
        chart.add(plain(name), values, stroke=True, show_dots=with_dots)
        classes.append(f"runs group-{series % GROUPS}")
    return drawn(chart, label, classes, in_steps=True)


def medals_over_time_chart(lines: Sequence[tuple[int, str, Sequence[tuple[float, float]]]], label: str) -> Markup:
    """The share of runs with a medal, in percent, by the seconds of a run: one line per group."""
    last = max((x for _, _, points in lines for x, _ in points), default=1.0) or 1.0
    chart = _chart(
        "XY",
        height=190,
        range=(0, 100),
        **_time_axis(last),
        value_formatter=_percent,
        y_labels=(0, 50, 100),
    )
    classes = []
    for series, name, points in lines:
        dots = [Dot(x, y, series, f"{name}, after {duration(x)}: {y:.1f} %") for x, y in points]
        chart.add(plain(name), [_value(dot, 0.0, 100.0) for dot in dots], stroke=True)
        classes.append(f"runs group-{series % GROUPS}")
    return drawn(chart, label, classes, in_steps=True)


def stacked_chart(rows: Sequence[str], parts: Sequence[Part], label: str) -> Markup:
    """Bars made of parts, such as the medals of every seed."""
    rows = list(rows)[::-1]  # pygal begins at the bottom
    chart = _chart(
        "HorizontalStackedBar",
        height=_bars_height(len(rows)),
        x_labels=[plain(row, LABEL) for row in rows],
        **_count_axis([sum(counts) for counts in zip(*(part.counts for part in parts), strict=True)]),
    )
    for part in parts:
        values = [
            {"value": count, "tooltip": plain(f"{row}: {counted(count, 'run')}, {part.name}")} if count else None
            for row, count in zip(rows, list(part.counts)[::-1], strict=True)
        ]
        chart.add(plain(part.name), values)
    return drawn(chart, label, [part.css_class for part in parts])


def bar_chart(
    rows: Sequence[str],
    series: Sequence[Sequence[float | None]],
    label: str,
    *,
    shown: Callable[[float], str],
    axis: Callable[[float], str],
    most: float | None = None,
    errors: Sequence[Sequence[float]] | None = None,
    groups: Sequence[int] = (),
) -> Markup:
    """Horizontal bars: one per row and series, with an error bar where there are errors.

    `shown` writes a value where there is room, `axis` below the axis, where there is little. Where the rows are groups
    instead of the series, `groups` has their places.
    """
    top = most or max([value for values in series for value in values if value is not None] + [1e-9])
    rows, series = list(rows)[::-1], [list(values)[::-1] for values in series]  # pygal begins at the bottom
    errors = None if errors is None else [list(values)[::-1] for values in errors]
    chart = _chart(
        "HorizontalBar",
        height=_bars_height(len(rows) * max(1, len(series))),
        x_labels=[plain(row, LABEL) for row in rows],
        range=(0, top),
        value_formatter=axis,
        y_labels=_ticks(0.0, top, 3),
    )
    for place, values in enumerate(series):
        bars: list[Any] = []
        for row, value in enumerate(values):
            if value is None:
                bars.append(None)
                continue
            bar: dict[str, Any] = {"value": value, "tooltip": plain(f"{rows[row]}: {shown(value)}")}
            if errors is not None and errors[place][row]:
                low = max(0.0, value - errors[place][row])
                bar["ci"] = {"low": low, "high": value + errors[place][row]}
            bars.append(bar)
        chart.add(str(place), bars)
    return drawn(
        chart,
        label,
        [f"bars group-{place % GROUPS}" for place in range(len(series))],
        bars=[f"group-{place % GROUPS}" for place in reversed(groups)],
    )


def histogram(shares: Sequence[Sequence[float]], label: str) -> Markup:
    """How many runs used which part of a budget, in tenths; those over it are in the last bar."""
    tenths = [[0] * 11 for _ in shares]
    for counts, shares_of_group in zip(tenths, shares, strict=True):
        for share in shares_of_group:
            counts[min(10, int(share // 10))] += 1
    chart = _chart(
        "StackedBar",
        height=190,
        x_labels=[*(f"{10 * tenth}" for tenth in range(10)), ">100"],
        **_count_axis([sum(counts) for counts in zip(*tenths, strict=True)]),
    )
    for place, counts in enumerate(tenths):
        bars = [
            {"value": count, "tooltip": f"{counted(count, 'run')}: {_tenth(tenth)}"} if count else None
            for tenth, count in enumerate(counts)
        ]
        chart.add(str(place), bars)
    return drawn(chart, label, [f"bars group-{place % GROUPS}" for place in range(len(shares))])


def _tenth(tenth: int) -> str:
    return "over the budget" if tenth == 10 else f"{10 * tenth} to {10 * tenth + 10} % of the budget"


def _percent(value: float) -> str:
    return f"{value:g} %"


def _bars_height(bars: int) -> int:
    return 40 + 22 * max(1, bars)


def _chart(kind: str, **options: Any) -> Any:
    import pygal
    from pygal.style import Style

    return getattr(pygal, kind)(
        style=Style(label_font_size=11, major_label_font_size=11, value_font_size=11, font_family="sans-serif"),
        width=WIDTH,
        js=[],
        css=[],
        disable_xml_declaration=True,
        no_prefix=True,
        show_legend=False,
        margin=4,
        margin_right=18,
        spacing=6,
        dots_size=3.5,
        stroke=False,
        truncate_label=-1,
        **options,
    )


def _curve(board: Leaderboard) -> list[tuple[float, float]]:
    """(share of teams that a score beats or equals, score), the worst humans left out."""
    ranks, scores = board.curve()
    teams = board.effective_teams
    points = [(100.0 * (teams - rank + 1) / teams, score) for rank, score in zip(ranks, scores, strict=True)]
    finite = [(x, y) for x, y in points if _is_drawn(y)]
    shown = [(x, y) for x, y in finite if x >= _TAIL] or finite
    return [point for place, point in enumerate(shown) if place % _EVERY == 0 or place == len(shown) - 1]


def _limits(thresholds: Thresholds) -> dict[str, float]:
    values = {name: float(getattr(thresholds, name)) for name in LINES}
    return {name: value for name, value in values.items() if _is_drawn(value)}


def _is_drawn(value: float) -> bool:
    """Whether a value can be a point on an axis: a number, and not beyond all bounds."""
    return abs(value) < _LARGEST


def _range(base: Sequence[float], thresholds: Thresholds | None, dots: Sequence[Dot]) -> tuple[float, float]:
    """From the lowest to the highest value; runs far off do not squeeze the rest and are drawn at the border."""
    values = [*base, *(_limits(thresholds).values() if thresholds else ())] or [0.0]
    low, high = min(values), max(values)
    span = (high - low) or abs(high) or 1.0
    near = [dot.y for dot in dots if low - span <= dot.y <= high + span]
    low, high = min([low, *near]), max([high, *near])
    largest = max(abs(low), abs(high))
    if high - low <= max(largest * _FINEST, 1 / _LARGEST):  # all the same, but for the last digits
        reach = max(largest / 10, 10 / _LARGEST) if largest else 0.5
        low, high = low - reach, high + reach
    return low, high


def _ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round values within a range, in at most `most` steps."""
    step = 10.0 ** math.floor(math.log10((high - low) / 2))
    for factor in (1, 2, 5, 10, 20):
        if (high - low) / (factor * step) <= most:
            step *= factor
            break
    first = math.ceil(low / step - 1e-9)
    return [place * step for place in range(first, first + most + 1) if place * step <= high + 1e-9 * step]


def _count_axis(totals: Sequence[int]) -> dict[str, Any]:
    """From 0 to the largest total, with marks at whole numbers."""
    most = max([*totals, 1])
    marks = [tick for tick in _ticks(0.0, float(most)) if tick == round(tick)]
    return {"range": (0, most), "y_labels": marks, "value_formatter": lambda value: f"{value:.0f}"}


def _time_axis(last: float) -> dict[str, Any]:
    """From 0 to the last second, with round marks in a unit that fits."""
    unit, name = (1.0, "s") if last < 180 else (60.0, "min") if last < 10_800 else (3600.0, "h")
    marks = [unit * tick for tick in _ticks(0.0, last / unit)]
    return {"xrange": (0, last), "x_labels": marks, "x_value_formatter": lambda value: f"{value / unit:g} {name}"}


def _threshold_lines(
    chart: Any, thresholds: Thresholds, ends: tuple[float, float], low: float, high: float
) -> list[str]:
    drawn_lines = []
    for name, value in _limits(thresholds).items():
        if low <= value <= high:
            chart.add(name, [(end, value) for end in ends], stroke=True, show_dots=False)
            drawn_lines.append(f"threshold {name}")
    return drawn_lines


def _dots(chart: Any, dots: Sequence[Dot], low: float, high: float) -> list[str]:
    by_series: dict[int, list[Dot]] = {}
    for dot in dots:
        by_series.setdefault(dot.series, []).append(dot)
    for series, found in sorted(by_series.items()):
        chart.add(str(series), [_value(dot, low, high) for dot in found])
    return [f"runs group-{series % GROUPS}" for series in sorted(by_series)]


def _value(dot: Dot, low: float, high: float) -> dict[str, Any]:
    y = low if math.isnan(dot.y) else min(max(dot.y, low), high)
    return {"value": (dot.x, y), "tooltip": plain(dot.text, 200)}
