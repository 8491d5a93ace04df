"""`mlebench dev`: commands for maintainers and for the curious."""

from __future__ import annotations

from pathlib import Path

import click

from mlebench.cli.common import CompetitionId, registry_options
from mlebench.registry import Registry


@click.group("dev")
def group() -> None:
    """Commands for maintainers and for the curious."""


@group.command("download-leaderboard")
@click.option(
    "-c", "--competition-id", "ids", multiple=True, required=True, type=CompetitionId(), help="Which (repeatable)."
)
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Take it from this CSV or zip file, as Kaggle's leaderboard page offers it, instead of downloading it.",
)
@click.option("--force", is_flag=True, help="Replace one that is there already.")
@registry_options
def download_leaderboard(registry: Registry, ids: tuple[str, ...], file: Path | None, force: bool) -> None:
    """Get a competition's full leaderboard; it then decides medals, by position."""
    from mlebench.data.leaderboards import download, install

    for competition_id in ids:
        competition = registry.get_competition(competition_id)
        teams = install(file, competition, force=force) if file else download(competition, force=force)
        click.echo(f"{competition_id}: {teams} teams in {competition.downloaded_leaderboard}")
