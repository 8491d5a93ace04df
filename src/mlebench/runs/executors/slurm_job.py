"""One task of a job array of Slurm: executes the run that it stands for.

    python -m mlebench.runs.executors.slurm_job GROUP/.jobs/NUMBER

Slurm starts it anew, as the same task, after a node failed or another job was more important: then the run gets its
next attempt, if there may be one. SIGTERM ends the run, and Slurm says why it was sent.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from mlebench.errors import MlebenchError
from mlebench.runs.attempt import GivenUpError
from mlebench.runs.endings import CANCELLED, NODE_LOST, PREEMPTED, Outcome, outcome_of_error
from mlebench.runs.executors import slurm_calls
from mlebench.runs.executors.node import end_by_fault
from mlebench.runs.executors.order import RunOrder, execute_order, ordered_run, stop_by_signal
from mlebench.runs.executors.submissions import is_owner, load_submission

_NAME = "slurm"


def main(folder: str) -> None:
    """Execute the run of this task."""
    stop = stop_by_signal()
    submission = load_submission(Path(folder))
    index = int(os.environ["SLURM_ARRAY_TASK_ID"])
    job = f"{os.environ['SLURM_ARRAY_JOB_ID']}_{index}"
    run_id = submission.run_ids[index]
    group, planned = ordered_run(submission.group, run_id)
    if not is_owner(submission, run_id):
        print(f"The run {planned.folder} was submitted again since: nothing is done here.")
        return
    try:
        os.environ.update(submission.variables())
    except MlebenchError as error:
        end_by_fault(group, planned, group.run_record(planned), outcome_of_error(error))
        return
    try:
        node = os.environ.get("SLURMD_NODENAME")
        order = RunOrder(submission.group, run_id, _NAME, job, node=node, versions=submission.versions)
        record = execute_order(order, should_stop=stop.is_set, why_stopped=_why_stopped)
    except GivenUpError:
        print(f"The run {planned.folder} was given to another attempt: nothing of this one is kept.")
        return
    if record.status != "infrastructure" or record.attempt > group.settings.retries:  # else Slurm may start it again
        submission.mark_ended(index)


def _why_stopped() -> Outcome:
    """Why Slurm has sent SIGTERM."""
    facts = slurm_calls.facts(os.environ["SLURM_JOB_ID"])
    state = facts.get("JobState", "")
    if state == "NODE_FAIL" or facts.get("Reason") == "NodeDown":
        return NODE_LOST
    starts = os.environ.get("SLURM_RESTART_COUNT", "0")
    if state in ("PENDING", "PREEMPTED", "REQUEUED") or facts.get("Restarts", starts) != starts:
        return PREEMPTED
    ran, limit = (slurm_calls.parse_minutes(facts.get(name, "")) for name in ("RunTime", "TimeLimit"))
    if state == "TIMEOUT" or (ran is not None and limit is not None and ran >= limit):
        return slurm_calls.time_limit(facts.get("TimeLimit", ""))
    return CANCELLED


if __name__ == "__main__":
    main(*sys.argv[1:])
