"""What came of an experiment: arms with intervals, paired differences, cost, and the score over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from mlebench.analysis.aggregate import Aggregate, Aggregation, aggregate
from mlebench.analysis.comparable import CONDITIONS_OF_OPTIONS
from mlebench.analysis.compare import Comparison, compare
from mlebench.analysis.cost import Cost, cost_of
from mlebench.base.showing import Showable, Table
from mlebench.base.wording import counted
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.experiments.commands import command_line
from mlebench.experiments.definition import OPTIONS, Experiment, ExperimentError
from mlebench.experiments.record import ExperimentRecord, experiment_id, found_groups, group_folder, load_record
from mlebench.results.groups import RunGroup, open_group, require_counted
from mlebench.results.sources import Reports, reports_of
from mlebench.results.trust import NOTHING_NAMED, Named
from mlebench.runs.grading import grade_group

_RUNS_PER_WORKER = 8  # for which it takes longer to start a process than to grade


@dataclass(frozen=True)
class ArmReport:
    """One arm: what is its own of what varies between arms, its run group, and its numbers.

    `aggregation` is None where there is no mean over seeds, as on twins; `problem` then says why.
    """

    name: str
    run_group: str
    folder: Path
    varied: dict[str, Any]
    statuses: dict[str, int]
    aggregation: Aggregation | None
    cost: Cost | None
    problem: str | None = None

    @property
    def headline(self) -> Aggregate | None:
        """Of the splits, the one with all competitions that count."""
        return None if self.aggregation is None else self.aggregation.headline

    def to_dict(self) -> dict[str, Any]:
        """The arm as plain values."""
        headline = self.headline
        return {
            "arm": self.name,
            "run_group": self.run_group,
            "varied": self.varied,
            "statuses": self.statuses,
            "problem": self.problem,
            "cost": None if self.cost is None else asdict(self.cost),
            "split": None if headline is None else headline.split,
            "aggregate": None if self.aggregation is None else self.aggregation.to_dict(),
        }


@dataclass(frozen=True, repr=False)
class ExperimentReport(Showable):
    """An experiment as a whole. `warnings` are why arms may not be comparable for another reason than what varies."""

    name: str
    description: str
    varied: tuple[str, ...]
    arms: tuple[ArmReport, ...]
    comparisons: tuple[Comparison, ...]
    warnings: tuple[str, ...]

    @property
    def folders(self) -> list[Path]:
        """The folders of the run groups, arm by arm."""
        return [arm.folder for arm in self.arms]

    def table(self) -> Table:
        """One row per arm, the verdicts below."""
        columns = ("arm", *self.varied, "runs", "any medal %", "95 %", "valid %", "percentile", "hours", "USD")
        rows = [
            [arm.name, *(arm.varied[name] for name in self.varied), sum(arm.statuses.values()), *numbers_of(arm)]
            for arm in self.arms
        ]
        verdicts = [f"{pair.first} against {pair.second}: {pair.verdict}" for pair in self.comparisons]
        heading = f"{self.name}: {counted(len(self.arms), 'arm')}"
        right = columns[len(self.varied) + 1 :]
        return Table(heading, columns, rows, right=right, notes=[*verdicts, *self.warnings])

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "experiment": self.name,
            "description": self.description,
            "varied": list(self.varied),
            "arms": [arm.to_dict() for arm in self.arms],
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "warnings": list(self.warnings),
        }


def numbers_of(arm: ArmReport) -> list[str | None]:
    """The numbers of an arm as they are shown: medals with their interval, valid ones, percentile, hours and money."""
    headline, cost = arm.headline, arm.cost
    medals = valid = interval = percentile = None
    if headline is not None:
        share = headline.shares["any_medal"]
        medals, valid = f"{share.mean:.2f}", f"{headline.shares['valid_submissions'].mean:.2f}"
        if headline.num_seeds_averaged > 1:
            medals = f"{share.mean:.2f} ± {share.standard_error:.2f}"
        if share.t_lower is not None and share.t_upper is not None:
            interval = f"{max(0.0, share.t_lower):.1f} to {min(100.0, share.t_upper):.1f}"
        if headline.human_percentile is not None:
            percentile = f"{headline.human_percentile.mean:.2f}"
    hours = None if cost is None else f"{cost.hours:.2f}"
    usd = None
    if cost is not None:
        money = cost.counted.usd if cost.counted is not None else cost.usd
        usd = None if money is None else f"{money:.2f}"
    return [medals, interval, valid, percentile, hours, usd]


def require_record(experiment: Experiment, runs_dir: Path) -> ExperimentRecord:
    """The record of an experiment all of whose arms have their groups."""
    record = load_record(runs_dir, experiment.name)
    if record is None:
        raise ExperimentError(
            f"The experiment {experiment.name} was not run in {runs_dir} yet.",
            hint=f"Run: {command_line('run', experiment.path, runs_dir)}",
        )
    record = found_groups(record, runs_dir)
    if missing := [arm for arm in record.definition["arms"] if arm not in record.groups]:
        raise ExperimentError(
            f"The arm {missing[0]} of the experiment {experiment.name} has no run group yet.",
            hint=f"Go on with: {command_line('run', experiment.path, runs_dir)}",
        )
    return record


def grade_arms(
    record: ExperimentRecord, runs_dir: Path, *, named: Named = NOTHING_NAMED, workers: int | None = None
) -> list[str]:
    """Grade the groups with runs that have ended and were not graded; what could not be graded, one sentence each.

    No more of the `workers` are started than there is work for.
    """
    problems = []
    for arm in record.groups:
        group = open_group(group_folder(record, arm, runs_dir))
        if not group.ungraded:
            continue
        useful = min(workers or 1, len(group.runs) // _RUNS_PER_WORKER)
        result = grade_group(group, named=named, workers=useful if useful > 1 else None)
        problems += [f"{arm}: {error['reason']}" for error in result["errors"]]
    return problems


def report_of(
    experiment: Experiment, record: ExperimentRecord, registry: Registry, runs_dir: Path, *, partial: bool = False
) -> ExperimentReport:
    """The report of an experiment whose runs were graded; with `partial` the runs that have ended are enough."""
    planned = record.definition["arms"]
    groups = {arm: open_group(group_folder(record, arm, runs_dir)) for arm in planned}
    _require_ended(experiment, groups, runs_dir, partial=partial)
    varied = [name for name in OPTIONS if len({repr(options.get(name)) for options in planned.values()}) > 1]
    sources = {
        arm: replace(reports_of(require_counted(group, partial=partial)), name=arm)
        for arm, group in groups.items()
        if len(group.unfinished) < len(group.runs)
    }
    arms = []
    for arm, options in planned.items():
        source = sources.get(arm)
        aggregation, problem = (None, "No run has ended yet.") if source is None else _aggregated(source, registry)
        arms.append(
            ArmReport(
                name=arm,
                run_group=record.groups[arm],
                folder=groups[arm].folder,
                varied={name: _written(options.get(name)) for name in varied},
                statuses={str(status): count for status, count in groups[arm].statuses.items()},
                aggregation=aggregation,
                cost=None if source is None else cost_of(source),
                problem=problem,
            )
        )
    comparisons, problem = _compared(list(sources.values()), registry, varied)
    warnings = [warning for comparison in comparisons for warning in comparison.warnings]
    problems = [f"{arm.name}: {arm.problem}" for arm in arms if arm.problem] + ([problem] if problem else [])
    notes = [f"{arm.name}: {note}" for arm in arms if arm.aggregation for note in _own_notes(arm, warnings)]
    return ExperimentReport(
        name=experiment.name,
        description=experiment.description,
        varied=tuple(varied),
        arms=tuple(arms),
        comparisons=tuple(comparisons),
        warnings=tuple(dict.fromkeys([*problems, *warnings, *notes])),
    )


def _require_ended(experiment: Experiment, groups: dict[str, RunGroup], runs_dir: Path, *, partial: bool) -> None:
    """All arms must have ended: one that is ahead of the others by what has ended would look better or worse."""
    unfinished = {arm: len(group.unfinished) for arm, group in groups.items() if group.unfinished}
    if unfinished and not partial:
        listed = ", ".join(f"{count} of {arm}" for arm, count in unfinished.items())
        raise ExperimentError(
            f"Not all runs of the experiment {experiment.name} have ended: {listed}.",
            hint=f"Go on with: {command_line('run', experiment.path, runs_dir)}, or use --partial.",
        )


def _aggregated(source: Reports, registry: Registry) -> tuple[Aggregation | None, str | None]:
    """The mean over seeds, or why there is none."""
    try:
        return aggregate(source, registry), None
    except MlebenchError as error:
        return None, f"There is no mean over seeds: {error}"


def _compared(
    sources: Sequence[Reports], registry: Registry, varied: Sequence[str]
) -> tuple[list[Comparison], str | None]:
    """The comparisons of every two arms, or why there are none."""
    if len(sources) < 2:
        return [], None
    try:
        meant = {CONDITIONS_OF_OPTIONS[name] for name in varied if name in CONDITIONS_OF_OPTIONS}
        return compare(sources, registry, meant=meant), None
    except MlebenchError as error:
        return [], f"The arms cannot be compared: {error}"


def _own_notes(arm: ArmReport, known: Sequence[str]) -> list[str]:
    """The notes on the numbers of an arm that no comparison has."""
    assert arm.aggregation is not None
    headline = arm.headline.notes if arm.headline else ()
    return [note for note in (*arm.aggregation.notes, *headline) if note not in known]


def _written(value: Any) -> Any:
    """The value of an option as a table shows it."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}={entry}" for name, entry in value.items())
    return value


def ids_for_aggregate(record: ExperimentRecord) -> list[str]:
    """What `mlebench aggregate --experiment-id` takes for each arm."""
    return [experiment_id(record.name, arm) for arm in record.groups]
