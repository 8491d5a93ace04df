"""What other projects do with the published package, one test per way of use; none may break again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command import Ran, Run, run_command

from mlebench.competition.local import LocalCompetition


@pytest.fixture
def titanic(prepared_twin: Callable[[str], LocalCompetition]) -> LocalCompetition:
    """A small prepared competition."""
    return prepared_twin("spaceship-titanic")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A function that runs `mlebench` with arguments, in an empty folder."""

    def call(*arguments: object, **environment: str) -> Ran:
        return run_command(*arguments, cwd=tmp_path, **environment)

    return call


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder of the user's."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    from mlebench.compat import layout

    monkeypatch.setattr(layout, "_KNOWN_LAYOUTS", {})
    return folder
