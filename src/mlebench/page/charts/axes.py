"""Scales and axes: where a value is drawn, and which values are written beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlebench.page.charts.drawing import Line, Mark, Text

LARGEST, FINEST = 1e100, 1e-6  # of values that are drawn, and of a range as a part of what it holds


@dataclass(frozen=True)
class Scale:
    """From a range of values to a range of places; what is beyond it is drawn at its border."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The place of a value."""
        value = self.low if math.isnan(value) else min(max(value, self.low), self.high)
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def is_drawn(value: float) -> bool:
    """Whether a value can be a point on an axis: a number, and not beyond all bounds."""
    return abs(value) < LARGEST


def value_range(base: Sequence[float], values: Sequence[float] = ()) -> tuple[float, float]:
    """From the lowest to the highest value of `base`; `values` far off do not squeeze the rest."""
    known = [value for value in base if is_drawn(value)] or [0.0]
    low, high = min(known), max(known)
    span = (high - low) or abs(high) or 1.0
    near = [value for value in values if low - span <= value <= high + span]
    low, high = min([low, *near]), max([high, *near])
    largest = max(abs(low), abs(high))
    if high - low <= max(largest * FINEST, 1 / LARGEST):  # all the same, but for the last digits
        reach = max(largest / 10, 10 / LARGEST) if largest else 0.5
        low, high = low - reach, high + reach
    return low, high


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round values within a range, in at most `most` steps.

    >>> ticks(0.0, 100.0)
    [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
    """
    step = 10.0 ** math.floor(math.log10((high - low) / 2))
    for factor in (1, 2, 5, 10, 20):
        if (high - low) / (factor * step) <= most:
            step *= factor
            break
    first = math.ceil(low / step - 1e-9)
    return [place * step for place in range(first, first + most + 1) if place * step <= high + 1e-9 * step]


def count_ticks(most: int) -> list[float]:
    """Marks at whole numbers."""
    return [tick for tick in ticks(0.0, float(max(most, 1))) if tick == round(tick)]


def time_unit(last: float) -> tuple[float, str]:
    """The seconds of a unit of time that fits a range, and its name."""
    return (1.0, "s") if last < 180 else (60.0, "min") if last < 10_800 else (3600.0, "h")


def time_ticks(last: float) -> list[tuple[float, str]]:
    """Round marks from 0 to the last second, in a unit that fits."""
    unit, name = time_unit(last)
    return [(unit * tick, f"{tick:g} {name}") for tick in ticks(0.0, last / unit)]


def across(
    scale: Scale, marks: Sequence[tuple[float, str]], top: float, bottom: float, *, guides: bool = True
) -> list[Mark]:
    """An axis from left to right: a guide and a label for each mark."""
    drawn: list[Mark] = []
    for value, label in marks:
        x = scale(value)
        if guides:
            drawn.append(Line(x, top, x, bottom, "guide"))
        drawn.append(Text(x, bottom + 14, label))
    return drawn


def upwards(
    scale: Scale, values: Sequence[float], left: float, right: float, shown: Callable[[float], str]
) -> list[Mark]:
    """An axis from bottom to top: a guide and a label for each value."""
    drawn: list[Mark] = []
    for value in values:
        y = scale(value)
        drawn += [Line(left, y, right, y, "guide"), Text(left - 5, y + 3.5, shown(value), "end")]
    return drawn
