"""Running the command as a user does."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from command_server import run_mlebench


@dataclass(frozen=True)
class Ran:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


def run_command(*arguments: object, cwd: Path, **environment: str) -> Ran:
    """Run `mlebench` with arguments in a folder, where it keeps its data in data/; nobody is there to press a key."""
    variables = {**os.environ, "MLEBENCH_DATA_DIR": str(cwd / "data"), **environment}
    done = run_mlebench([*map(str, arguments)], cwd, variables)
    assert "Traceback" not in done.stderr, done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)
