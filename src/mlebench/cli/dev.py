"""`mlebench dev`: commands for maintainers and for the curious."""

from __future__ import annotations

from pathlib import Path

import click

from mlebench.cli.common import CompetitionId, registry_options
from mlebench.cli.output import counted
from mlebench.errors import MlebenchError
from mlebench.registry import Registry


@click.group("dev")
def group() -> None:
    """Commands for maintainers and for the curious."""


@group.command("download-leaderboard")
@click.option("-c", "--competition-id", "ids", multiple=True, type=CompetitionId(), help="Which (repeatable).")
@click.option("--all", "everything", is_flag=True, help="Those of all 82 competitions and of your own.")
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Take it from this CSV or zip file, as Kaggle's leaderboard page offers it, instead of downloading it.",
)
@click.option("--force", is_flag=True, help="Replace one that is there already.")
@registry_options
def download_leaderboard(
    registry: Registry, ids: tuple[str, ...], everything: bool, file: Path | None, force: bool
) -> int:
    """Get a competition's full leaderboard; it then decides medals, by position."""
    from mlebench.data.leaderboards import download, install

    if bool(ids) == everything or (file is not None and len(ids) != 1):
        raise click.UsageError("Say which competitions: -c ID or --all; --from is for one competition.")
    failed = 0
    for competition_id in registry.list_competition_ids() if everything else ids:
        competition = registry.get_competition(competition_id)
        if everything and not force and competition.downloaded_leaderboard.is_file():
            continue  # so that the same command goes on where it was interrupted
        try:
            teams = install(file, competition, force=force) if file else download(competition, force=force)
        except MlebenchError as error:
            if not everything:
                raise
            click.echo(f"error: {competition_id}: {error}", err=True)
            failed += 1
            continue
        click.echo(f"{competition_id}: {teams} teams in {competition.downloaded_leaderboard}")
    return 1 if failed else 0


@group.command("export-layout")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@registry_options
def export_layout(registry: Registry, folder: Path) -> None:
    """Write descriptions, configurations, leaderboards and splits to DIR, laid out as the published repository."""
    from mlebench.layout import write_layout

    count = write_layout(registry, folder)
    click.echo(f"Wrote {counted(count, 'competition')} and their splits to {folder}.")
