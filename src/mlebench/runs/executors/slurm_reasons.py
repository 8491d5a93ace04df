"""What the runs of a group wait for, as Slurm says; anybody who sees the folder and has squeue may ask."""

from __future__ import annotations

from pathlib import Path

from mlebench.runs.executors import slurm_calls
from mlebench.runs.executors.submissions import owners


def slurm_reasons(group: Path) -> dict[str, str]:
    """What Slurm says of every run of a group that has not begun, and of those whose jobs are gone, by their ids."""
    slurm_calls.require_slurm()
    owned = owners(group)
    known = slurm_calls.tasks(sorted({submission.name for submission, _ in owned.values()}))
    if known is None:
        return {}
    tasks = {(task.name, task.index): task for task in known}
    reasons: dict[str, str] = {}
    for run_id, (submission, index) in owned.items():
        task = tasks.get((submission.name, index))
        if task is None or task.has_ended:
            reasons[run_id] = f"mlebench run --resume: its job {submission.job}_{index} is over"
        elif task.waits:
            reasons[run_id] = f"slurm ({task.reason}, job {submission.job}_{index})"
    return reasons
