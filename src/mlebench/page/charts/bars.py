"""Bars that are made of parts, and histograms of shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlebench.base.wording import counted, plain
from mlebench.page.charts.axes import Scale, across, count_ticks, upwards
from mlebench.page.charts.drawing import WIDTH, Drawing, Mark, Rect, Text, group_class, width_of
from mlebench.page.markup import Markup

LABEL = 24  # characters of the label of a bar
_ROW, _BAR = 22, 15


@dataclass(frozen=True)
class Part:
    """A part of stacked bars: its name, the class that colours it, and its count in every bar."""

    name: str
    css_class: str
    counts: Sequence[int]


def stacked_chart(rows: Sequence[str], parts: Sequence[Part], label: str, *, width: int = WIDTH) -> Markup:
    """Bars from left to right, made of parts, such as the outcomes of every seed."""
    labels = [plain(row, LABEL) for row in rows]
    left = min(width / 2, 10 + max((width_of(row) for row in labels), default=0.0))
    bottom = 6 + _ROW * len(rows)
    most = max([1, *(sum(counts) for counts in zip(*(part.counts for part in parts), strict=True))])
    scale = Scale(0, most, left, width - 12)
    marks: list[Mark] = across(scale, [(tick, f"{tick:.0f}") for tick in count_ticks(most)], 2, bottom)
    for place, row in enumerate(labels):
        y, before = 6 + _ROW * place, 0
        marks.append(Text(left - 6, y + 11.5, row, "end"))
        for part in parts:
            if count := part.counts[place]:
                title = f"{rows[place]}: {counted(count, 'run')}, {part.name}"
                x = scale(before)
                marks.append(Rect(x, y, scale(before + count) - x, _BAR, f"bar {part.css_class}", title))
                before += count
    return Drawing(width, bottom + 20, label, marks).svg()


def histogram(shares: Sequence[Sequence[float]], label: str) -> Markup:
    """How many runs used which part of a budget, in tenths; those over it are in the last bar."""
    tenths = [[0] * 11 for _ in shares]
    for counts, shares_of_group in zip(tenths, shares, strict=True):
        for share in shares_of_group:
            counts[min(10, int(share // 10))] += 1
    most = max([1, *(sum(counts) for counts in zip(*tenths, strict=True))])
    left, right, top, bottom = 34.0, WIDTH - 8.0, 8.0, 150.0
    step = (right - left) / 11
    scale = Scale(0, most, bottom, top)
    marks: list[Mark] = upwards(scale, count_ticks(most), left, right, lambda value: f"{value:.0f}")
    for tenth in range(11):
        before = 0
        marks.append(Text(left + (tenth + 0.5) * step, bottom + 14, ">100" if tenth == 10 else f"{10 * tenth}"))
        for place, counts in enumerate(tenths):
            if count := counts[tenth]:
                y = scale(before + count)
                title = f"{counted(count, 'run')}: {_tenth(tenth)}"
                bar = Rect(
                    left + tenth * step + 1.5, y, step - 3, scale(before) - y, f"bar {group_class(place)}", title
                )
                marks.append(bar)
                before += count
    return Drawing(WIDTH, bottom + 20, label, marks).svg()


def _tenth(tenth: int) -> str:
    return "over the budget" if tenth == 10 else f"{10 * tenth} to {10 * tenth + 10} % of the budget"
