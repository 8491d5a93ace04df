"""What the tests share: prepared twins, made once per process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.data.prepare import prepare
from mlebench.registry import LocalCompetition, Registry
from mlebench.twins import write_twin


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder for the whole session."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def prepared_twin(data_dir: Path) -> Callable[[str], LocalCompetition]:
    """A function that prepares the seed-0 twin of a competition, keeps its raw data, and gives the competition."""

    def get(competition_id: str) -> LocalCompetition:
        competition = Registry(data_dir).get_competition(competition_id)
        if not competition.prepared_dir.is_dir():
            write_twin(competition, competition.home)
            prepare(competition, keep_raw=True)
        return competition

    return get
