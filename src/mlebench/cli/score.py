"""`mlebench score`: the Lite score of a run or a run group."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlebench.base.wording import counted
from mlebench.cli.common import GivenPath, json_option, registry_options, wide_option
from mlebench.cli.output import print_error, print_hanging, print_json, print_table, print_text
from mlebench.cli.progress import show_progress
from mlebench.cli.run import runs_dir_option
from mlebench.cli.sources import partial_option
from mlebench.competition.registry import Registry

if TYPE_CHECKING:
    from mlebench.score.group import GroupScore
    from mlebench.score.lite import RunScore

_SHORT = {
    "overall": "overall",
    "metric_quality": "quality",
    "efficiency": "efficiency",
    "reproducibility": "reproducible",
    "operational_correctness": "operations",
    "artifact_validity": "artifacts",
}


@click.command("score", short_help="The Lite score of a run or a run group, with reasons")
@click.argument("groups", metavar="RUNS_OR_GROUPS", nargs=-1, required=True, type=GivenPath())
@click.option(
    "--config",
    type=GivenPath(dir_okay=False),
    help="JSON or TOML file with competitions, budgets and weights.",
)
@click.option("--details", is_flag=True, help="Show every run with the reason of every component.")
@click.option("--strict", is_flag=True, help="A run that lacks any of its three artifacts scores 0.")
@click.option("--synthetic", is_flag=True, help="On twins, score the place between the sample and perfection.")
@partial_option
@runs_dir_option
@wide_option
@json_option
@registry_options
def command(
    registry: Registry,
    groups: tuple[Path, ...],
    config: Path | None,
    details: bool,
    strict: bool,
    synthetic: bool,
    partial: bool,
    runs_dir: Path,
    as_json: bool,
) -> None:
    """Score graded runs or run groups: a line for each run and seed; --details gives the reasons."""
    from mlebench import api
    from mlebench.results.groups import refuse_same_ids

    with show_progress("Scoring"):
        opened = [api.open_group(group, runs_dir=runs_dir) for group in groups]
        refuse_same_ids(opened)
        results = [
            api.score(
                group,
                config=config,
                strict=strict,
                synthetic=synthetic,
                partial=partial,
                data_dir=registry.data_dir,
                competitions_dir=registry.competitions_dirs,
            )
            for group in opened
        ]
    if as_json:
        print_json(results[0].to_dict() if len(results) == 1 else [result.to_dict() for result in results])
        return
    for place, result in enumerate(results):
        if place:
            click.echo()
        if details:
            for run in result.runs:
                _print_run(run)
        else:
            _print_runs(result)
        _print_summary(result)


def _print_runs(result: GroupScore) -> None:
    """A line for each run, and how many have more to tell."""
    names = list(_SHORT.values())
    rows = []
    for run in result.runs:
        values = run.to_dict()
        notes = [counted(len(run.gates), "gate")] if run.gates else []
        notes += [counted(len(run.contradictions), "contradiction")] if run.contradictions else []
        rows.append([run.competition_id, run.seed, *(_shown(values[name]) for name in _SHORT), ", ".join(notes)])
    header = ["competition", "seed", *names, "notes"]
    print_table(header, rows, right=["seed", *names], drop=["notes", *reversed(names[1:])], wrap={"notes": 10})
    print_text("\nThe reasons: --details.\n", style="dim")


def _print_run(run: RunScore) -> None:
    values = run.to_dict()
    print_text(f"{run.competition_id}, seed {run.seed}: {_shown(values['overall'])}", style="bold")
    for name, short in _SHORT.items():
        if name == "overall":
            continue
        print_hanging(f"  {short:13}{_shown(values[name]):>7}  ", "; ".join(values["reasons"][name]))
    for gate in run.gates:
        print_hanging("  gate: ", gate)
    for contradiction in run.contradictions:
        print_hanging("  contradiction: ", contradiction)
    click.echo()


def _print_summary(result: GroupScore) -> None:
    values = result.to_dict()
    rows = [[f"seed {seed['seed']}", *(_shown(seed[name]) for name in _SHORT)] for seed in values["seeds"]]
    errors = values["standard_error"]
    if len(result.seeds) > 1:
        cells = ["-" if values[name] is None else f"{values[name]:.2f} ± {errors[name]:.2f}" for name in _SHORT]
        rows.append(["mean ± SE", *cells])
    print_table([result.agent, *_SHORT.values()], rows, right=list(_SHORT.values()))
    if values["overall"] is None:
        print_text("\nNo overall score: metric quality is unknown for some runs; see their reasons.")
    else:
        label = " SYNTHETIC: this says nothing about real data." if values["synthetic"] else ""
        print_text(f"\nOverall {values['overall']:.2f}: {values['band']}.{label}")
    for note in result.notes:
        print_error(note, label="note")


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
