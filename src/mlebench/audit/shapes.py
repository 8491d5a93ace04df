"""Shapes in a picture as values write them: polygons, runs of pixels, rectangles; and how they look when drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mlebench.audit.frames import Grey

Shape = tuple[str, Any]  # "points" or "counts", and the numbers
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_WRITTEN = re.compile(r"(?:[A-Za-z]+\s*)?[\s\d.,;:eE+\-()\[\]]+")  # with a word such as POLYGON in front
_FEWEST_POINTS, _MOST_DEPTH, _MOST_SHAPES = 3, 8, 400
SCALES = ("pixels", "shares", "percent")


def shapes_in(value: Any, depth: int = 0) -> Iterator[Shape]:
    """The shapes in a nested value, as JSON has it."""
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, dict):
        if isinstance(counts := value.get("counts"), list | str):
            yield "counts", counts_of(counts) if isinstance(counts, str) else counts
            return
        across, down = (
            next((value[key] for key in value if str(key).endswith(f"points_{axis}")), None) for axis in "xy"
        )
        if isinstance(across, list) and isinstance(down, list) and len(across) == len(down) >= _FEWEST_POINTS:
            yield "points", list(zip(across, down, strict=True))
            return
        for below in value.values():
            yield from shapes_in(below, depth + 1)
    elif isinstance(value, list):
        if (points := _points(value)) is not None:
            yield "points", points
        else:
            for below in value[:_MOST_SHAPES]:
                if isinstance(below, dict | list):
                    yield from shapes_in(below, depth + 1)


def _points(value: list[Any]) -> list[tuple[float, float]] | None:
    if len(value) >= _FEWEST_POINTS and all(_is_pair(point) for point in value):
        pairs = (point.values() if isinstance(point, dict) else point for point in value)
        return [(float(x), float(y)) for x, y in pairs]
    if len(value) >= 2 * _FEWEST_POINTS and len(value) % 2 == 0 and all(isinstance(one, int | float) for one in value):
        return list(zip(map(float, value[::2]), map(float, value[1::2]), strict=True))
    return None


def _is_pair(point: Any) -> bool:
    cells = list(point.values()) if isinstance(point, dict) else point
    return isinstance(cells, list) and len(cells) == 2 and all(isinstance(cell, int | float) for cell in cells)


def shape_of_text(text: str) -> list[Shape]:
    """The shapes that a text of numbers may be: a polygon, behind the number of a class or not, or runs of pixels."""
    if not _WRITTEN.fullmatch(text):
        return []
    numbers = [float(number) for number in _NUMBER.findall(text)]
    found: list[Shape] = []
    points = numbers[len(numbers) % 2 :]
    if len(points) >= 2 * _FEWEST_POINTS:
        found.append(("points", list(zip(points[::2], points[1::2], strict=True))))
    if len(numbers) >= 4 and all(number >= 0 and number == int(number) for number in numbers):
        if len(numbers) % 2 == 0:
            found.append(("runs", [int(number) for number in numbers]))
        found.append(("counts", [int(number) for number in numbers]))
    return found


def counts_of(text: str) -> list[int]:
    """The lengths of runs that are packed into a text, six bits to a character, as COCO has them."""
    found: list[int] = []
    place = 0
    while place < len(text):
        number = shift = 0
        more = True
        while more and place < len(text):
            bits = ord(text[place]) - 48
            number |= (bits & 31) << shift
            more, shift, place = bool(bits & 32), shift + 5, place + 1
            if not more and bits & 16:
                number -= 1 << shift
        found.append(number + found[-2] if len(found) > 2 else number)
    return found


def drawn(shapes: Sequence[Shape], height: int, width: int, scale: str) -> Grey | None:
    """Shapes in one picture, as rows and columns; None where none of them is within it."""
    from PIL import Image, ImageDraw

    canvas = Image.new("L", (width, height))
    others = np.zeros(height * width)
    by = {"pixels": (1.0, 1.0), "shares": (width, height), "percent": (width / 100, height / 100)}[scale]
    count = 0
    for kind, numbers in shapes[:_MOST_SHAPES]:
        if kind == "points":
            points = [(x * by[0], y * by[1]) for x, y in numbers]
            if all(-2 <= x <= width + 2 and -2 <= y <= height + 2 for x, y in points):
                ImageDraw.Draw(canvas).polygon(points, fill=1, outline=1)
                count += 1
        elif scale == "pixels" and kind in ("counts", "runs"):
            count += _fill(others, numbers, is_counts=kind == "counts")
    if not count:
        return None
    both: Grey = np.maximum(np.asarray(canvas, dtype=float), others.reshape((height, width), order="F"))
    return both


def _fill(flat: Grey, numbers: Sequence[int], *, is_counts: bool) -> bool:
    if is_counts:  # of pixels outside and inside in turns, down the columns
        edges = np.cumsum(numbers)
        pairs = list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=False))
        is_whole = bool(len(edges)) and edges[-1] == len(flat)
    else:
        pairs = [(start - 1, start - 1 + length) for start, length in zip(numbers[::2], numbers[1::2], strict=True)]
        is_whole = all(0 <= start < stop <= len(flat) for start, stop in pairs)
    if not is_whole:
        return False
    for start, stop in pairs:
        flat[start:stop] = 1
    return True
