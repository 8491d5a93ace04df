"""The server that runs commands for the tests makes no difference to them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import command_server
import pytest

LINES = ["--version", "list --json", "info nothing-like-this", "score", "grade-sample none.csv spaceship-titanic"]


@pytest.mark.parametrize("line", LINES)
def test_a_fork_ends_and_prints_as_a_new_process_does(line: str, tmp_path: Path) -> None:
    environment = {**os.environ, "MLEBENCH_DATA_DIR": str(tmp_path / "data")}
    command = [sys.executable, "-m", "mlebench", *line.split()]
    new = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    forked = command_server.run_mlebench(line.split(), tmp_path, environment)
    assert (forked.returncode, forked.stdout, forked.stderr) == (new.returncode, new.stdout, new.stderr)


def test_a_shell_gets_what_the_command_prints_and_how_it_ends(tmp_path: Path) -> None:
    script = f'mlebench() {{ {command_server.shell_command()} "$@"; }}\nmlebench info nothing-like-this 2>&1 | cat\n'
    done = subprocess.run(
        ["bash", "-c", f"{script}mlebench info x; echo $?"], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert "nothing-like-this" in done.stdout
    assert done.stdout.endswith("\n1\n")


def test_what_an_interpreter_reads_as_it_starts_gets_a_new_one(tmp_path: Path) -> None:
    """A startup hook on PYTHONPATH runs only in a process that starts."""
    (tmp_path / "sitecustomize.py").write_text("import atexit; atexit.register(print, 'started anew')")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    assert "started anew" in command_server.run_mlebench(["--version"], tmp_path, environment).stdout
