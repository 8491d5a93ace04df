"""The executor `slurm`: one job array for all runs of a group that ask for the same resources.

The group must be in a folder that all nodes see, and so must the data and this Python. No process of ours is needed
while jobs run: each task leaves its record, and whoever runs the group again collects them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from mlebench.errors import MlebenchError
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.events import EventLog
from mlebench.runs.executors import slurm_calls
from mlebench.runs.executors.interface import ExecutorDefaults
from mlebench.runs.executors.node import discard_attempts, end_by_fault
from mlebench.runs.executors.sharing import shares
from mlebench.runs.executors.slurm_reasons import slurm_reasons
from mlebench.runs.executors.slurm_script import by_shape, script, shape_of
from mlebench.runs.executors.submissions import (
    Submission,
    discard_submission,
    folder_of,
    new_submission,
    owners,
    submissions_of,
)

if TYPE_CHECKING:
    from mlebench.runs.group import PlannedGroup
    from mlebench.runs.settings import RunSettings

_OFTEN, _SELDOM, _SHARE = 0.5, 10.0, 0.02  # seconds between two questions to Slurm, and of the time that has passed
_LATE = 60.0  # seconds after which a file that another machine has written is seen on any shared file system


@dataclass
class _Job:
    """Where a run is in Slurm: the submission and the index of its task."""

    submission: Submission
    index: int
    ended_at: float | None = None  # when its task was first seen to be over, without a record of the end
    is_taken_back: bool = False  # cancelled while it waited: Slurm forgets a task that never began at once

    @property
    def id(self) -> str:
        """What Slurm calls it, such as 12_3."""
        return f"{self.submission.job}_{self.index}"


class SlurmExecutor(ExecutorDefaults):
    """Runs on the nodes of a Slurm cluster."""

    name: ClassVar[str] = "slurm"
    is_remote: ClassVar[bool] = True
    outlives: ClassVar[bool] = True

    def __init__(self, group: PlannedGroup, workers: int) -> None:
        super().__init__(group, workers)
        slurm_calls.require_slurm()
        self.capacity = sys.maxsize  # Slurm holds them back
        self._workers = workers
        self._owners = owners(group.folder)
        self._earlier = submissions_of(group.folder)
        self._jobs: dict[PlannedRun, _Job] = {}
        self._caps: dict[int, int] = {}  # tasks at once of each submission that is under way
        self._has_adopted = False  # arrays whose caps are those of an earlier process
        self._ended: list[PlannedRun] = []
        self._began = time.monotonic()
        self._next = 0.0
        self._tasks = self._asked({submission.name for submission, _ in self._owners.values()}) or {}

    @classmethod
    def check(cls, settings: RunSettings, competition_ids: Sequence[str]) -> None:
        """Refuse what no node could execute: Slurm says so without anything being submitted."""
        slurm_calls.require_slurm()
        for shape in dict.fromkeys(shape_of(settings, competition_id) for competition_id in competition_ids):
            nowhere = Path("/nowhere")
            slurm_calls.check(
                script(settings, shape, name="mlebench", count=1, at_once=1, folder=nowhere, group=nowhere)
            )

    @classmethod
    def preview(cls, settings: RunSettings, runs: Sequence[PlannedRun], workers: int, group: Path) -> list[str]:
        """The scripts that would be submitted."""
        arrays = by_shape(settings, runs, 1000)
        caps = shares(workers, [len(same) for _, same in arrays])
        return [
            script(
                settings,
                shape,
                name=f"mlebench-{number:04}",
                count=len(same),
                at_once=cap,
                folder=folder_of(group, number),
                group=group,
            )
            for number, ((shape, same), cap) in enumerate(zip(arrays, caps, strict=True), start=1)
        ]

    @classmethod
    def reasons(cls, group: PlannedGroup) -> Mapping[str, str]:
        """What Slurm says of every run of a group that has not begun, and of those whose jobs are gone."""
        return slurm_reasons(group.folder)

    @classmethod
    def workers_before(cls, group: PlannedGroup) -> int:
        """As many as when it was last submitted."""
        submissions = submissions_of(group.folder)
        return submissions[-1].workers if submissions else 1

    def submit(self, runs: Sequence[PlannedRun]) -> None:
        """Submit runs, one array for all that ask for the same."""
        self._share_workers()
        self._forget_keys(self._earlier)
        self._earlier = []
        arrays = by_shape(self.group.settings, runs, slurm_calls.most_tasks())
        room, after = self._room_beside(len(arrays))
        caps = shares(room, [len(same) for _, same in arrays])
        lanes: list[str | None] = [after] * max(1, room)
        for place, ((shape, same), cap) in enumerate(zip(arrays, caps, strict=True)):
            lane = place % len(lanes)  # more arrays than may run at once wait for each other
            submission = new_submission(self.group, [planned.run_id for planned in same], self._workers)
            path = submission.folder / "script.sh"
            path.write_text(
                script(
                    self.group.settings,
                    shape,
                    name=submission.name,
                    count=len(same),
                    at_once=cap,
                    folder=submission.folder,
                    group=self.group.folder,
                    after=lanes[lane],
                )
            )
            for planned in same:  # the only writer until the job begins
                with EventLog(self.group.folder_of(planned)) as events:
                    events.state("queued", waiting_for=self.name)
            submission = submission.with_job(self._submitted(submission, path))
            if len(arrays) > room:
                lanes[lane] = submission.job
            self._caps[submission.number] = cap
            for index, planned in enumerate(same):
                self._owners[planned.run_id] = (submission, index)
                self._jobs[planned] = _Job(submission, index)
        self._next = 0.0

    def _forget_keys(self, submissions: Iterable[Submission]) -> None:
        """Remove the keys of submissions of which nothing is under way: no task is left that would do so."""
        under_way = {job.submission.number for job in self._jobs.values()}
        for submission in submissions:
            if submission.number not in under_way:
                submission.forget_keys()

    def _submitted(self, submission: Submission, path: Path) -> str:
        try:
            return slurm_calls.submit(path)
        except slurm_calls.SlurmError:
            # Slurm may have taken the job and not have said so in time.
            if taken := slurm_calls.tasks([submission.name]):
                return taken[0].array
            discard_submission(submission)
            raise

    def _room_beside(self, arrays: int) -> tuple[int, str | None]:
        """How many tasks may run beside those that are under way, and the job to wait for if none may."""
        under_way = {job.submission.number: job.submission for job in self._jobs.values()}
        used = sum(self._caps.get(number, 1) for number in under_way)
        if used + arrays <= self._workers or not under_way:
            return self._workers - used if under_way else self._workers, None
        widest = max(under_way.values(), key=lambda submission: self._caps.get(submission.number, 1))
        cap = self._caps.get(widest.number, 1)
        if cap == 1:
            return 1, widest.job
        self._caps[widest.number] = cap - 1  # one that is tried again must not wait for all that have not begun
        slurm_calls.set_throttle(str(widest.job), cap - 1)
        return 1, None

    def _share_workers(self) -> None:
        """Let the arrays that were picked up run as many tasks at once as this command has workers."""
        if not self._has_adopted:
            return
        under_way = {job.submission.number: job.submission for job in self._jobs.values()}
        left = [sum(job.submission.number == number for job in self._jobs.values()) for number in under_way]
        waiting = {job.submission.number for job in self._jobs.values() if (task := self._task(job)) and task.waits}
        for submission, cap in zip(under_way.values(), shares(self._workers, left), strict=True):
            self._caps[submission.number] = cap
            if submission.number not in waiting:  # there is nothing to hold back
                continue
            try:
                refused = slurm_calls.set_throttle(str(submission.job), cap)
            except slurm_calls.SlurmError:  # it does not answer now, and is asked again
                return
            if refused and submission.workers != self._workers:
                raise slurm_calls.SlurmError(
                    f"Slurm does not change how many tasks of the job {submission.job} run at once: {refused}",
                    hint="The job goes on as it was submitted: resume the group without --workers.",
                )
            self._replace(submission.with_workers(self._workers))
        self._has_adopted = False

    def _replace(self, submission: Submission) -> None:
        """Have the jobs of a submission know it as it is now."""
        for job in self._jobs.values():
            if job.submission.number == submission.number:
                job.submission = submission

    def wait(self, seconds: float) -> Sequence[PlannedRun]:
        """Ask Slurm which tasks are over, from time to time."""
        self._share_workers()
        if not self._ended:
            time.sleep(max(0.0, min(seconds, self._next - time.monotonic())))
            if time.monotonic() >= self._next:
                self._ask()
        ended, self._ended = self._ended, []
        return ended

    def _ask(self) -> None:
        passed = time.monotonic() - self._began
        self._next = time.monotonic() + min(_SELDOM, max(_OFTEN, passed * _SHARE))
        asked = self._asked({job.submission.name for job in self._jobs.values()})
        if asked is None:  # Slurm does not answer now: what runs goes on
            return
        self._tasks = asked
        self._ended = [planned for planned, job in self._jobs.items() if self._is_over(planned, job)]

    def _asked(self, names: set[str]) -> dict[tuple[str, int], slurm_calls.Task] | None:
        found = slurm_calls.tasks(sorted(names))
        return None if found is None else {(task.name, task.index): task for task in found}

    def _task(self, job: _Job) -> slurm_calls.Task | None:
        return self._tasks.get((job.submission.name, job.index))

    def _is_over(self, planned: PlannedRun, job: _Job) -> bool:
        task = self._task(job)
        if task is not None and not task.has_ended:
            job.ended_at = None
            return task.is_put_back and self._is_done_already(planned, job)
        if task is not None and task.state != "COMPLETED":
            return True
        if (task is None and job.is_taken_back) or self.group.run_record(planned).has_ended:
            return True
        job.ended_at = job.ended_at or time.monotonic()  # what the node wrote may not be seen here yet
        return time.monotonic() - job.ended_at > _LATE

    def _is_done_already(self, planned: PlannedRun, job: _Job) -> bool:
        """Whether Slurm would start a run once more that has a result, or no attempt left."""
        record = self.group.run_record(planned)
        has_attempts = record.status == "infrastructure" and record.attempt <= self.group.settings.retries
        if has_attempts or not record.is_complete:
            return False
        slurm_calls.cancel([job.id])
        return True

    def withdraw(self) -> Sequence[PlannedRun]:
        """Take the tasks back that have not begun."""
        waiting = [planned for planned, job in self._jobs.items() if (task := self._task(job)) and task.waits]
        slurm_calls.cancel([self._jobs[planned].id for planned in waiting], only_waiting=True)
        self._ask()
        ended = {planned for planned in waiting if (task := self._task(self._jobs[planned])) is None or task.has_ended}
        withdrawn = [planned for planned in ended if self.group.run_record(planned).status == "planned"]
        touched = {self._jobs[planned].submission.number: self._jobs[planned].submission for planned in withdrawn}
        for number in touched:
            of_this = [planned for planned in withdrawn if self._jobs[planned].submission.number == number]
            self._replace(self._jobs[of_this[0]].submission.without([planned.run_id for planned in of_this]))
        for planned in withdrawn:
            del self._jobs[planned], self._owners[planned.run_id]
            with EventLog(self.group.folder_of(planned)) as events:
                events.state("planned")
        self._forget_keys(touched.values())
        self._ended = [planned for planned in self._ended if planned in self._jobs]
        return withdrawn

    def cancel(self, runs: Sequence[PlannedRun]) -> None:
        """Cancel the tasks of runs."""
        for job in (self._jobs[planned] for planned in runs):
            task = self._task(job)
            job.is_taken_back = task is not None and task.waits
        slurm_calls.cancel([self._jobs[planned].id for planned in runs])
        self._began, self._next = time.monotonic(), 0.0  # they end soon

    def collect(self, planned: PlannedRun) -> RunRecord:
        """The record of a run, which its task has written; where it could not, by what Slurm says."""
        job = self._jobs.pop(planned)
        record = self.group.run_record(planned)
        task = self._task(job)
        # What was sent a signal cannot always know why: Slurm does, once the job is over.
        is_fault = record.status == "cancelled" and task is not None and task.state in slurm_calls.FAULTS
        if not record.has_ended or is_fault:
            outcome = slurm_calls.outcome_of(task, job.id, is_taken_back=job.is_taken_back)
            record = end_by_fault(self.group, planned, record, outcome)
        discard_attempts(self.group, planned, record.attempt)  # on nodes that were lost
        if not any(other.submission.number == job.submission.number for other in self._jobs.values()):
            job.submission.forget_keys()
            self._widen(self._caps.pop(job.submission.number, 0))
        return record

    def _widen(self, freed: int) -> None:
        """Let an array that is under way have what another one has left."""
        under_way = {job.submission.number: job.submission for job in self._jobs.values()}
        if freed and under_way:
            widest = max(under_way.values(), key=lambda submission: self._caps.get(submission.number, 1))
            self._caps[widest.number] = min(self._workers, self._caps.get(widest.number, 1) + freed)
            slurm_calls.set_throttle(str(widest.job), self._caps[widest.number])

    def adopt(self, planned: PlannedRun, record: RunRecord) -> bool:
        """Go on with a run that was submitted, whether its job waits, runs or is over."""
        owner = self._owners.get(planned.run_id)
        if owner is None:
            return False
        job = _Job(*owner)
        task = self._task(job)
        if record.status == "cancelled" and (task is None or not task.waits):
            self._let_end(job)
            return False
        if record.status == "planned" and (task is None or task.state == "CANCELLED"):
            return False  # Slurm has forgotten it, or never heard of it: it did not begin
        if job.submission.job is None and task is not None:
            job.submission = job.submission.with_job(task.array)
        self._jobs[planned] = job
        self._has_adopted = True
        return True

    def _let_end(self, job: _Job) -> None:
        """Wait until a task that is about to end has done so: it still tidies up the folder of its run."""
        end = time.monotonic() + _LATE
        while (task := self._task(job)) is not None and not task.has_ended and time.monotonic() < end:
            time.sleep(_OFTEN)
            self._tasks = self._asked({submission.name for submission, _ in self._owners.values()}) or self._tasks

    def end_orphan(self, planned: PlannedRun, record: RunRecord) -> None:
        """End a job that is not adopted."""
        if owner := self._owners.get(planned.run_id):
            with suppress(MlebenchError):
                slurm_calls.cancel([_Job(*owner).id])

    def close(self) -> None:
        """Let go of nothing: jobs go on without this process, as many at once as it was asked for."""
        self._share_workers()
