"""Options and arguments that commands share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from mlebench.registry import (
    COMPETITIONS_DIR_VARIABLE,
    DATA_DIR_VARIABLE,
    SPLITS,
    Registry,
    default_data_dir,
)

_F = TypeVar("_F", bound=Callable[..., Any])


def registry_options(function: _F) -> _F:
    """Add --data-dir and --competitions-dir; the command gets a `registry` made of them."""

    @click.option(
        "--data-dir",
        type=click.Path(path_type=Path, file_okay=False),
        default=None,
        help=f"Where data lives. Default: ${DATA_DIR_VARIABLE}, or the platform's cache folder.",
    )
    @click.option(
        "--competitions-dir",
        type=click.Path(path_type=Path, file_okay=False),
        multiple=True,
        help=f"A folder with competitions of your own (repeatable; also ${COMPETITIONS_DIR_VARIABLE}).",
    )
    @wraps(function)
    def wrapper(data_dir: Path | None, competitions_dir: tuple[Path, ...], **arguments: Any) -> Any:
        registry = Registry(data_dir or default_data_dir())
        for folder in competitions_dir:
            registry = registry.with_competitions_dir(folder)
        return function(registry=registry, **arguments)

    return wrapper  # type: ignore[return-value]


class CompetitionId(click.ParamType):
    """A competition id, completed by the shell."""

    name = "id"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The ids that begin with what was typed."""
        ids = [competition.id for competition in Registry().all_competitions()]
        return [CompletionItem(each) for each in ids if each.lower().startswith(incomplete.lower())]


class SplitName(click.ParamType):
    """A split: a known name, or the path of a text file with one id per line."""

    name = "split"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The known names, and files."""
        known = [CompletionItem(each) for each in SPLITS if each.startswith(incomplete)]
        return known or [CompletionItem(incomplete, type="file")]


competition_argument = click.argument("competition_id", metavar="ID", type=CompetitionId())
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
