"""What runs wait for that were submitted to a cluster, as the cluster says now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mlebench.errors import MlebenchError
from mlebench.results.events import RunState
from mlebench.results.records import GroupRecord
from mlebench.results.trust import is_own
from mlebench.runs.executors import EXECUTORS, require_executor
from mlebench.runs.group import PlannedGroup


def with_reasons(folder: Path, record: GroupRecord, states: Sequence[RunState]) -> list[RunState]:
    """The states of runs, those that have not ended with what the queue of their executor says of them.

    Only the executor of a group of one's own is asked, since its record names it; where it does not answer from here,
    the states are as the folder tells.
    """
    executor = record.settings.get("executor", "local")
    if executor == "local" or not is_own(record) or executor not in EXECUTORS:
        return list(states)
    try:
        reasons = require_executor(executor).reasons(PlannedGroup(folder, record))
    except MlebenchError:
        return list(states)
    return [
        replace(state, waiting_for=reasons[state.planned.run_id])
        if state.has_submission is None and state.planned.run_id in reasons
        else state
        for state in states
    ]
