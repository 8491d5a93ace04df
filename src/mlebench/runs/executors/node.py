"""Executing a run on a machine of a cluster: what must be the same there is checked first, and nothing is done twice.

What is wrong there (another version, data that cannot be seen) is a fault of that run, written into its record.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mlebench import __version__
from mlebench.errors import MlebenchError, NotPreparedError, VersionError
from mlebench.files.hostile import discard
from mlebench.files.writing import now
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.endings import CANCELLED, NODE_LOST, Outcome, attempt_of_fault, outcome_of_error
from mlebench.runs.events import EventLog
from mlebench.runs.execute import execute_run
from mlebench.runs.group import PlannedGroup
from mlebench.runs.recipe import chosen_agent
from mlebench.runs.resume import plan_again
from mlebench.runs.settings import RunSettings
from mlebench.runs.work_folders import hidden_work_folder
from mlebench.sandbox import gpu

# Settings of the user that decide where things are; everything else of an environment stays behind.
_SETTINGS = re.compile(r"MLEBENCH_\w+|XDG_\w+_HOME")


def versions_here() -> dict[str, str]:
    """What must be the same on every machine that executes runs of a group."""
    return {"mlebench": __version__, "python": ".".join(platform.python_version_tuple()[:2])}


def require_versions(planned_with: Mapping[str, str], node: str) -> None:
    """Refuse to execute a run with other versions than it was planned with."""
    here = versions_here()
    if other := [name for name in here if planned_with.get(name) != here[name]]:
        found = ", ".join(f"{name} {here[name]}" for name in other)
        wanted = ", ".join(f"{name} {planned_with.get(name)}" for name in other)
        raise VersionError(
            f"The node {node} has {found}, and the group was planned with {wanted}.",
            hint="Install the same version on all nodes, or choose nodes that have it.",
        )


def require_data_folder(settings: RunSettings, node: str) -> None:
    """Refuse to execute a run where the folder of the data cannot be seen."""
    if not settings.data_dir.is_dir():
        raise NotPreparedError(
            f"The node {node} does not see the data folder {settings.data_dir}.",
            hint="Give a --data-dir on a file system that all nodes share.",
        )


def needed_variables(settings: RunSettings, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What a run needs of the environment of whoever submits it: keys of the agent and of services, and settings."""
    names = {*chosen_agent(settings).secret_names, *_key_variables(settings.services)}
    names |= {name for name in environment if _SETTINGS.fullmatch(name)}
    return {name: environment[name] for name in sorted(names) if name in environment}


def _key_variables(value: Any) -> set[str]:
    """The variables that options of services name as those of a key."""
    if isinstance(value, Mapping):
        own = {value["key_variable"]} if isinstance(value.get("key_variable"), str) else set()
        return own.union(*map(_key_variables, value.values()))
    return set().union(*map(_key_variables, value)) if isinstance(value, list | tuple) else set()


def execute_on_node(
    group: PlannedGroup,
    planned: PlannedRun,
    *,
    executor: str,
    job_id: str,
    planned_with: Mapping[str, str],
    node: str | None = None,
    granted_gpus: Callable[[], tuple[int, ...] | None] = lambda: None,
    should_stop: Callable[[], bool] = lambda: False,
    why_stopped: Callable[[], Outcome] = lambda: CANCELLED,
) -> RunRecord:
    """Execute a run here, or, where a cluster starts it again, make the next attempt if there may be one.

    `node` is what the cluster calls this machine. `granted_gpus` gives the devices that it has granted, None where it
    says nothing. A run that is complete is left as it is.
    """
    record = group.run_record(planned)
    if _may_be_repeated(record, group.settings, job_id):
        if record.status != "cancelled" and record.attempt > group.settings.retries:
            return end_by_fault(group, planned, record, NODE_LOST)
        plan_again(group, planned, record)
        record = group.run_record(planned)
    elif record.is_complete:
        return record
    try:
        require_versions(planned_with, node or platform.node())
        require_data_folder(group.settings, node or platform.node())
        if group.settings.limits_of(planned.competition_id).gpus and (gpus := granted_gpus()) is not None:
            gpu.allow_only(gpus)
    except MlebenchError as error:
        fault = replace(record, executor=executor, job_id=job_id, node=node or platform.node())
        return end_by_fault(group, planned, fault, outcome_of_error(error))
    return execute_run(
        group,
        planned,
        should_stop=should_stop,
        executor=executor,
        job_id=job_id,
        node=node,
        why_stopped=why_stopped,
    )


def _may_be_repeated(record: RunRecord, settings: RunSettings, job_id: str) -> bool:
    """Whether an earlier attempt was ended by the cluster: killed, or as a fault of this very job that it started."""
    if record.status == "infrastructure":  # else whoever runs the group decides on a fault
        return record.job_id == job_id and record.attempt <= settings.retries
    return record.status in ("running", "cancelled")


def end_by_fault(group: PlannedGroup, planned: PlannedRun, record: RunRecord, outcome: Outcome) -> RunRecord:
    """Write the end of a run that its own process could not write.

    An attempt that never wrote a record counts, too: else what fails at its start would be tried again for ever.
    """
    ended = replace(
        record,
        status=outcome.status,
        code=outcome.code,
        error=outcome.error,
        attempt=attempt_of_fault(record, outcome),
        ended_at=now().isoformat(timespec="milliseconds"),
        identity={},
    )
    folder = group.folder_of(planned)
    ended.save(folder)
    with EventLog(folder) as events:
        events.state(ended.status, code=ended.code, error=ended.error)
    return ended


def discard_attempts(group: PlannedGroup, planned: PlannedRun, attempts: int) -> None:
    """Remove what attempts left that were given up; by their names, for a group may have thousands of folders."""
    for attempt in range(1, attempts + 1):
        discard(hidden_work_folder(group.folder, planned.run_id, attempt))
