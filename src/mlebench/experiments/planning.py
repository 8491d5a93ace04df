"""From the file of an experiment to run groups: every arm is planned before the first group is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.experiments.definition import Arm, Experiment, ExperimentError
from mlebench.experiments.record import (
    ExperimentRecord,
    found_groups,
    group_folder,
    load_record,
    new_record,
    require_unchanged,
    write_experiments_csv,
)
from mlebench.runs.group import PlannedGroup, load_group
from mlebench.runs.options import RunOptions
from mlebench.runs.planning import GroupPlan, plan_group, prepare_missing
from mlebench.runs.trust import NO_CONDITIONS_NAMED, NamedConditions


@dataclass(frozen=True)
class PlannedArm:
    """An arm that has its run group."""

    name: str
    group: PlannedGroup


def plan_arms(experiment: Experiment, registry: Registry, *, workers: int = 1) -> dict[str, GroupPlan]:
    """The plan of every arm, by its name; an error names the first arm that could not be run, and why."""
    registry = replace(registry, edition=experiment.edition)
    competitions = experiment.chosen(registry)
    plans = {}
    for arm in experiment.arms:
        try:
            plans[arm.name] = plan_group(_run_options(experiment, arm, workers), registry, competitions)
        except MlebenchError as error:
            raise ExperimentError(
                f"The arm {arm.name} of {experiment.path} cannot be run: {error.sentence}", hint=error.hint
            ) from error
    return plans


def _run_options(experiment: Experiment, arm: Arm, workers: int) -> RunOptions:
    return RunOptions(seeds=experiment.seeds, workers=workers, **experiment.resolved(arm))


def open_experiment(
    experiment: Experiment,
    registry: Registry,
    runs_dir: Path,
    *,
    workers: int = 1,
    prepare: bool = False,
    in_queue: bool = False,
    named: NamedConditions = NO_CONDITIONS_NAMED,
) -> tuple[ExperimentRecord, list[PlannedArm]]:
    """The experiment with the groups of all arms: those that were planned before, and those that are missing.

    Where it was planned before, its file must say the same. `in_queue` notes that its arms are about to be left to the
    queue of a cluster. The caller holds the experiment.
    """
    runs_dir = runs_dir.absolute()
    record = load_record(runs_dir, experiment.name)
    if record is None:
        record = new_record(experiment)
    else:
        require_unchanged(experiment, record, runs_dir)
        record = found_groups(record, runs_dir)
    missing = [arm for arm in experiment.arms if arm.name not in record.groups]
    groups = {arm: load_group(group_folder(record, arm, runs_dir), named) for arm in record.groups}
    if missing:
        groups |= _created(experiment, record, missing, registry, runs_dir, workers=workers, prepare=prepare)
        record = replace(record, groups={arm: group.record.run_group for arm, group in groups.items()})
    groups_in_order = {arm.name: record.groups[arm.name] for arm in experiment.arms}
    record = replace(record, groups=groups_in_order, in_queue=in_queue or record.in_queue)
    record.save(runs_dir)
    write_experiments_csv(record, runs_dir)
    return record, [PlannedArm(arm.name, groups[arm.name]) for arm in experiment.arms]


def _created(
    experiment: Experiment,
    record: ExperimentRecord,
    missing: Sequence[Arm],
    registry: Registry,
    runs_dir: Path,
    *,
    workers: int,
    prepare: bool,
) -> dict[str, PlannedGroup]:
    """The new groups of arms; nothing is made where one of the arms cannot be run."""
    plans = plan_arms(experiment, registry, workers=workers)
    if prepare:
        prepare_missing(next(iter(plans.values())))  # all arms have the same competitions
    for arm in missing:
        plans[arm.name].require_ready()
    record.save(runs_dir)  # before its groups: whichever of them are made, they are found again by the id of the record
    groups = {}
    for arm in missing:
        belonging = {"id": record.id, "name": record.name, "arm": arm.name, "varied": ", ".join(experiment.varied)}
        plan = plans[arm.name]
        groups[arm.name] = replace(plan, settings=replace(plan.settings, experiment=belonging)).create(runs_dir)
    return groups
