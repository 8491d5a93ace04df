"""Run groups: one agent on competitions times seeds, planned first, then executed, and resumed after any interruption.

Everything that is known is on disk: `metadata.json` has the plan from the beginning, every run has its own folder and
record. An orchestrator that is killed leaves nothing but runs that have not ended; the next one ends what still runs
and makes them again.
"""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from mlebench.errors import MlebenchError
from mlebench.files.hostile import discard
from mlebench.files.writing import get_timestamp, now
from mlebench.results.groups import RunGroup, open_group
from mlebench.results.names import GROUP_MARK, LOCK_FILE, RUN_FILE
from mlebench.results.records import GroupRecord, PlannedRun, RunRecord, load_run
from mlebench.runs.executor import Executor
from mlebench.runs.settings import RunSettings

_LOOK_EVERY = 0.01  # seconds between two looks at the runs, which cost next to nothing


@dataclass
class PlannedGroup:
    """A run group that is planned, run and resumed; what reads one uses `mlebench.results.groups.RunGroup`."""

    folder: Path
    record: GroupRecord

    @property
    def settings(self) -> RunSettings:
        """The conditions of its runs."""
        return RunSettings.from_dict(self.record.settings)

    def folder_of(self, planned: PlannedRun) -> Path:
        """The folder of one run."""
        return self.folder / planned.folder

    def run_record(self, planned: PlannedRun) -> RunRecord:
        """What is known about one run; a run that has not begun has the record of a plan."""
        return load_run(self.folder_of(planned), self.record, planned)

    def run_records(self) -> list[RunRecord]:
        """What is known about all runs, in the order of the plan."""
        return [self.run_record(planned) for planned in self.record.plan]

    def results(self) -> RunGroup:
        """What became of its runs so far, read from disk."""
        return open_group(self.folder)

    def note(self, planned: PlannedRun, record: RunRecord) -> None:
        """Write the result of a run into the group's record."""
        self.record = self.record.with_result(planned, record)
        self.record.save(self.folder)


def create_group(
    runs_dir: Path, competition_ids: Sequence[str], seeds: Sequence[int], settings: RunSettings
) -> PlannedGroup:
    """Plan a group below a folder of runs: every competition with the first seed, then with the second, and so on."""
    runs_dir = runs_dir.absolute()  # agents run in folders of their own
    name = f"{get_timestamp()}{GROUP_MARK}{settings.agent.replace('/', '-')}"
    plan = tuple(
        PlannedRun(str(uuid.uuid4()), competition_id, seed) for seed in seeds for competition_id in competition_ids
    )
    record = GroupRecord(
        run_group=name,
        created_at=now().isoformat(timespec="seconds"),
        agent=settings.agent,
        plan=plan,
        settings=settings.to_dict(),
        runs={planned.folder: {"success": False, "status": "planned", "seed": planned.seed} for planned in plan},
    )
    # Under another name until the plan is written: a group that is there always has one. The name says nothing of a
    # group, for whoever looks for `*_run-group_*` would else find a folder that is gone a moment later.
    building = runs_dir / f".{uuid.uuid4()}.building"
    building.mkdir(parents=True)
    for fresh in _names_like(name):
        if not (runs_dir / fresh).exists():
            record = replace(record, run_group=fresh)
            record.save(building)
            try:
                building.rename(runs_dir / fresh)
            except OSError:
                if not (runs_dir / fresh).exists():  # else another process was quicker with the same name
                    raise
            else:
                break
    return PlannedGroup(runs_dir / fresh, record)


def _names_like(name: str) -> Iterator[str]:
    """The name itself, then the same with a number behind it."""
    yield name
    for number in itertools.count(2):
        yield f"{name}_{number}"


