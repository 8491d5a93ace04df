"""Amounts as people write them on a command line: 90s, 24h, 400M, 16G."""

from __future__ import annotations

import re
from typing import Any

import click

_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class Quantity(click.ParamType):  # type: ignore[type-arg]
    """A number with a unit; without one it is in the smallest."""

    def __init__(self, name: str, units: dict[str, int], examples: str) -> None:
        self.name = name
        self._units = units
        self._examples = examples

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The amount in seconds or bytes."""
        if isinstance(value, int | float):
            return float(value)
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]?)(?:i?b)?", str(value).strip().lower())
        if match is None or match[2] not in self._units or float(match[1]) <= 0:
            self.fail(f"{value!r} is not an amount such as {self._examples}.", param, ctx)
        return float(match[1]) * self._units[match[2]]


DURATION = Quantity("duration", _SECONDS, "90s, 15m or 24h")
SIZE = Quantity("size", _BYTES, "400M or 16G")


def in_time(seconds: float | None) -> str:
    """A duration that people can read: 4.2 s, 12 min, 3.5 h."""
    if seconds is None:
        return "-"
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
