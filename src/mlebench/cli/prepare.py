"""`mlebench prepare`: from raw archives to data that agents and graders can use."""

from __future__ import annotations

from pathlib import Path

import click

from mlebench.cli.common import CompetitionId, SplitName, registry_options
from mlebench.errors import MlebenchError
from mlebench.registry import Registry


@click.command("prepare")
@click.option("-c", "--competition-id", "ids", multiple=True, type=CompetitionId(), help="A competition (repeatable).")
@click.option("--split", type=SplitName(), help="All competitions of a split, or of a file with one id per line.")
@click.option("--source", type=click.Path(path_type=Path, file_okay=False), help="A folder with archives <id>.zip.")
@click.option("--keep-raw", is_flag=True, help="Keep the unpacked raw data.")
@click.option("--force", is_flag=True, help="Prepare again what is prepared already.")
@registry_options
def command(
    registry: Registry, ids: tuple[str, ...], split: str | None, source: Path | None, keep_raw: bool, force: bool
) -> int:
    """Prepare the data of competitions."""
    from mlebench.data.prepare import prepare

    chosen = [*ids, *(registry.split(split) if split else [])]
    if not chosen:
        raise click.UsageError("Say what to prepare: -c ID or --split NAME.")
    failed = 0
    for competition_id in dict.fromkeys(chosen):
        competition = registry.get_competition(competition_id)
        try:
            record = prepare(competition, source=source, keep_raw=keep_raw, force=force)
        except MlebenchError as error:
            failed += 1
            click.echo(f"error: {competition_id}: {error}", err=True)
        else:
            click.echo(f"{competition_id}: prepared from {record.data} in {competition.prepared_dir}")
    return 1 if failed else 0
