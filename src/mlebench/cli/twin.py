"""`mlebench twin`: a synthetic raw archive to try everything with."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

import click

from mlebench.base.amounts import format_bytes, format_seconds
from mlebench.cli.common import GivenPath, competition_argument, json_option, registry_options, same_place
from mlebench.cli.output import print_json, print_text
from mlebench.cli.progress import show_progress
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry


@click.command("twin", short_help="Make a synthetic raw archive and example submissions")
@competition_argument
@click.argument("folder", metavar="DIR", type=GivenPath(file_okay=False))
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the random data.")
@click.option("--scale", type=click.IntRange(min=1), default=1, show_default=True, help="How many times as large.")
@click.option(
    "--submissions",
    type=GivenPath(file_okay=False),
    help="Also prepare the twin in the data folder and write example submissions, good and broken, into this folder.",
)
@json_option
@registry_options
def command(
    registry: Registry,
    competition_id: str,
    folder: Path,
    seed: int,
    scale: int,
    submissions: Path | None,
    as_json: bool,
) -> None:
    """Write a synthetic raw archive of the competition ID to DIR/ID.zip."""
    from mlebench.twins.placing import refuse_to_overwrite, refuse_to_replace

    start = time.monotonic()
    competition = registry.get_competition(competition_id)
    refuse_to_overwrite(folder / f"{competition_id}.zip")
    replaced = refuse_to_replace(competition, folder) if submissions is not None else None
    written: list[Path] = []
    with show_progress("Making a twin", total=1):
        from mlebench.base.progress import task
        from mlebench.data.prepare import PrepareOptions, prepare
        from mlebench.twins import write_submissions, write_twin

        with task(competition_id):
            path = write_twin(competition, folder, seed=seed, scale=scale)
            if submissions is not None:
                prepare(competition, PrepareOptions(mirror=str(folder), force=True))
                written = write_submissions(competition, submissions, seed=seed)
    if as_json:
        _print_json(competition, path, seed, scale, None if submissions is None else written)
        return
    print_text(f"Wrote {path} ({format_bytes(path.stat().st_size)}) in {format_seconds(time.monotonic() - start)}.")
    if submissions is None:
        click.echo(
            f"Next: mlebench prepare -c {competition_id} --source {shlex.quote(str(folder))}{same_place(registry)}"
        )
        return
    instead = f", in place of {replaced}," if replaced is not None else ""
    print_text(f"Prepared it in {competition.home}{instead} and wrote {len(written)} submissions to {submissions}.")
    sample = shlex.quote(f"{submissions}/sample.csv")
    click.echo(f"Next: mlebench grade-sample {sample} {competition_id}{same_place(registry)}")


def _print_json(
    competition: LocalCompetition, archive: Path, seed: int, scale: int, submissions: list[Path] | None
) -> None:
    print_json(
        {
            "competition_id": competition.id,
            "archive": str(archive),
            "bytes": archive.stat().st_size,
            "seed": seed,
            "scale": scale,
            "prepared": None if submissions is None else str(competition.prepared_dir),
            "submissions": None if submissions is None else [str(path) for path in submissions],
        }
    )
