"""Where runs stand among those who decided the medals: all competitions on one axis, on which the medals are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from mlebench.base.wording import plain
from mlebench.competition.leaderboard import Thresholds
from mlebench.page.charts.axes import Scale
from mlebench.page.charts.drawing import Circle, Drawing, Line, Mark, Rect, Text, group_class, width_of
from mlebench.page.markup import Markup

# From the worst to the best; each takes the same room, though it holds fewer and fewer teams.
BANDS = ("below median", "above median", "bronze", "silver", "gold")
_WIDTH, _NAME, _LANE = 960.0, 44, 11.0


@dataclass(frozen=True)
class StandingRow:
    """A competition: for every group (by its place) the runs as (position, words, address)."""

    name: str
    runs: Mapping[int, Sequence[tuple[float, str, str]]]


def position(score: float, percentile: float | None, limits: Thresholds, *, lower_is_better: bool) -> float:
    """Where a score is on the axis of bands, from 0 to 5.

    Between two thresholds it is as far as the score is between them. Below the median and above gold the percentile
    decides; where it is not known, the score is in the middle of its band.

    >>> position(0.75, None, Thresholds(1.0, 0.5, 0.25, 0.0), lower_is_better=False)
    3.5
    """
    sign = -1.0 if lower_is_better else 1.0
    value = sign * score
    steps = [sign * limit for limit in (limits.median, limits.bronze, limits.silver, limits.gold)]
    if not value > steps[0]:
        share = 25.0 if percentile is None else min(max(percentile, 0.0), 50.0)
        return share / 50.0
    if value >= steps[3]:
        return 4.5 if percentile is None else 4.0 + min(max((percentile - 90.0) / 10.0, 0.0), 1.0)
    band = max(place for place in range(3) if value >= steps[place])
    start, end = steps[band], steps[band + 1]
    return band + 1 + ((value - start) / (end - start) if end > start else 0.5)


def standing_chart(rows: Sequence[StandingRow], groups: int, label: str) -> Markup:
    """Every competition as a row: the runs of a group as dots, a line from its worst to its best, a bar at its mean."""
    names = [plain(row.name, _NAME) for row in rows]
    left = 12 + max((width_of(name) for name in names), default=0.0)
    scale = Scale(0, len(BANDS), left, _WIDTH - 8)
    height = max(18.0, _LANE * groups + 6)
    top, bottom = 22.0, 22.0 + height * len(rows)
    marks: list[Mark] = []
    for place, band in enumerate(BANDS):
        x = scale(place)
        marks.append(Rect(x, top - 18, scale(place + 1) - x, bottom - top + 18, f"band {band.replace(' ', '-')}"))
        marks.append(Text((x + scale(place + 1)) / 2, top - 6, band))
    for number, (row, name) in enumerate(zip(rows, names, strict=True)):
        y = top + number * height
        marks.append(Line(left, y, _WIDTH - 8, y, "guide"))
        marks.append(Text(left - 8, y + height / 2 + 4, name, "end"))
        for lane, (group, runs) in enumerate(sorted(row.runs.items())):
            middle = y + height / 2 + (lane - (len(row.runs) - 1) / 2) * _LANE
            colour = group_class(group)
            places = [at for at, _, _ in runs]
            if len(places) > 1:
                marks.append(Line(scale(min(places)), middle, scale(max(places)), middle, f"range {colour}"))
                x = scale(mean(places))
                marks.append(Line(x, middle - 4.5, x, middle + 4.5, f"mean {colour}"))
            marks += [Circle(scale(at), middle, f"dot {colour}", words, anchor, 3.2) for at, words, anchor in runs]
    return Drawing(_WIDTH, bottom + 4, label, marks).svg("wide")
