"""The command line that goes on with an experiment, as messages name it."""

from __future__ import annotations

import shlex
from pathlib import Path

from mlebench.files.run_folders import get_runs_dir


def command_line(subcommand: str, file: Path, runs_dir: Path) -> str:
    """`mlebench experiment SUBCOMMAND FILE`, with the folder of the runs where it is not the usual one.

    Without it, `experiment run` would find no record there and begin the experiment anew.
    """
    place = "" if runs_dir.absolute() == get_runs_dir() else f" --runs-dir {shlex.quote(str(runs_dir))}"
    return f"mlebench experiment {subcommand} {shlex.quote(str(file))}{place}"
