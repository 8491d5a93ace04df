"""Where runs take place: an executor executes them, on this machine or elsewhere; one class each."""

from __future__ import annotations

from difflib import get_close_matches

from mlebench.base.registered import Registered
from mlebench.errors import MlebenchError
from mlebench.runs.executors.interface import Executor, ExecutorKind

EXECUTORS: Registered[ExecutorKind] = Registered(
    "mlebench.executors", lazily={"local": "mlebench.runs.executors.local:LocalExecutor"}
)

__all__ = ["EXECUTORS", "Executor", "ExecutorKind", "require_executor"]


def require_executor(name: str) -> ExecutorKind:
    """The executor of this name."""
    if name not in EXECUTORS:
        near = get_close_matches(name, EXECUTORS, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(EXECUTORS)}."
        raise MlebenchError(f"There is no executor {name}.", hint=hint)
    return EXECUTORS[name]
