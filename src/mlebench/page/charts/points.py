"""Two measures of competitions against each other, as a file of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlebench.base.wording import plain
from mlebench.page.charts.axes import Scale, across, ticks, upwards, value_range
from mlebench.page.charts.drawing import Circle, Drawing, Line, Mark, Text, group_class
from mlebench.page.colours import COLOURS
from mlebench.page.markup import text

_WIDTH, _HEIGHT = 640.0, 400.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 624.0, 34.0, 350.0
_LEGEND = 16.0  # height of a line of the legend
_NAMESPACE = "http://www.w3.org/2000/svg"


def points_chart(
    series: Sequence[tuple[str, Mapping[str, tuple[float, float]]]],
    label: str,
    *,
    x_name: str,
    y_name: str,
    y_marks: Sequence[tuple[float, str]] = (),
) -> Drawing:
    """Dots of several series, (name, (x, y) by the name of the dot) each, with a legend below.

    Lines are drawn at `y_marks`, which stay in sight; a dot far beyond them is at the border.
    """
    xs = [x for _, points in series for x, _ in points.values()]
    ys = [y for _, points in series for _, y in points.values()]
    low, high = value_range(xs)
    x_scale = Scale(low, high, _LEFT + 8, _RIGHT - 8)
    y_scale = Scale(*value_range([mark for mark, _ in y_marks] or ys, ys), _BOTTOM - 8, _TOP + 8)
    marks: list[Mark] = [Text(_LEFT, 16, plain(label, 100), "own")]
    marks += upwards(y_scale, ticks(y_scale.low, y_scale.high), _LEFT, _RIGHT, lambda value: f"{value:.4g}")
    marks += across(x_scale, [(tick, f"{tick:.4g}") for tick in ticks(low, high)], _TOP, _BOTTOM)
    for value, name in y_marks:
        marks.append(Line(_LEFT, y_scale(value), _RIGHT, y_scale(value), "mark"))
        marks.append(Text(_RIGHT, y_scale(value) - 4, name, "end"))
    for place, (name, points) in enumerate(series):
        colour = group_class(place)
        marks += [
            Circle(x_scale(x), y_scale(y), f"dot {colour}", f"{dot}: {x:.4g}, {y:.4g} ({name})")
            for dot, (x, y) in points.items()
        ]
        y = _HEIGHT + _LEGEND * place
        marks += [Circle(_LEFT + 4, y - 4, f"dot {colour}"), Text(_LEFT + 14, y, plain(name, 100), "start")]
    marks.append(Text((_LEFT + _RIGHT) / 2, _BOTTOM + 30, x_name))
    marks.append(Text(4, _TOP - 4, y_name, "start"))
    return Drawing(_WIDTH, _HEIGHT + _LEGEND * len(series), label, marks)


def svg_file(drawing: Drawing) -> str:
    """A drawing as a file of its own: with its colours, on white."""
    colour = {name: light for name, (light, _) in COLOURS.items()}
    rules = [
        f"text{{font:11px sans-serif;fill:{colour['muted']}}}.own{{font-weight:650;fill:{colour['ink']}}}",
        ".middle{text-anchor:middle}.end{text-anchor:end}path{fill:none}",
        f".guide{{stroke:{colour['line']}}}.mark{{stroke:{colour['muted']};stroke-dasharray:4 3}}",
        *(
            f".group-{place}{{fill:{colour[f'g{place}'] if place % 2 == 0 else colour['surface']};"
            f"stroke:{colour[f'g{place}']};stroke-width:1.5}}"
            for place in range(6)
        ),
    ]
    size = f'width="{drawing.width:g}" height="{drawing.height:g}"'
    begin, end = str(drawing.svg()).strip().split(">", 1)
    begin = begin.replace("<svg", f'<svg xmlns="{_NAMESPACE}" {size}', 1)
    background = f'<rect width="100%" height="100%" fill="{colour["surface"]}"/>'
    title = f"<title>{text(drawing.label)}</title>"
    return f"{begin}>{title}<style>{''.join(rules)}</style>{background}{end}\n"