def load_group(folder: Path) -> PlannedGroup:
    """The group that was planned in a folder, to be run."""
    if not folder.is_dir():
        raise MlebenchError(f"There is no run group {folder}.", hint="`mlebench runs` lists them.")
    record = GroupRecord.load(folder)
    if record.is_published:
        raise MlebenchError(
            f"{folder} was made by another program, which has planned nothing that could be run.",
            hint="It can be graded, reported and compared.",
        )
    return PlannedGroup(folder.absolute(), record)


@contextmanager
def orchestrating(group: PlannedGroup) -> Iterator[None]:
    """Hold the group: a second orchestrator on it is refused."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(group.folder / LOCK_FILE, timeout=0):
            group.record = GroupRecord.load(group.folder)  # as the last one left it
            yield
    except Timeout as error:
        raise MlebenchError(
            f"{group.folder} is being run by another process.", hint="Wait for it, or stop it first."
        ) from error


def end_orphans(group: PlannedGroup, executor: Executor) -> int:
    """End what a killed orchestrator left running; how many there were. They are made again, as those it cancelled."""
    ended = 0
    for planned in group.record.plan:
        record = group.run_record(planned)
        if record.status not in ("running", "cancelled"):
            continue
        if record.status == "running":
            executor.end_orphan(planned, record)
            ended += 1
        _clear(group.folder_of(planned))
        discard(group.folder / f".{planned.run_id}")
        again = replace(group.record.record_of(planned), attempt=record.attempt)
        again.save(group.folder_of(planned))
    return ended


def _clear(folder: Path) -> None:
    """Remove what an unfinished attempt left in the folder of a run, whatever modes its agent gave to it."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name == RUN_FILE:
            continue
        discard(path)


@dataclass
class Interrupts:
    """How often the user pressed Ctrl-C: once drains (running runs may finish), twice stops them."""

    count: int = 0


def run_group(
    group: PlannedGroup,
    executor: Executor,
    *,
    workers: int,
    interrupts: Interrupts | None = None,
    on_change: Callable[[PlannedRun, RunRecord], None] = lambda *_: None,
    on_drain: Callable[[int], None] = lambda _: None,
) -> None:
    """Make all runs of a group that have not ended, so many at a time; the group's record follows every end.

    A run that fails never stops the group. Faults of the machine are retried as often as the settings say. `on_drain`
    is told once, after the first interrupt, how many runs may still finish.
    """
    interrupts = interrupts or Interrupts()
    retries = group.settings.retries
    waiting = [planned for planned in group.record.plan if not group.run_record(planned).is_complete]
    busy: set[PlannedRun] = set()
    cancelled: set[PlannedRun] = set()
    drains = False
    try:
        while (waiting and not interrupts.count) or busy:
            while waiting and len(busy) < workers and not interrupts.count:
                planned = waiting.pop(0)
                executor.submit(planned)
                busy.add(planned)
                on_change(planned, group.run_record(planned))
            if interrupts.count == 1 and not drains:
                drains = True
                on_drain(len(busy))
            if interrupts.count > 1:
                for planned in busy - cancelled:
                    executor.cancel(planned)
                cancelled |= busy
            for planned in executor.look():
                busy.discard(planned)
                record = _ended(executor.collect(planned), group.folder_of(planned))
                if record.status == "infrastructure" and record.attempt <= retries and not interrupts.count:
                    _clear(group.folder_of(planned))
                    replace(record, status="planned", identity={}).save(group.folder_of(planned))
                    waiting.append(planned)
                else:
                    group.note(planned, record)
                on_change(planned, record)
            time.sleep(_LOOK_EVERY)
    finally:
        for planned in busy - cancelled:
            executor.cancel(planned)
        executor.close()


def _ended(record: RunRecord, folder: Path) -> RunRecord:
    """The record of a run that is over; where whoever made it was killed, nothing says how it ended."""
    if record.has_ended:
        return record
    why = "The process that made the run was killed."
    record = replace(record, status="infrastructure", error=why, attempt=max(1, record.attempt), identity={})
    record.save(folder)
    return record
