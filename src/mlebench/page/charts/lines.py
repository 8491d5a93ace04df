"""Values over the time of runs, as steps: a score holds until the next one is known."""

from __future__ import annotations

from collections.abc import Sequence

from mlebench.competition.leaderboard import Thresholds
from mlebench.page.charts.axes import Scale, across, is_drawn, ticks, time_ticks, upwards, value_range
from mlebench.page.charts.drawing import WIDTH, Circle, Drawing, Line, Mark, Path, Text, group_class
from mlebench.page.charts.scores import limits_of
from mlebench.page.markup import Markup
from mlebench.page.quantities import duration, number

_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, WIDTH - 22.0, 8.0, 150.0
_DASHES = 4  # ways to draw a line; more seeds begin again

RunLine = tuple[int, str, Sequence[tuple[float, float]]]  # place of the group, name, (seconds, value)s


def over_time_chart(
    lines: Sequence[RunLine],
    thresholds: Thresholds | None,
    label: str,
    *,
    lower_is_better: bool,
    with_dots: bool = True,
    marks_of: Sequence[str] = (),
) -> Markup:
    """Scores by the seconds of a run: one line per run, with the thresholds behind.

    Lines of one group have one colour and differ in their dashes; `marks_of` has what is written at the end of each.
    """
    values = [y for _, _, points in lines for _, y in points]
    low, high = value_range([y for y in values if is_drawn(y)], values)
    last = max((x for _, _, points in lines for x, _ in points), default=1.0) or 1.0
    across_scale = Scale(0, last, _LEFT, _RIGHT)
    up = Scale(low, high, _TOP, _BOTTOM) if lower_is_better else Scale(low, high, _BOTTOM, _TOP)
    drawn: list[Mark] = upwards(up, ticks(low, high), _LEFT, _RIGHT, number)
    drawn += across(across_scale, time_ticks(last), _TOP, _BOTTOM)
    for name, value in (limits_of(thresholds) if thresholds else {}).items():
        if low <= value <= high:
            drawn.append(Line(_LEFT, up(value), _RIGHT, up(value), f"threshold {name}"))
    of_group: dict[int, int] = {}
    for place, (group, name, points) in enumerate(lines):
        number_in_group = of_group[group] = of_group.get(group, -1) + 1
        classes = f"{group_class(group)} dash-{number_in_group % _DASHES}"
        path = [(across_scale(x), up(y)) for x, y in points]
        drawn.append(Path(path, f"score-line {classes}", name, in_steps=True))
        if with_dots:
            drawn += [
                Circle(*at, f"dot {classes}", f"{name}, after {duration(x)}: {number(y)}", r=2.5)
                for at, (x, y) in zip(path, points, strict=True)
            ]
        if marks_of and path:
            drawn.append(Text(path[-1][0] + 4, path[-1][1] + 3.5, marks_of[place], "start"))
    return Drawing(WIDTH, _BOTTOM + 20, label, drawn).svg()


def medals_over_time_chart(lines: Sequence[RunLine], label: str) -> Markup:
    """The share of runs with a medal, in percent, by the seconds of a run: one line per group."""
    last = max((x for _, _, points in lines for x, _ in points), default=1.0) or 1.0
    across_scale, up = Scale(0, last, _LEFT, _RIGHT), Scale(0, 100, _BOTTOM, _TOP)
    drawn: list[Mark] = upwards(up, (0, 50, 100), _LEFT, _RIGHT, lambda value: f"{value:g} %")
    drawn += across(across_scale, time_ticks(last), _TOP, _BOTTOM)
    for group, name, points in lines:
        path = [(across_scale(x), up(y)) for x, y in points]
        drawn.append(Path(path, f"score-line {group_class(group)}", name, in_steps=True))
        drawn += [
            Circle(*at, f"dot {group_class(group)}", f"{name}, after {duration(x)}: {y:.1f} %", r=2.5)
            for at, (x, y) in zip(path, points, strict=True)
        ]
    return Drawing(WIDTH, _BOTTOM + 20, label, drawn).svg()
