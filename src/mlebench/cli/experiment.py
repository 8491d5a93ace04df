"""`mlebench experiment`: arms that differ in what one file declares, run in turns, and what came of them."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlebench.base.amounts import format_seconds
from mlebench.base.capacity import available_cores
from mlebench.base.wording import counted
from mlebench.cli.common import GivenPath, competitions_option, json_option, registry_options, same_place, wide_option
from mlebench.cli.live import run_display
from mlebench.cli.output import print_error, print_json, print_table, print_text
from mlebench.cli.progress import show_progress
from mlebench.cli.run import runs_dir_option
from mlebench.cli.sources import partial_option
from mlebench.competition.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mlebench.base.showing import Table
    from mlebench.experiments.definition import Experiment
    from mlebench.experiments.planning import PlannedArm
    from mlebench.experiments.report import ExperimentReport
    from mlebench.results.events import RunState
    from mlebench.results.records import PlannedRun
    from mlebench.runs.planning import GroupPlan

_INTERRUPTED = 130  # the exit code where not all have run
_MOST_TIMES = 8  # of the score over time that are shown; JSON has all

file_argument = click.argument("file", metavar="FILE", type=GivenPath(dir_okay=False))


@click.group("experiment", short_help="Arms that one file declares, run in turns and compared")
def group() -> None:
    """Run the arms of an experiment that a TOML file declares, and compare them."""


@group.command("list", short_help="List the experiments that are ready to use")
@wide_option
@json_option
def list_ready(as_json: bool) -> None:
    """List the experiments that ship with mlebench; `mlebench experiment new NAME` copies one."""
    from mlebench.experiments.ready_made import ready_made

    known = ready_made()
    if as_json:
        print_json({name: {"description": found.description, **found.to_dict()} for name, found in known.items()})
        return
    rows = [[name, ", ".join(arm.name for arm in found.arms), found.description] for name, found in known.items()]
    print_table(["experiment", "arms", "what it asks"], rows, wrap={"arms": 16, "what it asks": 30})


@group.command("new", short_help="Copy an experiment that is ready to use")
@click.argument("name", metavar="NAME")
@click.option("-o", "--output", type=GivenPath(dir_okay=False), help="The file to write. Default: NAME.toml.")
def new(name: str, output: Path | None) -> None:
    """Write the ready experiment NAME to a file, to be changed and run."""
    from mlebench.experiments.ready_made import write_ready_made

    path = write_ready_made(name, output or Path(f"{name}.toml"))
    print_text(f"Wrote {path}. Next: mlebench experiment run {path} --plan")


@group.command("run", short_help="Run an experiment, or go on with one")
@file_argument
@click.option("--workers", type=click.IntRange(min=1), show_default="1", help="How many runs at once.")
@click.option("--detach", is_flag=True, help="For the executor slurm: submit all runs, and do not wait for them.")
@click.option("--plan", "plan_only", is_flag=True, help="Check all arms, show what would run, and make nothing.")
@click.option("--prepare", "prepare_first", is_flag=True, help="Prepare what is not prepared yet.")
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object per line.")
@runs_dir_option
@registry_options
def run(
    registry: Registry,
    file: Path,
    workers: int | None,
    detach: bool,
    plan_only: bool,
    prepare_first: bool,
    as_json: bool,
    runs_dir: Path,
) -> int:
    """Run the arms of the experiment in FILE, in turns, and grade them; after an interruption, go on with it.

    Each arm is a run group in --runs-dir.
    """
    from mlebench.experiments.commands import command_line
    from mlebench.experiments.definition import load_experiment
    from mlebench.experiments.planning import open_experiment, plan_arms
    from mlebench.experiments.record import hold_experiment
    from mlebench.experiments.running import require_detachable_arms

    experiment = load_experiment(file)
    if detach:
        require_detachable_arms(experiment, runs_dir.absolute(), workers)
    if plan_only:
        _print_plans(experiment, plan_arms(experiment, registry, workers=workers or 1), as_json)
        return 0
    start = time.monotonic()
    below = runs_dir.absolute()
    with hold_experiment(below, experiment.name):
        with show_progress("Planning", "arm", total=len(experiment.arms), quiet=as_json):
            record, arms = open_experiment(
                experiment, registry, below, workers=workers or 1, prepare=prepare_first, in_queue=detach
            )
        complete = _run(arms, workers, as_json, in_queue=record.in_queue, detach=detach)
        problems = _grade(experiment, below, as_json) if complete else []
    statuses, place = _statuses(arms), same_place(registry)
    outcome = {"experiment": record.name, "run_groups": dict(record.groups), "statuses": statuses, "complete": complete}
    if as_json:
        click.echo(json.dumps(outcome))
    elif detach and not complete:
        print_text("The runs go on without this command.", err=True)
        print_text(f"To see where they stand: {command_line('status', file, runs_dir)}", err=True)
        print_text(f"To collect what they leave: {command_line('run', file, runs_dir)}{place}", err=True)
    else:
        listed = ", ".join(f"{count} {status}" for status, count in statuses.items())
        print_text(f"{listed}, in {format_seconds(time.monotonic() - start)}.", err=True)
        if complete:
            print_text(f"Next: {command_line('report', file, runs_dir)}{place}", err=True)
        else:
            print_text(f"Not all have run. To go on: {command_line('run', file, runs_dir)}{place}", err=True)
    for problem in problems:
        print_error(f"Not graded: {problem}")
    if not complete:
        return 0 if detach else _INTERRUPTED
    return int(bool(problems) or set(statuses) != {"success"})


def _print_plans(experiment: Experiment, plans: dict[str, GroupPlan], as_json: bool) -> None:
    varied = experiment.varied
    arms = {arm.name: arm for arm in experiment.arms}
    if as_json:
        print_json(
            {
                "experiment": experiment.name,
                "varied": varied,
                "arms": [
                    {
                        "arm": name,
                        "runs": len(plan.runs),
                        "unprepared": [competition.id for competition in plan.unprepared],
                        "settings": plan.settings.to_dict(),
                    }
                    for name, plan in plans.items()
                ],
            }
        )
        return
    rows = [
        [name, *(_option(arms[name].options.get(option)) for option in varied), len(plan.runs), plan.settings.sandbox]
        for name, plan in plans.items()
    ]
    print_table(["arm", *varied, "runs", "sandbox"], rows, right=["runs"])
    first = next(iter(plans.values()))
    missing, total = len(first.unprepared), sum(len(plan.runs) for plan in plans.values())
    prepared = f"{missing} of them not prepared yet" if missing else "all of them prepared"
    print_text(
        f"\n{counted(total, 'run')} on {counted(len(first.competitions), 'competition')}, {prepared}; "
        f"seeds {', '.join(map(str, experiment.seeds))}."
    )
    for name, plan in plans.items():
        for note in plan.notes:
            print_error(f"{name}: {note}", label="note")


def _option(value: Any) -> str | None:
    if isinstance(value, list | dict):
        return json.dumps(value)
    return None if value is None else str(value)


def _run(
    arms: Sequence[PlannedArm], workers: int | None, as_json: bool, *, in_queue: bool = False, detach: bool = False
) -> bool:
    """Run the arms and show how they go; whether all runs are complete."""
    from mlebench.experiments.running import run_arms
    from mlebench.results.events import Board
    from mlebench.runs.running import workers_before

    at_once = workers or (sum(workers_before(arm.group) for arm in arms) if in_queue else 1)
    if not as_json:
        for arm in arms:
            print_text(
                f"Arm {arm.name}: run group {arm.group.folder} ({counted(len(arm.group.record.plan), 'run')})", err=True
            )
    limits = {
        _labelled(arm.name, planned).competition_id: arm.group.settings.limits_of(planned.competition_id).seconds
        for arm in arms
        for planned in arm.group.record.plan
    }

    def tell(arm: str, state: RunState) -> None:
        if as_json:
            click.echo(json.dumps({"arm": arm, **state.to_dict()}))
        else:
            display.on_state(replace(state, planned=_labelled(arm, state.planned)))

    with run_display(as_json=as_json, workers=at_once, limit_of=limits.get) as display:
        display.on_board(
            Board(
                (arm.group.folder_of(planned), _labelled(arm.name, planned))
                for arm in arms
                for planned in arm.group.record.plan
            )
        )
        return run_arms(
            arms,
            workers=workers,
            in_queue=in_queue,
            detach=detach,
            on_state=tell,
            on_orphans=lambda arm, count: display.say(
                f"{arm}: ended {counted(count, 'run')} that an earlier process left."
            ),
            on_drain=display.on_drain,
        )


def _labelled(arm: str, planned: PlannedRun) -> PlannedRun:
    """A run as it is shown: with the arm before its competition."""
    return replace(planned, competition_id=f"{arm}: {planned.competition_id}")


def _grade(experiment: Experiment, runs_dir: Path, as_json: bool) -> list[str]:
    from mlebench.experiments.report import grade_arms, require_record

    with show_progress("Grading", "arm", quiet=as_json):
        return grade_arms(require_record(experiment, runs_dir), runs_dir, workers=available_cores())


def _statuses(arms: Sequence[PlannedArm]) -> dict[str, int]:
    found: dict[str, int] = {}
    for arm in arms:
        for run_record in arm.group.run_records():
            found[run_record.status] = found.get(run_record.status, 0) + 1
    return found


@group.command("status", short_help="Where the arms of an experiment stand")
@file_argument
@wide_option
@json_option
@runs_dir_option
@competitions_option
def status(registry: Registry, file: Path, as_json: bool, runs_dir: Path) -> None:
    """Show how many runs of each arm of the experiment in FILE are planned, running, ended and failed.

    Any process that can read the runs folder may ask, also while the experiment is being run.
    """
    from mlebench import api

    found = api.experiment_status(file, runs_dir=runs_dir, competitions_dir=registry.competitions_dirs)
    if as_json:
        print_json(found.to_dict())
        return
    _print(found.table(), drop=["submissions", "run group"])


def _print(table: Table, drop: Sequence[str] = ()) -> None:
    print_text(f"{table.heading}\n")
    print_table(list(table.columns), [list(row) for row in table.rows], right=list(table.right), drop=list(drop))
    for note in table.notes:
        print_error(note, label="warning")


@group.command("report", short_help="What came of an experiment: arms, differences, cost, score over time")
@file_argument
@click.option(
    "-o",
    "--output",
    type=GivenPath(dir_okay=False),
    help="Where the page is written. Default: report.html in experiments/NAME of --runs-dir.",
)
@click.option("--no-page", is_flag=True, help="Write no page.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
@partial_option
@wide_option
@json_option
@runs_dir_option
@registry_options
def report(
    registry: Registry,
    file: Path,
    output: Path | None,
    no_page: bool,
    open_page: bool,
    partial: bool,
    as_json: bool,
    runs_dir: Path,
) -> None:
    """Report on the experiment in FILE: each arm with its interval, paired differences, cost, and score over time.

    Runs that have ended and have no grading report are graded first. A page is written, too.
    """
    from mlebench import api

    places: dict[str, Any] = {"runs_dir": runs_dir, "competitions_dir": registry.competitions_dirs}
    if click.get_current_context().params.get("data_dir") is not None:
        places["data_dir"] = registry.data_dir
    with show_progress("Reading", "arm", quiet=as_json):
        found = api.experiment_report(file, partial=partial, **places)
    page = None if no_page else api.experiment_page(file, output=output, partial=partial, progress=False, **places)
    if as_json:
        print_json({**found.to_dict(), "page": None if page is None else str(page)})
    else:
        _print_report(found)
    if page is not None and not as_json:
        from mlebench.cli.report import print_page

        click.echo()
        print_page(page, open_page=open_page)
    elif page is not None and open_page:
        page.open()


def _print_report(found: ExperimentReport) -> None:
    table = found.table()
    print_text(f"{table.heading}\n")
    print_table(
        list(table.columns), [list(row) for row in table.rows], right=list(table.right), drop=["valid %", "USD", "runs"]
    )
    if found.comparisons:
        from mlebench.experiments.differences import difference_rows

        click.echo()
        header, rows = difference_rows(found.comparisons)
        print_table(header, rows, right=header[2:], drop=["worse in", "better in"])
        click.echo()
        for pair in found.comparisons:
            print_text(f"{pair.first} against {pair.second}: {pair.verdict}")
    for arm in found.arms:
        _print_arm(arm.name, arm.aggregation)
    for warning in found.warnings:
        print_error(warning, label="warning")


def _print_arm(name: str, aggregation: Any) -> None:
    """The score over time and the checks of an arm."""
    if aggregation is None:
        return
    if times := aggregation.over_time:
        few = times if len(times) <= _MOST_TIMES else [*times[:: len(times) // _MOST_TIMES + 1], times[-1]]
        rates = [f"{row['any_medal']:.2f} % after {format_seconds(row['seconds'])}" for row in few]
        print_text(f"\n{name}, any medal over time: {', '.join(rates)}.")
    if aggregation.checks:
        from mlebench.results.checks import in_words

        print_text(f"{name}, checks: {in_words(aggregation.checks)}.")
