"""An order to execute a run in another process: everything that such a process must know, whichever executor gives it.

Keys of agents are not part of it: they are in the environment of the process.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mlebench.errors import MlebenchError
from mlebench.results.records import GroupRecord, PlannedRun, RunRecord
from mlebench.runs.endings import CANCELLED, Outcome
from mlebench.runs.execute import execute_run
from mlebench.runs.executors.node import execute_on_node
from mlebench.runs.group import PlannedGroup
from mlebench.sandbox import gpu


@dataclass(frozen=True)
class RunOrder:
    """A run of the group in a folder that this machine sees.

    `job_id` and `node` are what the executor calls the job and the machine. `versions` are those that the group was
    planned with, where this may be another installation. `scratch` is a folder to remove if whoever gave the order is
    gone: such a run is cancelled then, and else it is left as a kill leaves it.
    """

    group: str
    run_id: str
    executor: str = "local"
    job_id: str | None = None
    node: str | None = None
    versions: Mapping[str, str] | None = None
    scratch: str | None = None


def execute_order(
    order: RunOrder,
    *,
    should_stop: Callable[[], bool] = lambda: False,
    why_stopped: Callable[[], Outcome] = lambda: CANCELLED,
) -> RunRecord:
    """Execute a run in this process; the record of its end, which is also in its folder."""
    group, planned = ordered_run(order.group, order.run_id)
    if order.versions is None:
        return execute_run(
            group, planned, should_stop=should_stop, executor=order.executor, job_id=order.job_id, node=order.node
        )
    return execute_on_node(
        group,
        planned,
        executor=order.executor,
        job_id=order.job_id or "",
        planned_with=order.versions,
        node=order.node,
        granted_gpus=gpu.granted,
        should_stop=should_stop,
        why_stopped=why_stopped,
    )


def ordered_run(folder: str, run_id: str) -> tuple[PlannedGroup, PlannedRun]:
    """A run and its group; whoever gave the order has asked whether the group may be run, which is not asked again."""
    group = _group(Path(folder).absolute())
    planned = next((run for run in group.record.plan if run.run_id == run_id), None)
    if planned is None:
        raise MlebenchError(f"{folder} has no run {run_id}.")
    return group, planned


@lru_cache(maxsize=4)
def _group(folder: Path) -> PlannedGroup:
    """The group in a folder: its plan and its settings stay as they are, so one process reads them once."""
    return PlannedGroup(folder, GroupRecord.load(folder))


def stop_by_signal() -> threading.Event:
    """An event that SIGTERM sets, in place of ending this process."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    return stop
