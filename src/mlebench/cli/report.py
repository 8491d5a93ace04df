"""`mlebench report`: one page of a run group, or of several that are compared."""

from __future__ import annotations

from pathlib import Path

import click

from mlebench.cli.common import GivenPath, registry_options
from mlebench.cli.run import runs_dir_option
from mlebench.cli.sources import partial_option
from mlebench.competition.registry import Registry
from mlebench.results.names import PAGE_FILE


@click.command("report", short_help="One HTML page about a run group, or several")
@click.argument("groups", metavar="GROUPS", nargs=-1, required=True, type=GivenPath())
@click.option(
    "-o",
    "--output",
    type=GivenPath(dir_okay=False),
    help=f"The file to write. Default: {PAGE_FILE} in the folder of the group, or for several in the current one.",
)
@partial_option
@runs_dir_option
@registry_options
def command(registry: Registry, groups: tuple[Path, ...], runs_dir: Path, output: Path | None, partial: bool) -> None:
    """Write one HTML page about GROUPS: run groups or runs; several are compared."""
    from mlebench.page.document import write_page
    from mlebench.results.finding import find_all

    folders = find_all(groups, runs_dir)
    page = output or ((folders[0] if len(folders) == 1 else Path()) / PAGE_FILE)
    write_page(page, folders, registry, partial=partial)
    click.echo(f"Open {page}; it needs nothing but a browser.")
