"""Experiments as functions: run one, see where it stands, and read what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.errors import system_errors_in_words

if TYPE_CHECKING:
    from mlebench.api.arguments import PathLike
    from mlebench.api.progress import Progress
    from mlebench.api.values import Page
    from mlebench.competition.registry import Registry
    from mlebench.experiments.report import ExperimentReport
    from mlebench.experiments.standing import ExperimentStanding
    from mlebench.results.events import RunState
    from mlebench.results.trust import Named


@system_errors_in_words()
def run_experiment(
    file: PathLike,
    *,
    workers: int | None = None,
    prepare: bool = False,
    on_state: Callable[[str, RunState], None] | None = None,
    runs_dir: PathLike | None = None,
    data_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    progress: Progress = None,
) -> ExperimentReport:
    """Run the arms of an experiment in turns, or go on with it, as `mlebench experiment run`; the report at the end.

    `workers` is 1 by default; of an experiment that was detached, as many as before. `on_state` is given the arm and
    the state of every run that begins or ends. After Ctrl-C,
    `mlebench.errors.StoppedByUser` says how to go on.
    """
    from mlebench.api.arguments import made_registry
    from mlebench.api.progress import reporting, state_listener
    from mlebench.errors import StoppedByUser
    from mlebench.experiments.commands import command_line
    from mlebench.experiments.definition import load_experiment
    from mlebench.experiments.planning import open_experiment
    from mlebench.experiments.record import hold_experiment
    from mlebench.experiments.running import run_arms
    from mlebench.files.run_folders import get_runs_dir

    experiment = load_experiment(Path(file))
    below = get_runs_dir() if runs_dir is None else Path(runs_dir).absolute()
    registry = made_registry(data_dir, competitions_dir)
    with reporting(progress), hold_experiment(below, experiment.name):
        record, arms = open_experiment(experiment, registry, below, workers=workers or 1, prepare=prepare)
        listen = state_listener()
        complete = run_arms(
            arms, workers=workers, in_queue=record.in_queue, on_state=on_state or (lambda _, state: listen(state))
        )
    if not complete:
        raise StoppedByUser(f"Interrupted. To go on: {command_line('run', experiment.path, below)}")
    return experiment_report(
        file, runs_dir=runs_dir, data_dir=data_dir, competitions_dir=competitions_dir, progress=progress
    )


@system_errors_in_words()
def experiment_status(
    file: PathLike,
    *,
    runs_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
) -> ExperimentStanding:
    """Where the arms of an experiment stand, whoever runs it, as `mlebench experiment status`."""
    from mlebench.api.arguments import made_registry
    from mlebench.experiments.definition import load_experiment
    from mlebench.experiments.standing import standing_of
    from mlebench.files.run_folders import get_runs_dir

    below = get_runs_dir() if runs_dir is None else Path(runs_dir).absolute()
    experiment = load_experiment(Path(file))
    return standing_of(experiment, made_registry(None, competitions_dir, experiment.edition), below)


@system_errors_in_words()
def experiment_report(
    file: PathLike,
    *,
    partial: bool = False,
    workers: int | None = None,
    runs_dir: PathLike | None = None,
    data_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    progress: Progress = None,
) -> ExperimentReport:
    """What came of an experiment, as `mlebench experiment report`; runs without a grading report are graded first."""
    from mlebench.api.arguments import made_registry
    from mlebench.api.progress import reporting
    from mlebench.experiments.definition import load_experiment
    from mlebench.experiments.report import grade_arms, report_of, require_record
    from mlebench.files.run_folders import get_runs_dir

    experiment = load_experiment(Path(file))
    below = get_runs_dir() if runs_dir is None else Path(runs_dir).absolute()
    registry = made_registry(data_dir, competitions_dir, experiment.edition)
    with reporting(progress):
        record = require_record(experiment, below)
        grade_arms(record, below, named=_named(registry, data_dir), workers=workers)
        return report_of(experiment, record, registry, below, partial=partial)


def _named(registry: Registry, data_dir: PathLike | None) -> Named:
    """The folders that the caller has named; what is not named is decided by the groups."""
    from mlebench.results.trust import Named

    return Named(None if data_dir is None else registry.data_dir, registry.competitions_dirs)


@system_errors_in_words()
def experiment_page(
    file: PathLike,
    *,
    output: PathLike | None = None,
    partial: bool = False,
    open: bool = False,
    runs_dir: PathLike | None = None,
    data_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    progress: Progress = None,
) -> Page:
    """Write the page about an experiment: its arms compared; by default report.html beside its record."""
    from mlebench.api.results import report
    from mlebench.experiments.definition import load_experiment
    from mlebench.experiments.record import folder_of, group_folder
    from mlebench.experiments.report import require_record
    from mlebench.files.run_folders import get_runs_dir
    from mlebench.results.names import PAGE_FILE

    experiment = load_experiment(Path(file))
    below = get_runs_dir() if runs_dir is None else Path(runs_dir).absolute()
    record = require_record(experiment, below)
    return report(
        *(group_folder(record, arm, below) for arm in record.groups),
        output=output or folder_of(below, experiment.name) / PAGE_FILE,
        partial=partial,
        open=open,
        data_dir=data_dir,
        competitions_dir=competitions_dir,
        progress=progress,
    )
