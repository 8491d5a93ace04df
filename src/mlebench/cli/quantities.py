"""Amounts as people write them on a command line: 90s, 24h, 400M, 16G."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from mlebench.base.amounts import parse_bytes, parse_seconds
from mlebench.errors import MlebenchError


class Quantity(click.ParamType):  # type: ignore[type-arg]
    """A number with a unit."""

    def __init__(self, name: str, parse: Callable[[float | str], float]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The amount in seconds or bytes."""
        try:
            return self._parse(value)
        except MlebenchError as error:
            self.fail(str(error), param, ctx)


DURATION = Quantity("duration", parse_seconds)
SIZE = Quantity("size", parse_bytes)
