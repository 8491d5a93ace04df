"""Executing one run from beginning to end, in as many attempts as others who fill the disk make necessary.

    python -m mlebench.runs.execute GROUP RUN_ID [EXECUTOR JOB_ID]

executes a run that was planned, for whatever executor started that process, and ends when the run has ended; SIGTERM
cancels it. Its record and its event log are in its folder.
"""

from __future__ import annotations

import itertools
import platform
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from mlebench.base.logs import get_logger
from mlebench.files.writing import now
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.attempt import Attempt
from mlebench.runs.disk import DISK_USERS, RecordRoom
from mlebench.runs.endings import CANCELLED, Outcome, outcome_of_error, outcome_of_full_disk
from mlebench.runs.events import EventLog
from mlebench.runs.group import PlannedGroup
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import AUTO

_MOST_STARTS = 5  # how often a run is begun anew because others had filled the disk


def execute_run(
    group: PlannedGroup,
    planned: PlannedRun,
    *,
    should_stop: Callable[[], bool] = lambda: False,
    executor: str = "local",
    job_id: str | None = None,
    node: str | None = None,
    why_stopped: Callable[[], Outcome] = lambda: CANCELLED,
) -> RunRecord:
    """Execute one run of a group; the record of its end, which is also in its folder."""
    record = replace(group.run_record(planned), executor=executor, job_id=job_id, node=node or platform.node())
    seeds = len({run.seed for run in group.record.plan})
    settings = group.settings
    if settings.sandbox == AUTO:
        settings = replace(settings, sandbox=settings.make_sandbox().name)
    return execute(
        group.folder_of(planned), record, settings, seeds=seeds, should_stop=should_stop, why_stopped=why_stopped
    )


def execute(
    folder: Path,
    record: RunRecord,
    settings: RunSettings,
    *,
    seeds: int = 1,
    should_stop: Callable[[], bool] = lambda: False,
    why_stopped: Callable[[], Outcome] = lambda: CANCELLED,
) -> RunRecord:
    """Execute a run in its folder and return its record, which is also written there at every step.

    Whatever happens is a status: what the agent did wrong is `failed` or the budget it exceeded, what we or the
    machine did wrong is `infrastructure`. Nothing is raised but an interrupt, and an OSError where not even the record
    of a fault can be written. `why_stopped` says how a run ends that was stopped because `should_stop` said so.
    """
    created = now().isoformat(timespec="seconds")
    record = replace(
        record,
        attempt=record.attempt + 1,
        created_at=created,
        code=None,
        error=None,
        node=record.node or platform.node(),
    )
    folder.mkdir(parents=True, exist_ok=True)
    room = RecordRoom(folder)
    with EventLog(folder) as events, DISK_USERS.using(record.run_id, folder) as disk:
        for starts in itertools.count(1):
            events.state("preparing", attempt=record.attempt, node=record.node, executor=record.executor)
            attempt = Attempt(folder, record, settings, seeds, events, disk, room, why_stopped)
            try:
                with ExitStack() as stack:
                    ended = attempt.execute(stack, should_stop)
                break
            except Exception as error:  # a fault of ours must not take the other runs of the group along
                get_logger(__name__).debug("the run %s raised", record.run_id, exc_info=True)
                outcome = outcome_of_error(error)
            if outcome == CANCELLED:
                outcome = why_stopped()
            if outcome.code == "disk-full":
                if not attempt.has_started and starts < _MOST_STARTS and disk.has_room_again(should_stop):
                    continue  # nothing of the agent has happened yet, so this is no other attempt
                outcome = outcome_of_full_disk(outcome, disk)
            ended = attempt.ended_by_fault(outcome)
            break
        events.state(ended.status, code=ended.code, error=ended.error, exit_code=ended.exit_code)
    if ended.status != "infrastructure":  # such a run may be planned again, while the disk is still full
        room.release()
    return ended


def main(folder: str, run_id: str, executor: str = "local", job_id: str | None = None) -> None:
    """Execute the run of this id."""
    from mlebench.runs.executors.order import RunOrder, execute_order, stop_by_signal

    execute_order(RunOrder(folder, run_id, executor, job_id), should_stop=stop_by_signal().is_set)


if __name__ == "__main__":
    main(*sys.argv[1:])
