"""`mlebench replay`: does the code of a run make its submission again?"""

from __future__ import annotations

from pathlib import Path

import click

from mlebench.cli.common import json_option
from mlebench.cli.output import counted, print_json


@click.command("replay")
@click.argument("runs", metavar="RUNS", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where data lives. Default: where it was when the run was made.",
)
@json_option
def command(runs: tuple[Path, ...], data_dir: Path | None, as_json: bool) -> int:
    """Run the declared replay command of RUNS (runs or run groups) in fresh sandboxes, and compare the submissions."""
    from dataclasses import asdict

    from mlebench.errors import MlebenchError
    from mlebench.score.folders import open_runs
    from mlebench.score.replay import replay

    opened = [open_runs(path) for path in runs]
    if empty := [group.folder for group in opened if not group.runs]:
        raise MlebenchError(f"{empty[0]} has no runs.")
    unfinished = [run.folder for group in opened for run in group.unfinished]
    folders = [run.folder for group in opened for run in group.runs if run.folder not in unfinished]
    if not folders:
        raise MlebenchError(f"No run of {opened[0].folder} has ended yet.")
    if unfinished:
        click.echo(f"note: {counted(len(unfinished), 'run')} cannot be replayed: not ended yet.", err=True)
    results, refused = [], 0
    for folder in folders:
        try:
            record = replay(folder, data_dir=data_dir)
        except MlebenchError as error:
            if len(folders) == 1:
                raise
            refused += 1
            click.echo(f"error: {error}", err=True)
            continue
        results.append({"run": str(folder), **asdict(record)})
        if not as_json:
            click.echo(f"{folder.name}: {record.outcome}" + (f" ({record.reason})" if record.reason else ""))
    if as_json:
        print_json(results)
    is_good = not refused and all(each["outcome"] in ("identical", "same score") for each in results)
    return 0 if is_good else 1
