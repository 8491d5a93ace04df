"""`mlebench run`: let an agent work on competitions, under budgets, in a sandbox, with everything recorded."""

from __future__ import annotations

import json
import time
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlebench.base.amounts import format_seconds
from mlebench.base.capacity import available_cores
from mlebench.base.wording import counted
from mlebench.cli.common import (
    SANDBOX_CHOICES,
    GivenPath,
    RegisteredName,
    Selection,
    edition_option,
    executor_names,
    material_option,
    named_conditions,
    named_options,
    registry_options,
    sandbox_names,
    selection_options,
    service_names,
)
from mlebench.cli.help import SectionedCommand
from mlebench.cli.live import run_display
from mlebench.cli.output import print_problems, print_text
from mlebench.cli.progress import show_progress
from mlebench.cli.quantities import DURATION, SIZE
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError, os_sentence
from mlebench.files.run_folders import RUNS_DIR_VARIABLE

if TYPE_CHECKING:
    from mlebench.runs.group import PlannedGroup
    from mlebench.runs.planning import GroupPlan

runs_dir_option = click.option(
    "--runs-dir",
    type=GivenPath(file_okay=False),
    envvar=RUNS_DIR_VARIABLE,
    default=Path("runs"),
    help=f"Where run groups are. Default: ${RUNS_DIR_VARIABLE}, or runs.",
)


def _or_that_of_the_group(context: click.Context, parameter: click.Parameter, given: Path | None) -> Path:
    """The folder that was given here, or else before the name of the subcommand."""
    runs_dir: Path = context.obj if given is None else given
    return runs_dir


# Of the subcommands of a command that has the option too, and passes its value on as the object of the context.
runs_dir_of_subcommand = click.option(
    "--runs-dir",
    type=GivenPath(file_okay=False),
    callback=_or_that_of_the_group,
    help=f"Where run groups are. Default: ${RUNS_DIR_VARIABLE}, or runs.",
)
_INTERRUPTED = 130  # the exit code where not all have run


class _Seeds(click.types.StringParamType):
    """How many seeds, or a list of them."""

    name = "seeds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text, if it is one or the other."""
        from mlebench.runs.options import OptionError, parse_seeds

        try:
            parse_seeds(value)
        except OptionError as error:
            self.fail(str(error), param, ctx)
        return value


_SECTIONS = {
    "Which competitions": ("--competition-id", "--lite", "--all", "--list", "--split", "--config", "--edition"),
    "Which agent": ("--agent", "--agents-dir", "--command", "--code", "--disclose", "--disclosure"),
    "How many runs": ("--seeds", "--seed", "--workers", "--retries", "--resume"),
    "Budgets of each run": (
        *("--time-limit", "--memory-limit", "--disk-limit", "--output-limit"),
        *("--cpus", "--gpus", "--step-limit"),
    ),
    "Where agents run and what they reach": (
        *("--sandbox", "--executor", "--slurm-option", "--address", "--detach", "--print-script"),
        *("--service", "--network"),
        *("--container-config", "--allow-privileged", "--retain"),
    ),
    "Which models agents call": (
        *("--model-endpoint", "--model", "--model-prices", "--max-tokens", "--max-usd", "--max-requests"),
        *("--allow-provider-tools", "--record-prompts"),
    ),
    "What agents are told": (
        *("--variant", "--obfuscate", "--rename", "--rename-seed", "--instructions", "--material"),
    ),
    "Before and after the runs": ("--prepare", "--snapshot-every", "--grade", "--report", "--open", "--json"),
    "Folders": ("--runs-dir", "--data-dir", "--competitions-dir"),
}
_EXAMPLES = (
    ("mlebench run --agent baseline -c practice-wine --prepare --grade", "Try it out, without an account"),
    ("mlebench run --agent mine --agents-dir agents --lite --seeds 3", "Three seeds on the split lite"),
    ("mlebench run --agent mine --agents-dir agents -c ID --time-limit 1h", "One competition, an hour"),
    ("mlebench run --resume latest", "Go on after an interruption"),
)


