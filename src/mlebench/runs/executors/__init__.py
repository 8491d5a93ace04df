"""Where runs take place: an executor executes them, on this machine or elsewhere; one class each."""

from __future__ import annotations

from mlebench.base.registered import Registered
from mlebench.runs.executors.interface import Executor, ExecutorKind

EXECUTORS: Registered[ExecutorKind] = Registered(
    "mlebench.executors", lazily={"local": "mlebench.runs.executors.local:LocalExecutor"}
)

__all__ = ["EXECUTORS", "Executor", "ExecutorKind", "require_executor"]


def require_executor(name: str) -> ExecutorKind:
    """The executor of this name."""
    return EXECUTORS.require(name, "executor")
