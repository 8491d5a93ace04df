"""`mlebench report`: one page of a run group, or of several that are compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlebench.cli.common import GivenPath, registry_options
from mlebench.cli.run import runs_dir_option
from mlebench.cli.sources import partial_option
from mlebench.competition.registry import Registry
from mlebench.results.names import PAGE_FILE

if TYPE_CHECKING:
    from mlebench.api.values import Page


@click.command("report", short_help="One HTML page about a run group, or several")
@click.argument("groups", metavar="GROUPS", nargs=-1, required=True, type=GivenPath())
@click.option(
    "-o",
    "--output",
    type=GivenPath(dir_okay=False),
    help=f"The file to write. Default: {PAGE_FILE} in the folder of the group, or for several in the current one.",
)
@partial_option
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
@runs_dir_option
@registry_options
def command(
    registry: Registry,
    groups: tuple[Path, ...],
    runs_dir: Path,
    output: Path | None,
    partial: bool,
    open_page: bool,
) -> None:
    """Write one HTML page about GROUPS: run groups or runs; several are compared."""
    from mlebench import api

    page = api.report(
        *groups,
        output=output,
        partial=partial,
        runs_dir=runs_dir,
        data_dir=registry.data_dir,
        competitions_dir=registry.competitions_dirs,
        progress=False,
    )
    print_page(page, open_page=open_page)


def print_page(page: Page, *, open_page: bool) -> None:
    """Say where a page is, and open it if asked to."""
    if open_page and page.open():
        click.echo(f"Opened {page} in a browser.")
    else:
        click.echo(f"Open {page}; it needs nothing but a browser.")
