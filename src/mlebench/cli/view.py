"""`mlebench view`: run groups in a browser, live."""

from __future__ import annotations

from pathlib import Path

import click

from mlebench.cli.common import GivenPath, named_places, registry_options
from mlebench.cli.output import print_text
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError


@click.command("view", short_help="Run groups in a browser, live")
@click.argument("runs_dir", metavar="[RUNS_DIR]", required=False, type=GivenPath(file_okay=False))
@click.option("--port", type=click.IntRange(0, 65535), help="The port on 127.0.0.1. Default: 8742, or any free one.")
@click.option("--open", "open_browser", is_flag=True, help="Open it in a browser.")
@click.option("--grade-snapshots", is_flag=True, help="Grade the snapshots of runs as they appear; needs the answers.")
@click.option("--allow-control", is_flag=True, help="Allow to drain, stop and resume groups, after a confirmation.")
@registry_options
def command(
    registry: Registry,
    runs_dir: Path | None,
    port: int | None,
    open_browser: bool,
    grade_snapshots: bool,
    allow_control: bool,
) -> None:
    """Show the run groups below RUNS_DIR (default: the runs folder) in a browser, as they go on.

    The server is on this machine only, for the browser that opens the printed address, and changes nothing unless
    --allow-control is given.
    """
    from mlebench.files.run_folders import get_runs_dir
    from mlebench.view.app import ViewSettings
    from mlebench.view.serving import bound_socket, serve
    from mlebench.view.snapshots import SnapshotGrader
    from mlebench.view.watching import Groups

    folder = runs_dir or get_runs_dir()
    if not folder.is_dir():
        raise MlebenchError(
            f"There is no folder {folder}.", hint="Name the folder of your run groups: mlebench view DIR"
        )
    grader = SnapshotGrader(named_places()) if grade_snapshots else None
    groups = Groups(folder.absolute(), registry, grader)
    with bound_socket(port) as server:
        if grader:
            grader.start(groups)
        try:
            serve(ViewSettings(groups, registry, allow_control), server, say=print_text, open_browser=open_browser)
        finally:
            if grader:
                grader.stop()
