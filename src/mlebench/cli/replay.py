"""`mlebench replay`: does the code of a run make its submission again?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from mlebench.base.amounts import format_seconds
from mlebench.base.logs import get_logger
from mlebench.base.wording import counted
from mlebench.cli.common import (
    SANDBOX_CHOICES,
    GivenPath,
    RegisteredName,
    json_option,
    material_option,
    named_conditions,
    sandbox_names,
)
from mlebench.cli.output import print_error, print_json, print_text
from mlebench.cli.progress import show_progress
from mlebench.cli.run import runs_dir_option


@click.command("replay", short_help="Does the code of a run make its submission again?")
@click.argument("runs", metavar="RUNS", nargs=-1, required=True, type=GivenPath())
@click.option(
    "--data-dir",
    type=GivenPath(file_okay=False),
    help="Where data lives. Default: where it was when the run was made, if you planned it on this machine.",
)
@click.option(
    "--competitions-dir",
    multiple=True,
    type=GivenPath(file_okay=False, exists=True),
    help="A folder with competitions of your own (repeatable); the same default.",
)
@click.option(
    "--agents-dir",
    multiple=True,
    type=GivenPath(file_okay=False, exists=True),
    help="A folder with agents of your own (repeatable); the same default.",
)
@click.option(
    "--sandbox",
    type=RegisteredName(sandbox_names, SANDBOX_CHOICES),
    help="Where the command runs. Default: as the run did.",
)
@material_option
@runs_dir_option
@json_option
def command(runs: tuple[Path, ...], runs_dir: Path, as_json: bool, **_: Any) -> int:
    """Run the declared replay command of RUNS (runs or run groups) in fresh sandboxes, and compare the submissions."""
    from dataclasses import asdict

    from mlebench.errors import MlebenchError, os_sentence
    from mlebench.results.finding import find_all
    from mlebench.results.groups import open_group

    start, named = time.monotonic(), named_conditions()
    opened = [open_group(path) for path in find_all(runs, runs_dir)]
    if empty := [group.folder for group in opened if not group.runs]:
        raise MlebenchError(f"{empty[0]} has no runs.")
    unfinished = [run.folder for group in opened for run in group.unfinished]
    folders = [run.folder for group in opened for run in group.runs if run.folder not in unfinished]
    if not folders:
        raise MlebenchError(f"No run of {opened[0].folder} has ended yet.")
    if unfinished:
        print_error(f"{counted(len(unfinished), 'run')} cannot be replayed: not ended yet.", label="note")
    results: list[dict[str, Any]] = []
    with show_progress("Replaying", "run", total=len(folders)) as display:
        from mlebench.score.replay import replay

        for folder in folders:
            try:
                record = replay(folder, named=named)
            except (MlebenchError, OSError) as error:  # the others can be replayed all the same
                if len(folders) == 1:
                    raise
                get_logger(__name__).debug("replaying %s raised", folder, exc_info=True)
                display.say(f"error: {os_sentence(error) if isinstance(error, OSError) else error}")
                continue
            results.append({"run": str(folder), **asdict(record)})
            if not as_json:
                outcome = f"{record.outcome} ({record.reason})" if record.reason else record.outcome
                display.say(f"{folder.name}: {outcome}", err=False)
    good = sum(result["outcome"] in ("identical", "same score") for result in results)
    if as_json:
        print_json(results)
    elif len(folders) > 1:
        took = format_seconds(time.monotonic() - start)
        print_text(f"{good} of {counted(len(folders), 'run')} made their submission again, in {took}.", err=True)
    return 0 if good == len(folders) else 1
