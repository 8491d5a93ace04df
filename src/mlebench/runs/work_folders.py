"""Where the agent of a run works: in the folder of the run, or in one whose name says nothing of the competition."""

from __future__ import annotations

from pathlib import Path

from mlebench.files.hostile import discard
from mlebench.runs.material import MATERIAL


def discard_shown(work: Path) -> None:
    """Remove what was made in the folder of a run for its agent to see or write to."""
    for name in ("home", "data", MATERIAL):
        discard(work / name)


def hidden_work_folder(group: Path, run_id: str, attempt: int | None = None) -> Path:
    """Where a run takes place whose agent must not learn the competition from a path, or an attempt of one."""
    return group / (f".{run_id}" if attempt is None else f".{run_id}-{attempt}")
