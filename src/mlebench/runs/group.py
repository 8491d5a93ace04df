"""Run groups: one agent on competitions times seeds, planned first, then executed, and resumed after any interruption.

Everything that is known is on disk: `metadata.json` has the plan from the beginning, every run has its own folder and
record. `mlebench.runs.running` runs a group.
"""

from __future__ import annotations

import itertools
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mlebench.errors import MlebenchError
from mlebench.files.writing import get_timestamp, now
from mlebench.results.groups import RunGroup, open_group
from mlebench.results.names import GROUP_MARK
from mlebench.results.records import GroupRecord, PlannedRun, RunRecord, Status, load_run
from mlebench.results.trust import is_own, note_planned
from mlebench.runs.disk import reserve_records
from mlebench.runs.settings import RunSettings
from mlebench.runs.trust import NO_CONDITIONS_NAMED, NamedConditions, adopt


@dataclass(frozen=True)
class Tally:
    """How many runs of a group stand how, and how many left a submission."""

    statuses: dict[Status, int]
    submissions: int


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

    @property
    def is_complete(self) -> bool:
        """Whether all runs have ended and none need be executed again; one record at a time, however many there are."""
        return all(self.run_record(planned).is_complete for planned in self.record.plan)

    def tally(self) -> Tally:
        """How its runs stand; one record at a time, however many there are."""
        statuses: Counter[Status] = Counter()
        submissions = 0
        for planned in self.record.plan:
            record = self.run_record(planned)
            statuses[record.status] += 1
            submissions += record.submission is not None
        return Tally(dict(statuses), submissions)

    def results(self) -> RunGroup:
        """What became of its runs so far, read from disk."""
        return open_group(self.folder)


def create_group(
    runs_dir: Path, competition_ids: Sequence[str], seeds: Sequence[int], settings: RunSettings
) -> PlannedGroup:
    """Plan a group below a folder of runs: every competition with the first seed, then with the second, and so on."""
    runs_dir = runs_dir.absolute()  # agents run in folders of their own
    name = f"{get_timestamp()}{GROUP_MARK}{settings.agent.replace('/', '-')}"
    plan = planned_runs(competition_ids, seeds)
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
    for planned in plan:  # what becomes of a run can be written down, even if other runs have filled the disk by then
        reserve_records(building / planned.folder)
    for fresh in _names_like(name):
        if not (runs_dir / fresh).exists():
            record = replace(record, run_group=fresh)
            record.save(building)
            note_planned(record)  # before anybody can find the group, and take it for one from elsewhere
            try:
                building.rename(runs_dir / fresh)
            except OSError:
                if not (runs_dir / fresh).exists():  # else another process was quicker with the same name
                    raise
            else:
                break
    return PlannedGroup(runs_dir / fresh, record)


def planned_runs(competition_ids: Sequence[str], seeds: Sequence[int]) -> tuple[PlannedRun, ...]:
    """The runs of a group, in their order."""
    return tuple(
        PlannedRun(str(uuid.uuid4()), competition_id, seed) for seed in seeds for competition_id in competition_ids
    )


def _names_like(name: str) -> Iterator[str]:
    """The name itself, then the same with a number behind it."""
    yield name
    for number in itertools.count(2):
        yield f"{name}_{number}"


def load_group(folder: Path, named: NamedConditions = NO_CONDITIONS_NAMED) -> PlannedGroup:
    """The group that was planned in a folder, to be run.

    One that was planned elsewhere becomes the user's own where they have `named` what its record asks for.
    """
    if not folder.is_dir():
        raise MlebenchError(f"There is no run group {folder}.", hint="`mlebench runs` lists them.")
    record = GroupRecord.load(folder)
    if record.is_published:
        raise MlebenchError(
            f"{folder} was made by another program, which has planned nothing that could be run.",
            hint="It can be graded, reported and compared.",
        )
    group = PlannedGroup(folder.absolute(), record)
    if not is_own(record):
        from mlebench.runs.running import hold_group

        with hold_group(group):  # which may be running on another machine
            group.record = adopt(group.folder, group.record, named)
    return group
