"""Folders for runs, named as in the published benchmark."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

from mlebench.files.writing import get_timestamp

RUNS_DIR_VARIABLE = "MLEBENCH_RUNS_DIR"


def get_runs_dir() -> Path:
    """Where runs are kept: $MLEBENCH_RUNS_DIR, or `runs` in the current folder."""
    return Path(os.environ.get(RUNS_DIR_VARIABLE) or "runs").absolute()


def generate_run_id(competition_id: str, agent_id: str, run_group: str | None = None) -> str:
    """A name that no other run has; within a run group, which says when and by whom, it names the competition only."""
    unique = str(uuid.uuid4())
    if run_group is not None:
        return f"{competition_id}_{unique}"
    return f"{get_timestamp()}_{competition_id}_{agent_id}_{unique[:8]}"


def create_run_dir(
    competition_id: str | None = None, agent_id: str | None = None, run_group: str | None = None
) -> Path:
    """Make a new folder for a run, below that of its group if it has one."""
    named = competition_id is not None and agent_id is not None
    run_id = generate_run_id(str(competition_id), str(agent_id), run_group) if named else str(uuid.uuid4())
    folder = get_runs_dir() / run_group / run_id if run_group is not None else get_runs_dir() / run_id
    folder.mkdir(parents=True)
    return folder
