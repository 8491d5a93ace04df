"""Running the command as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Ran, Run

from mlebench.registry import LocalCompetition


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A function that runs `mlebench` with arguments, in an empty folder."""

    def call(*arguments: object, **environment: str) -> Ran:
        command = [sys.executable, "-m", "mlebench", *map(str, arguments)]
        variables = {**os.environ, "MLEBENCH_DATA_DIR": str(tmp_path / "data"), **environment}
        done = subprocess.run(command, capture_output=True, text=True, env=variables, cwd=tmp_path, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        return Ran(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def titanic(prepared_twin: Callable[[str], LocalCompetition]) -> LocalCompetition:
    """A small prepared competition."""
    return prepared_twin("spaceship-titanic")
