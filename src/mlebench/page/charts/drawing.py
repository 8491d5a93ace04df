"""What a chart is made of: marks with a place and a class. Colours and strokes are those of the stylesheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mlebench.page.markup import Markup
from mlebench.page.templating import template

WIDTH = 340  # of a small chart: what fits on a phone without being made smaller
GROUPS = 6  # groups with a colour of their own; more begin again
_CHARACTER = 6.1  # width of a character of the font of charts, about


@dataclass(frozen=True)
class Line:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    css_class: str
    kind: str = field(default="line", init=False)


@dataclass(frozen=True)
class Path:
    """A line through several points; with `in_steps` a value holds until the next one."""

    points: Sequence[tuple[float, float]]
    css_class: str
    title: str = ""
    in_steps: bool = False
    kind: str = field(default="path", init=False)

    @property
    def d(self) -> str:
        """The path as SVG writes it."""
        if not self.points:
            return ""
        (x, y), *rest = [(_short(x), _short(y)) for x, y in self.points]
        drawn, last = [f"M{x} {y}"], y
        for place, (x, y) in enumerate(rest):
            if not self.in_steps:
                drawn.append(f"L{x} {y}")
            elif y != last:
                drawn.append(f"H{x}V{y}")
            elif place + 1 == len(rest):
                drawn.append(f"H{x}")
            last = y
        return "".join(drawn)


@dataclass(frozen=True)
class Rect:
    """A bar."""

    x: float
    y: float
    width: float
    height: float
    css_class: str
    title: str = ""
    kind: str = field(default="rect", init=False)


@dataclass(frozen=True)
class Circle:
    """A dot, with what it tells when it is pointed at, and the address of its run."""

    x: float
    y: float
    css_class: str
    title: str = ""
    run: str | None = None
    r: float = 3.5
    kind: str = field(default="circle", init=False)


@dataclass(frozen=True)
class Text:
    """A label."""

    x: float
    y: float
    text: str
    css_class: str = "middle"
    kind: str = field(default="text", init=False)


Mark = Line | Path | Rect | Circle | Text


@dataclass(frozen=True)
class Drawing:
    """A chart: its size, what it is called by those who cannot see it, and its marks from back to front."""

    width: float
    height: float
    label: str
    marks: Sequence[Mark]

    def svg(self, css_class: str = "") -> Markup:
        """The chart as inline SVG."""
        return template("drawing.svg", drawing=self, css_class=css_class)


def group_class(place: int) -> str:
    """The class that colours a group."""
    return f"group-{place % GROUPS}"


def width_of(text: str) -> float:
    """About how wide a label is."""
    return _CHARACTER * len(text)


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
