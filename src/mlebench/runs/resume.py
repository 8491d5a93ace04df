"""Going on with a group after an interruption: what still runs is picked up or ended, records agree, nothing is left.

A process that is killed while it runs a group leaves runs that have not ended, results that its group's record does not
have yet, and temporary files. All that is known is in the records of the runs.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from pathlib import Path

from mlebench.files.hostile import discard
from mlebench.files.scratch import remove_abandoned
from mlebench.results.names import EVENTS_FILE, RUN_FILE, SNAPSHOTS_FOLDER
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.disk import ROOM_PREFIX, RecordRoom, release_records, reserve_records
from mlebench.runs.events import EventLog
from mlebench.runs.executors.interface import Executor
from mlebench.runs.group import PlannedGroup
from mlebench.runs.work_folders import discard_shown, hidden_work_folder
from mlebench.sandbox import cgroup

_KEPT = (RUN_FILE, EVENTS_FILE)  # of an attempt that is made again


@dataclass(frozen=True)
class PickedUp:
    """What an earlier process left: how many runs were ended, and which go on."""

    ended: int
    adopted: tuple[PlannedRun, ...]


def pick_up(group: PlannedGroup, executor: Executor) -> PickedUp:
    """Make a group ready to be run: runs that were under way go on, or are planned again as cancelled ones are."""
    ended, adopted = 0, []
    for planned in group.record.plan:
        record = group.run_record(planned)
        folder = group.folder_of(planned)
        if not is_noted(group, planned, record) and executor.adopt(planned, record):
            adopted.append(planned)
            continue
        if record.is_complete:
            _sweep(folder)
            continue
        if record.status == "running":
            executor.end_orphan(planned, record)
            ended += 1
        if record.status != "planned":
            plan_again(group, planned, record)
        discard(hidden_work_folder(group.folder, planned.run_id))
        reserve_records(folder)
    reconcile(group, set(adopted))
    remove_abandoned()
    cgroup.remove_abandoned()
    for path in group.folder.glob(".*.partial"):  # half a record of the group
        path.unlink(missing_ok=True)
    return PickedUp(ended, tuple(adopted))


def plan_again(group: PlannedGroup, planned: PlannedRun, record: RunRecord) -> None:
    """Have a run executed again: nothing of its last attempt is kept but the events and the number of attempts."""
    folder = group.folder_of(planned)
    clear(folder)
    RecordRoom(folder).save(replace(group.record.record_of(planned), attempt=record.attempt))
    with EventLog(folder) as events:
        events.state("planned", attempt=record.attempt)


def is_noted(group: PlannedGroup, planned: PlannedRun, record: RunRecord) -> bool:
    """Whether the group's record has the result of a run."""
    return record.is_complete and group.record.runs.get(planned.folder, {}).get("status") == record.status


def reconcile(group: PlannedGroup, apart_from: Container[PlannedRun] = ()) -> None:
    """Write results into the group's record that only the records of runs have."""
    record = group.record
    for planned in record.plan:
        found = group.run_record(planned)
        if found.is_complete and planned not in apart_from and not is_noted(group, planned, found):
            record = record.with_result(planned, found)
    if record != group.record:
        group.record = record
        record.save(group.folder)


def clear(folder: Path) -> None:
    """Remove what an attempt left in the folder of a run, whatever modes its agent gave to it."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name not in _KEPT and not path.name.startswith(ROOM_PREFIX):
            discard(path)


def _sweep(folder: Path) -> None:
    """Remove what a process that was killed right after the end of a run left of it."""
    release_records(folder)
    discard_shown(folder)
    for path in (*folder.glob(".*.partial"), *(folder / SNAPSHOTS_FOLDER).glob(".*")):
        discard(path)
