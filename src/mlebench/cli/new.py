"""`mlebench new`: a working skeleton for a competition of one's own."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from mlebench.cli.common import GivenPath, json_option
from mlebench.cli.output import print_json, print_text


def _list_metrics(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the names that `metric=` takes, and end."""
    if not wanted:
        return
    from mlebench.competition.vocabulary import LOSSES, SCORES

    for better, names in (("higher", SCORES), ("lower", LOSSES)):
        for name in sorted(names, key=str.lower):
            click.echo(f"{better:<6}  {name}")
    context.exit()


@click.command("new", short_help="Write a working skeleton for a competition")
@click.argument("competition_id", metavar="ID")
@click.option(
    "--list-metrics",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_metrics,
    help="Print the names of metrics that are known, with the direction that is better, and end.",
)
@click.option(
    "--into",
    type=GivenPath(file_okay=False),
    default=Path("competitions"),
    show_default=True,
    help="The folder that holds your competitions.",
)
@json_option
def command(competition_id: str, into: Path, as_json: bool) -> None:
    """Write a working skeleton for a competition ID of your own."""
    from mlebench.competition.skeleton import write_skeleton

    folder = write_skeleton(competition_id, into)
    if as_json:
        files = sorted(str(path) for path in folder.iterdir())
        print_json({"competition_id": competition_id, "folder": str(folder), "files": files})
        return
    print_text(f"Wrote {folder}: competition.py, description.md and twin.py, a small example that works. Try it:")
    place = f"--competitions-dir {shlex.quote(str(into))}"
    click.echo(f"  mlebench check {competition_id} {place}")
    click.echo(f"  mlebench twin {competition_id} twins {place}")
    click.echo(f"  mlebench prepare -c {competition_id} --source twins {place}")
    click.echo(f"  mlebench info {competition_id} {place}")
