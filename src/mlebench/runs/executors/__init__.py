"""Where runs take place: an executor executes them, on this machine or elsewhere; one class each."""

from __future__ import annotations

from mlebench.base.registered import Registered
from mlebench.runs.executors.interface import Executor, ExecutorDefaults, ExecutorKind

EXECUTORS: Registered[ExecutorKind] = Registered(
    "mlebench.executors",
    lazily={
        "local": "mlebench.runs.executors.local:LocalExecutor",
        "ray": "mlebench.runs.executors.ray:RayExecutor",
        "slurm": "mlebench.runs.executors.slurm:SlurmExecutor",
    },
)

__all__ = ["EXECUTORS", "Executor", "ExecutorDefaults", "ExecutorKind", "require_executor"]


def require_executor(name: str) -> ExecutorKind:
    """The executor of this name."""
    return EXECUTORS.require(name, "executor")
