"""`mlebench new`: a working skeleton for a competition of one's own."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("new")
@click.argument("competition_id", metavar="ID")
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("competitions"),
    show_default=True,
    help="The folder that holds your competitions.",
)
def command(competition_id: str, into: Path) -> None:
    """Write a working skeleton for a competition ID of your own."""
    from mlebench.skeleton import write_skeleton

    folder = write_skeleton(competition_id, into)
    click.echo(f"Wrote {folder}: competition.py, description.md and twin.py, a small example that works. Try it:")
    click.echo(f"  mlebench check {competition_id} --competitions-dir {into}")
    click.echo(f"  mlebench twin {competition_id} twins --competitions-dir {into}")
    click.echo(f"  mlebench prepare -c {competition_id} --source twins --competitions-dir {into}")
    click.echo(f"  mlebench info {competition_id} --competitions-dir {into}")
