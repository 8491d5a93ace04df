"""Running the command as a user does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command import Ran, Run, run_command

from mlebench.competition.local import LocalCompetition


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A function that runs `mlebench` with arguments, in an empty folder."""

    def call(*arguments: object, **environment: str) -> Ran:
        return run_command(*arguments, cwd=tmp_path, **environment)

    return call


@pytest.fixture
def titanic(prepared_twin: Callable[[str], LocalCompetition]) -> LocalCompetition:
    """A small prepared competition."""
    return prepared_twin("spaceship-titanic")
