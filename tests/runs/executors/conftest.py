"""What the tests of executors share: practice data, and the settings of quick runs on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.competition.local import LocalCompetition
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Limits

WINE = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'


@pytest.fixture(scope="module")
def data(prepared_practice: Callable[[str], LocalCompetition]) -> Path:
    """A folder with the data of a practice competition."""
    return prepared_practice(WINE).data_dir


@pytest.fixture
def settings(data: Path, request: pytest.FixtureRequest) -> RunSettings:
    """Runs that hand in the sample, by the executor that a file is about (`EXECUTOR`)."""
    return RunSettings(
        agent="command",
        data_dir=data,
        sandbox="process",
        executor=request.module.EXECUTOR,
        limits=Limits(seconds=300, memory_bytes=1 << 30),
        grace=1.0,
        agent_options={"command": HAND_IN},
    )