@click.command(
    "run",
    cls=SectionedCommand,
    short_help="Let an agent work on competitions",
    sections=_SECTIONS,
    examples=_EXAMPLES,
)
@selection_options
@click.option("--agent", help="The agent: a built-in one, or one from --agents-dir.")
@click.option(
    "--agents-dir",
    multiple=True,
    type=GivenPath(file_okay=False, exists=True),
    help="A folder with agents of your own (repeatable).",
)
@click.option("--command", help="For --agent command: what to run.")
@click.option("--code", type=GivenPath(file_okay=False, exists=True), help="For --agent command: its folder.")
@click.option(
    "--seeds", type=_Seeds(), metavar="N|LIST", default="1", show_default=True, help="How many, from 0; or 0,7,42."
)
@click.option("--seed", type=click.IntRange(min=0), help="The one seed to run with.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="How many runs at once.")
@click.option(
    "--sandbox",
    type=RegisteredName(sandbox_names, SANDBOX_CHOICES),
    default="auto",
    show_default=True,
    help="Where agents run; auto takes the strongest that works here.",
)
@click.option(
    "--executor",
    type=RegisteredName(executor_names, ("local", "ray", "slurm")),
    default="local",
    show_default=True,
    help="What executes the runs: this machine, or a cluster.",
)
@click.option(
    "--slurm-option",
    metavar="NAME=VALUE",
    multiple=True,
    help="For --executor slurm: an option of sbatch, such as partition=gpu (repeatable).",
)
@click.option("--address", help="For --executor ray: the head of the cluster, such as ray-head:6379; default auto.")
@click.option("--detach", is_flag=True, help="For --executor slurm: submit all runs, and do not wait for them.")
@click.option("--print-script", is_flag=True, help="For --executor slurm: print what would be submitted, and end.")
@click.option(
    "--service",
    type=RegisteredName(service_names, ("validation",)),
    multiple=True,
    help="A further service of the host for the agents, of a package of yours (repeatable).",
)
@click.option(
    "--network", default="none", show_default=True, metavar="none|full|HOST:PORT,…", help="What agents reach."
)
@click.option(
    "--model-endpoint",
    metavar="URL[,key=VARIABLE]",
    multiple=True,
    help="Where models are called, through a gateway that keeps the key (repeatable).",
)
@click.option(
    "--model",
    metavar="[ASKED=]NAME",
    multiple=True,
    help="A model that agents may call, perhaps under another name (repeatable). Default: all of the endpoint.",
)
@click.option(
    "--model-prices", type=GivenPath(dir_okay=False, exists=True), help="Prices of models, a TOML or JSON file."
)
@click.option("--max-tokens", type=click.IntRange(min=1), help="Tokens of models for each run, in and out.")
@click.option("--max-usd", type=click.FloatRange(min=0, min_open=True), help="US dollars for models for each run.")
@click.option("--max-requests", type=click.IntRange(min=1), help="Calls of models for each run.")
@click.option(
    "--allow-provider-tools", is_flag=True, help="Let models use tools of the provider, such as a web search."
)
@click.option("--record-prompts", is_flag=True, help="Keep what models are asked and answer.")
@click.option("--time-limit", type=DURATION, default="24h", show_default=True, help="For each run: 90s, 24h.")
@click.option("--memory-limit", type=SIZE, default="440G", show_default=True, help="For all processes of a run.")
@click.option("--disk-limit", type=SIZE, help="What a run may write.")
@click.option("--output-limit", type=SIZE, default="1G", show_default=True, help="What a run may print.")
@click.option("--cpus", type=click.FloatRange(min=0, min_open=True), help="Processors for each run.")
@click.option("--gpus", type=click.IntRange(min=0), default=0, show_default=True, help="GPUs for each run.")
@click.option("--step-limit", type=click.IntRange(min=1), help="Steps that the agent is told it has.")
@click.option(
    "--variant",
    type=click.Choice(["published", "lite"]),
    default="published",
    show_default=True,
    help="The instructions: those of the benchmark, or with the artifacts that a Lite score asks for.",
)
@click.option("--obfuscate", is_flag=True, help="Hide the name of the competition from the agent.")
@click.option("--rename", is_flag=True, help="Show the agent neutral names of files and columns.")
@click.option(
    "--rename-seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="For --rename: which of them gets which number.",
)
@click.option(
    "--instructions", type=GivenPath(dir_okay=False, exists=True), help="A text file that is added to the instructions."
)
@material_option
@click.option("--snapshot-every", type=DURATION, help="Keep a copy of the submission at this interval.")
@click.option(
    "--retries", type=click.IntRange(min=0), default=0, show_default=True, help="Repeats after faults of the machine."
)
@click.option(
    "--config",
    type=GivenPath(dir_okay=False, exists=True),
    help="Competitions and budgets from a file, JSON or TOML, that `mlebench score --config` takes too.",
)
@click.option("--container-config", type=GivenPath(dir_okay=False, exists=True), help="For docker: a JSON file.")
@click.option(
    "--allow-privileged",
    is_flag=True,
    envvar="I_ACCEPT_RUNNING_PRIVILEGED_CONTAINERS",
    help="Let agents that ask for it run in a privileged container.",
)
@click.option("--retain", is_flag=True, help="Keep containers when their runs have ended.")
@click.option(
    "--disclose",
    metavar="FIELD=VALUE",
    multiple=True,
    help="What a leaderboard row tells about the agent, such as models=gpt-5 (repeatable).",
)
@click.option("--disclosure", type=GivenPath(dir_okay=False, exists=True), help="The same from a TOML or JSON file.")
@click.option("--prepare", "prepare_first", is_flag=True, help="Prepare what is not prepared yet.")
@click.option("--grade", "grade_after", is_flag=True, help="Grade the group when all runs have ended.")
@click.option("--report", "report_after", is_flag=True, help="Grade it, and write a page about it.")
@click.option("--open", "open_page", is_flag=True, help="Grade it, write the page and open it in a browser.")
@click.option(
    "--resume", type=GivenPath(), help="Go on with this run group: a folder, a name in --runs-dir, or latest."
)
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object per line.")
@runs_dir_option
@registry_options
@edition_option
def command(
    registry: Registry,
    selection: Selection,
    resume: Path | None,
    runs_dir: Path,
    prepare_first: bool,
    grade_after: bool,
    report_after: bool,
    open_page: bool,
    detach: bool,
    print_script: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Run an agent on competitions; makes a run group, or goes on with one."""
    reports = report_after or open_page
    grades = grade_after or reports
    if detach and grades:
        raise click.UsageError("--detach does not wait for the runs, so it cannot grade them: resume the group later.")
    if print_script and resume is not None:
        raise click.UsageError("--print-script shows what a new group would submit; give it without --resume.")
    if resume is not None:
        from mlebench.results.finding import find_group
        from mlebench.runs.group import load_group
        from mlebench.runs.running import workers_before

        if selection or options["agent"]:
            raise click.UsageError("--resume goes on with a group as it was planned; choose nothing else.")
        group = load_group(find_group(resume, runs_dir), named_conditions())
        options["workers"] = named_options().get("workers") or workers_before(group)
    else:
        plan = _planned(registry, selection, options)
        if detach:
            _require_detachable(plan)
        if print_script:
            return _print_script(plan, runs_dir)
        if not as_json:
            _print_plan(plan)
        if prepare_first:
            _prepare(plan, as_json)
        with show_progress("Installing", "agent", total=1, quiet=as_json):
            plan.build_environment()
        group = plan.create(runs_dir)
    outcome, code = _run(group, options["workers"], as_json, grades=grades, detach=detach)
    if grades and code != _INTERRUPTED:
        outcome |= _grade(group, as_json)
        code = code or int(outcome["not_graded"] > 0)
    if reports and code != _INTERRUPTED and not outcome["not_graded"]:
        outcome |= _report(group, registry, as_json, open_page)
    if as_json:
        click.echo(json.dumps(outcome))
    return code


def _planned(registry: Registry, selection: Selection, options: dict[str, Any]) -> GroupPlan:
    from mlebench.runs.options import OptionError, RunOptions
    from mlebench.runs.planning import plan_group

    if not options["config"] or selection:
        competitions = selection.competitions(registry)
    else:
        competitions = None
    if not options["agent"]:
        raise click.UsageError("Say which agent: --agent NAME. `mlebench agents` lists them.")
    try:
        chosen = RunOptions(**{field.name: options[field.name] for field in fields(RunOptions)})
        return plan_group(chosen, registry, competitions)
    except OptionError as error:
        raise click.UsageError(str(error)) from error


def _require_detachable(plan: GroupPlan) -> None:
    from mlebench.runs.executors import require_executor
    from mlebench.runs.running import require_detachable

    require_detachable(require_executor(plan.settings.executor))


def _print_script(plan: GroupPlan, runs_dir: Path) -> int:
    """Print what would be submitted."""
    from mlebench.runs.executors import require_executor

    preview = getattr(require_executor(plan.settings.executor), "preview", None)
    if preview is None:
        raise click.UsageError(f"--print-script is for --executor slurm, and this is {plan.settings.executor}.")
    for script in preview(plan.settings, plan.runs, plan.workers, runs_dir.absolute() / "GROUP"):
        click.echo(script)
    return 0


def _print_plan(plan: GroupPlan) -> None:
    """The sandbox of the runs, and what it does not promise."""
    sandbox = f"Sandbox: {plan.settings.sandbox} ({plan.sandbox_works})."
    print_text(" ".join([sandbox, *plan.stronger_sandboxes]), err=True)
    if plan.not_promised:
        listed = "; ".join(promise.value for promise in plan.not_promised)
        print_text(f"Not promised here: {listed}.", err=True)
    for note in plan.notes:
        print_text(note, err=True)


def _prepare(plan: GroupPlan, as_json: bool) -> None:
    """Prepare what is not; what is there is used, and named where it is not what would be prepared."""
    from mlebench.runs.planning import other_data, prepare_missing

    if missing := plan.unprepared:
        with show_progress("Preparing", total=len(missing), quiet=as_json):
            prepare_missing(plan)
    if not as_json:
        notes = [(name, f"runs on what is prepared already, {data}.") for name, data in other_data(plan)]
        print_problems(notes, label="note")


def _run(
    group: PlannedGroup, workers: int, as_json: bool, *, grades: bool, detach: bool = False
) -> tuple[dict[str, Any], int]:
    """Run a group and say how it went: (what a program reads, the exit code)."""
    from mlebench.runs.running import run_group

    start = time.monotonic()
    if not as_json:
        print_text(f"Run group {group.folder} ({counted(len(group.record.plan), 'run')})", err=True)

    settings = group.settings
    try:
        with run_display(
            as_json=as_json, workers=workers, limit_of=lambda name: settings.limits_of(name).seconds
        ) as display:
            complete = run_group(
                group,
                workers=workers,
                detach=detach,
                on_state=display.on_state,
                on_board=display.on_board,
                on_orphans=lambda count: display.say(f"Ended {counted(count, 'run')} that an earlier process left."),
                on_drain=display.on_drain,
            )
    except OSError as error:  # not even a record can be written, so nothing can go on
        raise MlebenchError(
            f"{os_sentence(error).partition('. ')[0].rstrip('.')}: what has ended is recorded, the rest is not run.",
            hint=f"Then go on with: mlebench run --resume {group.folder}",
        ) from error
    tally = group.tally()
    if detach and not complete:
        if not as_json:
            print_text(f"The runs go on without this command. To watch them: mlebench runs {group.folder}", err=True)
            print_text(f"To collect what they leave: mlebench run --resume {group.folder}", err=True)
        return {"run_group": str(group.folder), "statuses": tally.statuses, "submissions": tally.submissions}, 0
    if not as_json:
        listed = ", ".join(f"{count} {status}" for status, count in tally.statuses.items())
        took = format_seconds(time.monotonic() - start)
        print_text(f"{listed}, in {took}. {tally.submissions} left a submission.", err=True)
        if complete and not grades:
            print_text(f"Next: mlebench grade --run-group {group.folder}", err=True)
        if not complete:
            print_text(f"Not all have run. To go on: mlebench run --resume {group.folder}", err=True)
    outcome = {"run_group": str(group.folder), "statuses": tally.statuses, "submissions": tally.submissions}
    if not complete:
        return outcome, _INTERRUPTED
    return outcome, 0 if tally.statuses.get("success", 0) == len(group.record.plan) else 1


def _grade(group: PlannedGroup, as_json: bool) -> dict[str, Any]:
    """Grade a group that has ended and print its reports; what a program reads of it."""
    from mlebench.cli.grade import print_summary
    from mlebench.runs.grading import grade_group

    start = time.monotonic()
    with show_progress("Grading", "submission", quiet=as_json) as display:
        summary = grade_group(
            group.results(), named=group.settings.places, workers=available_cores(), progress=display.count
        )
    if not as_json:
        print_summary(summary, str(group.folder), time.monotonic() - start, as_json)
    return {
        "grading_report": summary["report_path"],
        "valid_submissions": summary["total_valid_submissions"],
        "medals": summary["total_medals"],
        "not_graded": len(summary["errors"]),
    }


def _report(group: PlannedGroup, registry: Registry, as_json: bool, open_page: bool) -> dict[str, Any]:
    """Write the page about a graded group; what a program reads of it."""
    from mlebench import api
    from mlebench.cli.report import print_page

    page = api.report(
        group.folder, data_dir=registry.data_dir, competitions_dir=registry.competitions_dirs, progress=False
    )
    if not as_json:
        print_page(page, open_page=open_page)
    elif open_page:
        page.open()
    return page.to_dict()
