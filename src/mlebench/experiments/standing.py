"""Where an experiment stands, arm by arm, from what is on disk, whoever runs it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mlebench.base.showing import Showable, Table
from mlebench.base.wording import counted
from mlebench.competition.registry import Registry
from mlebench.experiments.definition import Experiment
from mlebench.experiments.record import changed_since, found_groups, group_folder, load_record
from mlebench.results.events import board_of
from mlebench.results.groups import open_group

_UNFINISHED = ("planned", "running")


@dataclass(frozen=True)
class ArmStanding:
    """How many runs of an arm are planned, running, and ended; of those, how many failed.

    `statuses` counts them by their status, `run_group` is None of an arm that has not begun.
    """

    arm: str
    run_group: str | None
    runs: int
    planned: int
    running: int
    ended: int
    failed: int
    submissions: int
    statuses: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class ExperimentStanding(Showable):
    """Where all arms of an experiment stand; `changes` are what its file says otherwise than when it was planned."""

    name: str
    arms: tuple[ArmStanding, ...]
    changes: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether all runs have ended."""
        return all(arm.ended == arm.runs for arm in self.arms)

    def table(self) -> Table:
        """One row per arm."""
        columns = ("arm", "runs", "planned", "running", "ended", "failed", "submissions", "run group")
        rows = [
            [arm.arm, arm.runs, arm.planned, arm.running, arm.ended, arm.failed, arm.submissions, arm.run_group]
            for arm in self.arms
        ]
        ended, runs = sum(arm.ended for arm in self.arms), sum(arm.runs for arm in self.arms)
        heading = f"{self.name}: {counted(len(self.arms), 'arm')}, {ended} of {counted(runs, 'run')} ended"
        notes = [f"The file has changed since it was planned: {change}." for change in self.changes]
        return Table(heading, columns, rows, right=columns[1:-1], notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """The standing as plain values."""
        return {"experiment": self.name, "arms": [asdict(arm) for arm in self.arms], "changes": list(self.changes)}


def standing_of(experiment: Experiment, registry: Registry, runs_dir: Path) -> ExperimentStanding:
    """Where an experiment stands; one that was never run is planned as a whole."""
    record = load_record(runs_dir, experiment.name)
    if record is None:
        runs = len(experiment.chosen(registry)) * len(experiment.seeds)
        return ExperimentStanding(
            experiment.name, tuple(ArmStanding(arm.name, None, runs, runs, 0, 0, 0, 0) for arm in experiment.arms)
        )
    record = found_groups(record, runs_dir)
    arms = []
    for arm in record.definition["arms"]:
        if arm not in record.groups:  # the process that planned the arms was killed before this one
            arms.append(ArmStanding(arm, None, 0, 0, 0, 0, 0, 0))
        else:
            arms.append(_standing(arm, group_folder(record, arm, runs_dir)))
    return ExperimentStanding(record.name, tuple(arms), tuple(changed_since(experiment, record)))


def _standing(arm: str, folder: Path) -> ArmStanding:
    group = open_group(folder)
    states = board_of(group).states()
    statuses = Counter(state.status for state in states)
    ended = len(states) - sum(statuses[status] for status in _UNFINISHED)
    return ArmStanding(
        arm=arm,
        run_group=group.name,
        runs=len(states),
        planned=statuses["planned"],
        running=statuses["running"],
        ended=ended,
        failed=ended - statuses["success"],
        submissions=sum(bool(state.has_submission) for state in states),
        statuses=dict(statuses),
    )
