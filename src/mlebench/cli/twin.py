"""`mlebench twin`: a synthetic raw archive to try everything with."""

from __future__ import annotations

from pathlib import Path

import click

from mlebench.cli.common import competition_argument, json_option, registry_options
from mlebench.cli.output import in_bytes, print_json, print_text
from mlebench.errors import MlebenchError
from mlebench.local import LocalCompetition
from mlebench.registry import Registry


@click.command("twin", short_help="Make a synthetic raw archive and example submissions")
@competition_argument
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the random data.")
@click.option("--scale", type=click.IntRange(min=1), default=1, show_default=True, help="How many times as large.")
@click.option(
    "--submissions",
    type=click.Path(path_type=Path, file_okay=False),
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
    from mlebench.data.prepare import PrepareOptions, prepare
    from mlebench.twins import write_submissions, write_twin

    competition = registry.get_competition(competition_id)
    if submissions is not None:
        _refuse_to_replace(competition, folder)
    path = write_twin(competition, folder, seed=seed, scale=scale)
    size = path.stat().st_size
    if not as_json:
        print_text(f"Wrote {path} ({in_bytes(size)}).")
    written: list[Path] = []
    if submissions is not None:
        prepare(competition, PrepareOptions(mirror=str(folder), force=True))
        written = write_submissions(competition, submissions, seed=seed)
    if as_json:
        _print_json(competition, path, seed, scale, None if submissions is None else written)
    elif submissions is None:
        print_text(f"Next: mlebench prepare -c {competition_id} --source {folder}")
    else:
        print_text(f"Prepared it in {competition.home} and wrote {len(written)} submissions to {submissions}.")


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
            "submissions": None if submissions is None else [str(each) for each in submissions],
        }
    )


def _refuse_to_replace(competition: LocalCompetition, folder: Path) -> None:
    """Preparing a twin must not take the place of real data, nor be done from another archive than the new one."""
    from mlebench.data.record import DatasetRecord

    record = DatasetRecord.load(competition.prepared_dir)
    real = competition.prepared_dir.exists() and (record is None or record.is_real)
    other = competition.archive.is_file() and folder.resolve() != competition.home.resolve()
    if real or other:
        raise MlebenchError(
            f"{competition.home} holds {'real data' if real else 'another archive'} of {competition.id}.",
            hint="Choose another data folder with --data-dir.",
        )
