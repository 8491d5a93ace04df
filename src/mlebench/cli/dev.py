"""`mlebench dev`: commands for maintainers and for the curious."""

from __future__ import annotations

import time
from pathlib import Path

import click

from mlebench.base.amounts import format_seconds
from mlebench.base.logs import get_logger
from mlebench.base.wording import counted
from mlebench.cli.common import (
    CompetitionId,
    GivenPath,
    Selection,
    json_option,
    registry_options,
    selection_options,
)
from mlebench.cli.output import print_json, print_problems, print_text
from mlebench.cli.progress import show_progress
from mlebench.cli.published import AbbreviatingGroup
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError


@click.group("dev", cls=AbbreviatingGroup, short_help="Full leaderboards, public notebooks, the published layout")
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
    """Get a competition's full leaderboard; it then decides medals, by position.

    One that was downloaded before is left alone. Where none can be downloaded, the one that ships with mlebench goes on
    to decide, and that is no failure unless --force is given.
    """
    from mlebench.data.full_leaderboards import download, install

    if bool(ids) == everything or (file is not None and len(ids) != 1):
        raise click.UsageError("Say which competitions: -c ID or --all; --from is for one competition.")
    written: list[dict[str, object]] = []
    failed: list[tuple[str, str]] = []
    shipped: list[tuple[str, str]] = []  # those that failed without harm: a leaderboard is there
    named = registry.list_competition_ids() if everything else ids
    chosen = [registry.get_competition(competition_id) for competition_id in named]
    if not force and file is None:  # so that the same command goes on where it was interrupted
        there = [competition for competition in chosen if competition.downloaded_leaderboard.is_file()]
        chosen = [competition for competition in chosen if competition not in there]
        for competition in () if everything else there:
            print_text(
                f"{competition.id}: {competition.downloaded_leaderboard} is there already; --force downloads it again.",
                err=True,
            )
    start = time.monotonic()
    with show_progress("Downloading", "leaderboard", total=len(chosen)) as display:
        for competition in chosen:
            try:
                teams = install(file, competition, force=force) if file else download(competition, force=force)
            except MlebenchError as error:
                has_one = not force and file is None and competition.leaderboard_file.is_file()
                if not everything and not has_one:
                    raise
                get_logger(__name__).debug("the leaderboard of %s raised", competition.id, exc_info=True)
                (shipped if has_one else failed).append((competition.id, str(error)))
                continue
            place = str(competition.downloaded_leaderboard)
            written.append({"competition_id": competition.id, "teams": teams, "leaderboard": place})
            if not as_json:
                display.say(f"{competition.id}: {teams} teams in {place}", err=False)
    if as_json:
        print_json(written)
    elif everything:
        took = format_seconds(time.monotonic() - start)
        print_text(f"{len(written)} of {counted(len(chosen), 'leaderboard')} downloaded in {took}.", err=True)
    if shipped:
        print_problems(shipped, label="warning")
        print_text("The leaderboards that ship with mlebench decide medals; --force makes this an error.", err=True)
    print_problems(failed)
    return 1 if failed else 0


@group.command("export-layout", short_help="Write the layout of the published repository")
@click.argument("folder", metavar="DIR", type=GivenPath(file_okay=False))
@json_option
@registry_options
def export_layout(registry: Registry, folder: Path, as_json: bool) -> None:
    """Write descriptions, configurations, leaderboards and splits to DIR, laid out as the published repository."""
    from mlebench.compat.environment import add_environment
    from mlebench.compat.layout import write_layout

    count = write_layout(registry, folder)
    add_environment(folder)
    if as_json:
        print_json({"folder": str(folder), "competitions": count})
        return
    print_text(f"Wrote {counted(count, 'competition')} and their splits to {folder}.")


@group.group("kernels", cls=AbbreviatingGroup, short_help="List and get public notebooks")
def kernels() -> None:
    """Public notebooks of competitions, which `mlebench plagiarism` compares submissions with."""


_max_kernels = click.option(
    "--max-kernels",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Per competition, the most popular.",
)


@kernels.command("refs", short_help="The references of public notebooks")
@selection_options
@_max_kernels
@click.option("--refresh", is_flag=True, help="Ask Kaggle for today's, instead of those that ship with mlebench.")
@json_option
@registry_options
def refs(registry: Registry, selection: Selection, max_kernels: int, refresh: bool, as_json: bool) -> None:
    """Print the references of public notebooks, the most popular first."""
    from mlebench.integrity.plagiarism.kernels import current_references, known_references

    find = current_references if refresh else known_references
    found = {competition.id: find(competition, max_kernels) for competition in selection.competitions(registry)}
    if as_json:
        print_json(found)
        return
    for competition_id, references in found.items():
        for reference in references:
            print_text(reference if len(found) == 1 else f"{competition_id} {reference}")


@kernels.command("download", short_help="Get public notebooks as programs")
@selection_options
@_max_kernels
@click.option(
    "--kernels-dir",
    type=GivenPath(file_okay=False),
    default=Path("kernels"),
    show_default=True,
    help="Where to put them, in a folder per competition.",
)
@click.option("--refresh", is_flag=True, help="Ask Kaggle for today's references.")
@json_option
@registry_options
def download_kernels(
    registry: Registry, selection: Selection, max_kernels: int, kernels_dir: Path, refresh: bool, as_json: bool
) -> int:
    """Get public notebooks with Kaggle's client, as programs without comment lines.

    What is there already is left alone, so that the same command goes on where it was interrupted; what Kaggle refuses
    is skipped and listed.
    """
    from mlebench.integrity.plagiarism.kernels import current_references, download, known_references

    find = current_references if refresh else known_references
    chosen = selection.competitions(registry)
    done = []
    with show_progress("Downloading", "kernels", total=len(chosen)) as display:
        for competition in chosen:
            result = download(competition, find(competition, max_kernels), kernels_dir)
            done.append(result)
            if not as_json:
                words = f"{result.written} downloaded, {result.there} there already, {len(result.skipped)} skipped"
                display.say(f"{competition.id}: {words}", err=False)
    if as_json:
        print_json(
            [
                {
                    "competition_id": result.competition_id,
                    "downloaded": result.written,
                    "already_there": result.there,
                    "skipped": [{"kernel": kernel, "reason": reason} for kernel, reason in result.skipped],
                }
                for result in done
            ]
        )
    else:
        print_problems([skipped for result in done for skipped in result.skipped], label="skipped")
    nothing = all(result.written + result.there == 0 for result in done)
    return 1 if nothing and any(result.skipped for result in done) else 0
