"""Options and arguments of the commands that work on grading reports and run groups."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from mlebench.registry import COMPETITIONS_DIR_VARIABLE, Registry

_F = TypeVar("_F", bound=Callable[..., Any])

sources_argument = click.argument("sources", metavar="REPORTS…", nargs=-1, type=click.Path(path_type=Path))
partial_option = click.option("--partial", is_flag=True, help="Of groups still running, take the runs that have ended.")
pad_option = click.option("--pad-missing", is_flag=True, help="Count runs that are missing as failures.")
num_seeds_option = click.option("--num-seeds", type=click.IntRange(min=1), help="Use so many seeds, from the first.")


def competitions_option(function: _F) -> _F:
    """Add --competitions-dir; the command gets a `registry` that finds a user's own competitions too."""

    @click.option(
        "--competitions-dir",
        type=click.Path(path_type=Path, file_okay=False),
        multiple=True,
        help=f"A folder with competitions of your own (repeatable; also ${COMPETITIONS_DIR_VARIABLE}).",
    )
    @wraps(function)
    def wrapper(competitions_dir: tuple[Path, ...], **arguments: Any) -> Any:
        registry = Registry()
        for folder in competitions_dir:
            registry = registry.with_competitions_dir(folder)
        return function(registry=registry, **arguments)

    return wrapper  # type: ignore[return-value]


def plus_minus(mean: float, error: float) -> str:
    """A mean with its standard error, as the published table writes it."""
    return f"{mean:.2f} ± {error:.2f}"
