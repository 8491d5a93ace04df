"""`mlebench dev`: commands for maintainers and for the curious."""

from __future__ import annotations

import time
from pathlib import Path

import click

from mlebench.base.logs import get_logger
from mlebench.base.wording import counted
from mlebench.cli.common import CompetitionId, GivenPath, json_option, registry_options
from mlebench.cli.output import print_json, print_problems, print_text
from mlebench.cli.progress import show_progress
from mlebench.cli.quantities import in_time
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError


@click.group("dev", short_help="Get a full leaderboard; write the published layout")
def group() -> None:
    """Commands for maintainers and for the curious."""


@group.command("download-leaderboard", short_help="Get a competition's full leaderboard")
@click.option("-c", "--competition-id", "ids", multiple=True, type=CompetitionId(), help="Which (repeatable).")
@click.option("--all", "everything", is_flag=True, help="Those of all 82 competitions and of your own.")
@click.option(
    "--from",
    "file",
    type=GivenPath(dir_okay=False),
    help="Take it from this CSV or zip file, as Kaggle's leaderboard page offers it, instead of downloading it.",
)
@click.option("--force", is_flag=True, help="Replace one that is there already.")
@json_option
@registry_options
def download_leaderboard(
    registry: Registry, ids: tuple[str, ...], everything: bool, file: Path | None, force: bool, as_json: bool
) -> int:
    """Get a competition's full leaderboard; it then decides medals, by position."""
    from mlebench.data.full_leaderboards import download, install

    if bool(ids) == everything or (file is not None and len(ids) != 1):
        raise click.UsageError("Say which competitions: -c ID or --all; --from is for one competition.")
    written: list[dict[str, object]] = []
    failed: list[tuple[str, str]] = []
    chosen = [registry.get_competition(each) for each in (registry.list_competition_ids() if everything else ids)]
    if everything and not force:  # so that the same command goes on where it was interrupted
        chosen = [each for each in chosen if not each.downloaded_leaderboard.is_file()]
    start = time.monotonic()
    with show_progress("Downloading", "leaderboard", total=len(chosen)) as display:
        for competition in chosen:
            try:
                teams = install(file, competition, force=force) if file else download(competition, force=force)
            except MlebenchError as error:
                if not everything:
                    raise
                get_logger(__name__).debug("the leaderboard of %s raised", competition.id, exc_info=True)
                failed.append((competition.id, str(error)))
                continue
            place = str(competition.downloaded_leaderboard)
            written.append({"competition_id": competition.id, "teams": teams, "leaderboard": place})
            if not as_json:
                display.say(f"{competition.id}: {teams} teams in {place}", err=False)
    if as_json:
        print_json(written)
    elif everything:
        took = in_time(time.monotonic() - start)
        print_text(f"{len(written)} of {counted(len(chosen), 'leaderboard')} downloaded in {took}.", err=True)
    print_problems(failed)
    return 1 if failed else 0


@group.command("export-layout", short_help="Write the layout of the published repository")
@click.argument("folder", metavar="DIR", type=GivenPath(file_okay=False))
@json_option
@registry_options
def export_layout(registry: Registry, folder: Path, as_json: bool) -> None:
    """Write descriptions, configurations, leaderboards and splits to DIR, laid out as the published repository."""
    from mlebench.compat.layout import write_layout

    count = write_layout(registry, folder)
    if as_json:
        print_json({"folder": str(folder), "competitions": count})
        return
    print_text(f"Wrote {counted(count, 'competition')} and their splits to {folder}.")
