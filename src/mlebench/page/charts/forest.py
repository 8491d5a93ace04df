"""Estimates below each other on one axis, each a dot with its error: groups, and published agents beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlebench.base.wording import plain
from mlebench.page.charts.axes import Scale, across
from mlebench.page.charts.drawing import Circle, Drawing, Line, Mark, Text, group_class, width_of
from mlebench.page.markup import Markup

_WIDTH, _ROW, _LABEL = 540, 20, 34
_BOLD = 1.15  # how much wider bold characters are


@dataclass(frozen=True)
class Estimate:
    """A row: its name, its mean and error in percent, what is written behind it, and the place of its group if any."""

    name: str
    mean: float
    error: float
    shown: str
    group: int | None = None


def forest_chart(rows: Sequence[Estimate | None], label: str) -> Markup:
    """Percentages with one standard error; a row of None stands for rows that are left out there."""
    names = [plain(row.name, _LABEL) for row in rows if row]
    left = 14 + max((width_of(name) for name in names), default=0.0)
    widths = [width_of(row.shown) * (1 if row.group is None else _BOLD) for row in rows if row]
    right = _WIDTH - 14 - max(widths, default=0.0)
    bottom = 6 + _ROW * len(rows)
    scale = Scale(0, 100, left, right)
    marks: list[Mark] = across(scale, [(tick, f"{tick} %") for tick in (0, 25, 50, 75, 100)], 2, bottom)
    for place, row in enumerate(rows):
        y = 6 + _ROW * place + _ROW / 2
        if row is None:
            marks.append(Text(left - 8, y + 2, "⋮", "end"))
            continue
        own = "" if row.group is None else " own"
        colour = "published" if row.group is None else group_class(row.group)
        marks.append(Text(left - 8, y + 4, plain(row.name, _LABEL), f"end{own}"))
        if row.error:
            marks.append(Line(scale(row.mean - row.error), y, scale(row.mean + row.error), y, f"error {colour}"))
        marks.append(Circle(scale(row.mean), y, f"dot {colour}", f"{row.name}: {row.shown}", r=4.5 if own else 3.5))
        marks.append(Text(right + 10, y + 4, row.shown, f"start{own}"))
    return Drawing(_WIDTH, bottom + 20, label, marks).svg("wide")
