"""The raw scores of one competition among those of the humans, or of the pipelines, that decided its medals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlebench.competition.leaderboard import MEDALS, Leaderboard, Thresholds
from mlebench.page.charts.axes import Scale, across, is_drawn, ticks, upwards, value_range
from mlebench.page.charts.drawing import WIDTH, Circle, Drawing, Line, Mark, Path, group_class
from mlebench.page.markup import Markup
from mlebench.page.quantities import number

_TAIL = 10  # percent of the humans, the worst, that are not shown: they are often far off
_EVERY = 3  # of the known points of the humans' scores: more are not seen at this size
LINES = (*MEDALS, "median")


@dataclass(frozen=True)
class Dot:
    """A run: its percentile, its score, the place of its group, and what is told when it is pointed at."""

    x: float
    y: float
    series: int
    text: str


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
    limits = limits_of(thresholds)
    low, high = value_range([*(value for _, value in curve), *limits.values()], [dot.y for dot in dots])
    left, right, top, bottom = 56.0, WIDTH - 18.0, 8.0, 150.0
    x = Scale(0, 100, left, right)
    y = Scale(low, high, top, bottom) if lower_is_better else Scale(low, high, bottom, top)
    marks: list[Mark] = upwards(y, ticks(low, high), left, right, number)
    marks += across(x, [(tick, f"{tick} %") for tick in (0, 25, 50, 75, 100)], top, bottom)
    marks += [
        Line(left, y(value), right, y(value), f"threshold {name}")
        for name, value in limits.items()
        if low <= value <= high
    ]
    if curve:
        marks.append(Path([(x(share), y(value)) for share, value in curve], "humans"))
    marks += [Circle(x(dot.x), y(dot.y), f"dot {group_class(dot.series)}", dot.text) for dot in dots]
    return Drawing(WIDTH, bottom + 20, label, marks).svg()


def limits_of(thresholds: Thresholds) -> dict[str, float]:
    """The thresholds that can be drawn, by their names."""
    values = {name: float(getattr(thresholds, name)) for name in LINES}
    return {name: value for name, value in values.items() if is_drawn(value)}


def _curve(board: Leaderboard) -> list[tuple[float, float]]:
    """(share of teams that a score beats or equals, score), the worst humans left out."""
    ranks, scores = board.curve()
    teams = board.effective_teams
    points = [(100.0 * (teams - rank + 1) / teams, score) for rank, score in zip(ranks, scores, strict=True)]
    finite = [(x, y) for x, y in points if is_drawn(y)]
    shown = [(x, y) for x, y in finite if x >= _TAIL] or finite
    return [point for place, point in enumerate(shown) if place % _EVERY == 0 or place == len(shown) - 1]
