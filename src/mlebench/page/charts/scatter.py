"""Two measures of groups against each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlebench.base.wording import plain
from mlebench.page.charts.axes import Scale, across, ticks, upwards, value_range
from mlebench.page.charts.drawing import WIDTH, Circle, Drawing, Line, Mark, Text, group_class, width_of
from mlebench.page.markup import Markup


def scatter_chart(
    points: Sequence[tuple[int, str, float, float, float]],
    label: str,
    *,
    shown: Callable[[float], str],
) -> Markup:
    """One dot per group, (place, name, x, y, error of y) each; y is in percent, and `shown` writes x."""
    left, right, top, bottom = 46.0, WIDTH - 14.0, 10.0, 160.0
    _, high = value_range([0.0, *(x for _, _, x, _, _ in points)])
    # From 0, so that lengths can be compared, and no further than there is something to see.
    highest = min(100.0, 1.2 * max([8.0, *(y + error for _, _, _, y, error in points)]))
    x_scale, y_scale = Scale(0.0, high * 1.08, left, right), Scale(0, highest, bottom, top)
    marks: list[Mark] = upwards(y_scale, ticks(0.0, highest, 4), left, right, lambda value: f"{value:g} %")
    marks += across(x_scale, [(tick, shown(tick)) for tick in ticks(0.0, high * 1.08, 4)], top, bottom)
    written: list[float] = []
    for place, name, x, y, error in sorted(points, key=lambda point: -point[3]):
        at_x, at_y = x_scale(x), y_scale(y)
        line = max([at_y + 4, *(other + 12 for other in written)])  # labels that would be on each other are below
        written.append(line)
        if error:
            marks.append(Line(at_x, y_scale(y - error), at_x, y_scale(y + error), f"error {group_class(place)}"))
        marks.append(Circle(at_x, at_y, f"dot {group_class(place)}", f"{name}: {y:.1f} %, {shown(x)}", r=5))
        text = plain(name, 20)
        is_left = at_x + 8 + width_of(text) > right
        marks.append(Text(at_x + (-9 if is_left else 9), line, text, "end" if is_left else "start"))
    return Drawing(WIDTH, bottom + 20, label, marks).svg()
