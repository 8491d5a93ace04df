"""`mlebench run`: let an agent work on competitions, under budgets, in a sandbox, with everything recorded."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlebench.base.wording import counted
from mlebench.cli.common import (
    GivenPath,
    RegisteredName,
    Selection,
    edition_option,
    executor_names,
    named_conditions,
    registry_options,
    sandbox_names,
    selection_options,
    service_names,
)
from mlebench.cli.live import run_display
from mlebench.cli.output import print_json, print_problems, print_text
from mlebench.cli.progress import show_progress
from mlebench.cli.quantities import DURATION, SIZE, in_time
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError, os_sentence

if TYPE_CHECKING:
    from mlebench.competition.local import LocalCompetition
    from mlebench.runs.group import PlannedGroup
    from mlebench.runs.settings import RunSettings
    from mlebench.sandbox import Limits
    from mlebench.score.config import Budgets, ScoreConfig

DEFAULT_RUNS_DIR = Path("runs")
runs_dir_option = click.option(
    "--runs-dir",
    type=GivenPath(file_okay=False),
    default=DEFAULT_RUNS_DIR,
    show_default=True,
    help="Where run groups are.",
)


@click.command("run", short_help="Let an agent work on competitions")
@selection_options
@click.option("--agent", "agent_id", help="The agent: a built-in one, or one from --agents-dir.")
@click.option(
    "--agents-dir",
    "agents_dirs",
    multiple=True,
    type=GivenPath(file_okay=False, exists=True),
    help="A folder with agents of your own (repeatable).",
)
@click.option("--command", "command_line", help="For --agent command: what to run.")
@click.option("--code", type=GivenPath(file_okay=False, exists=True), help="For --agent command: its folder.")
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True, help="How many seeds, from 0.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="How many runs at once.")
@click.option(
    "--sandbox",
    type=RegisteredName(sandbox_names),
    default="auto",
    show_default=True,
    help="Where agents run; auto takes the strongest that works here.",
)
@click.option(
    "--executor",
    type=RegisteredName(executor_names),
    default="local",
    show_default=True,
    help="What executes the runs.",
)
@click.option(
    "--service",
    "services",
    type=RegisteredName(service_names),
    multiple=True,
    help="A further service of the host for the agents, of a package of yours (repeatable).",
)
@click.option("--network", default="none", show_default=True, help="none, full, or a list of host:port.")
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
@click.option("--snapshot-every", type=DURATION, help="Keep a copy of the submission at this interval.")
@click.option(
    "--retries", type=click.IntRange(min=0), default=0, show_default=True, help="Repeats after faults of the machine."
)
@click.option(
    "--config",
    "config_file",
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
    "disclosed",
    metavar="FIELD=VALUE",
    multiple=True,
    help="What a leaderboard row tells about the agent, such as models=gpt-5 (repeatable).",
)
@click.option(
    "--disclosure",
    "disclosure_file",
    type=GivenPath(dir_okay=False, exists=True),
    help="The same from a TOML or JSON file.",
)
@click.option("--prepare", "prepare_first", is_flag=True, help="Prepare what is not prepared yet.")
@click.option(
    "--resume", type=GivenPath(), help="Go on with this run group: a folder, a name in --runs-dir, or latest."
)
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object per line.")
@runs_dir_option
@registry_options
@edition_option
def command(registry: Registry, selection: Selection, resume: Path | None, runs_dir: Path, **options: Any) -> int:
    """Run an agent on competitions; makes a run group, or goes on with one."""
    from mlebench.results.finding import find_group
    from mlebench.runs.group import create_group, load_group

    as_json, workers = options["as_json"], options["workers"]
    if resume is not None:
        if selection or options["agent_id"]:
            raise click.UsageError("--resume goes on with a group as it was planned; choose nothing else.")
        group = load_group(find_group(resume, runs_dir), named_conditions())
    else:
        config = _config(options["config_file"], registry)
        if config is not None and not selection:
            selection = Selection(config.requested(registry), ())
        competitions = selection.competitions(registry)
        settings = _with_budgets(_settings(registry, options), config)
        if options["prepare_first"]:
            _prepare(competitions, as_json)
        _require(competitions)
        group = create_group(runs_dir, [each.id for each in competitions], list(range(options["seeds"])), settings)
    return _run(group, workers, as_json)


def _run(group: PlannedGroup, workers: int, as_json: bool) -> int:
    from mlebench.runs.running import run_group

    start = time.monotonic()
    if not as_json:
        print_text(f"Run group {group.folder} ({counted(len(group.record.plan), 'run')})", err=True)

    def orphans(count: int) -> None:
        if not as_json:
            click.echo(f"Ended {counted(count, 'run')} that an earlier process left.", err=True)

    def drain(count: int) -> None:
        if not as_json:
            what = "it" if count == 1 else "them"
            told = f"Interrupted: {counted(count, 'run')} may finish, and nothing new begins."
            click.echo(f"{told} Press Ctrl-C again to stop {what} now.", err=True)

    try:
        with run_display(as_json=as_json) as (on_state, on_board):
            complete = run_group(
                group, workers=workers, on_state=on_state, on_board=on_board, on_orphans=orphans, on_drain=drain
            )
    except OSError as error:  # not even a record can be written, so nothing can go on
        raise MlebenchError(
            f"{os_sentence(error).partition('. ')[0].rstrip('.')}: what has ended is recorded, the rest is not run.",
            hint=f"Mend that, then: mlebench run --resume {group.folder}",
        ) from error
    summary = summary_of(group)
    if as_json:
        print_json({"run_group": str(group.folder), **summary})
    else:
        listed = ", ".join(f"{count} {status}" for status, count in summary["statuses"].items())
        took = in_time(time.monotonic() - start)
        print_text(f"{listed}, in {took}. {summary['submissions']} left a submission.", err=True)
        if complete:
            print_text(f"Next: mlebench grade --run-group {group.folder}", err=True)
        else:
            print_text(f"Not all have run. To go on: mlebench run --resume {group.folder}", err=True)
    if not complete:
        return 130
    return 0 if summary["statuses"].get("success", 0) == len(group.record.plan) else 1


def summary_of(group: PlannedGroup) -> dict[str, Any]:
    """How many runs have ended how, and how many left a submission."""
    records = group.run_records()
    statuses: dict[str, int] = {}
    for record in records:
        statuses[record.status] = statuses.get(record.status, 0) + 1
    return {"statuses": statuses, "submissions": sum(record.submission is not None for record in records)}


def _settings(registry: Registry, options: dict[str, Any]) -> RunSettings:
    from mlebench.agents.disclosure import told_by_agent
    from mlebench.runs.executors import require_executor
    from mlebench.runs.recipe import chosen_agent
    from mlebench.runs.settings import DEFAULT_SERVICES, RunSettings
    from mlebench.sandbox import (
        ContainerConfig,
        Job,
        Limits,
        Promise,
        choose_sandbox,
        parse_network,
        read_container_config,
    )
    from mlebench.services.opening import require_service

    if not options["agent_id"]:
        raise click.UsageError("Say which agent: --agent NAME. `mlebench agents` lists them.")
    if options["agent_id"] == "command" and not options["command_line"]:
        raise click.UsageError("--agent command needs --command 'LINE'.")
    choice = choose_sandbox(options["sandbox"])
    container = ContainerConfig()
    if options["container_config"] is not None:
        if not choice.sandbox.capabilities.takes_container_settings:
            raise click.UsageError(
                f"--container-config is for containers, and this run would use {choice.sandbox.name}: "
                "add --sandbox docker."
            )
        container = read_container_config(options["container_config"])
    if not options["as_json"]:
        how = choice.sandbox.availability().why
        print_text(f"Sandbox: {choice.sandbox.name} ({how}). {' '.join(choice.why_not)}".rstrip(), err=True)
    limits = Limits(
        seconds=options["time_limit"],
        memory_bytes=int(options["memory_limit"]),
        cpus=options["cpus"],
        gpus=options["gpus"],
        disk_bytes=None if options["disk_limit"] is None else int(options["disk_limit"]),
        output_bytes=int(options["output_limit"]),
    )
    settings = RunSettings(
        agent=options["agent_id"],
        data_dir=registry.data_dir.absolute(),
        competitions_dirs=tuple(each.absolute() for each in registry.competitions_dirs),
        agents_dirs=tuple(each.absolute() for each in options["agents_dirs"]),
        edition=registry.edition,
        sandbox=choice.sandbox.name,
        executor=require_executor(options["executor"]).name,
        services={require_service(name).name: {} for name in (*DEFAULT_SERVICES, *options["services"])},
        limits=container.applied_to(limits),
        network=parse_network(options["network"]),
        variant=options["variant"],
        obfuscated=options["obfuscate"],
        step_limit=options["step_limit"],
        agent_options=_agent_options(options),
        container_config={name: value for name, value in asdict(container).items() if value is not None},
        allow_privileged=options["allow_privileged"],
        retain=options["retain"],
        snapshot_every=options["snapshot_every"],
        retries=options["retries"],
        threads=_threads(options["workers"]),
    )
    # An unknown agent, an unset secret, a need that is not granted, a runtime or a GPU that is missing here: all that
    # is told before anything runs.
    agent = chosen_agent(settings)
    agent.starting("/home/agent")
    settings = replace(settings, disclosure={**told_by_agent(agent), **_disclosed(options)})
    network = settings.network
    if unmet := agent.unmet_needs(("full",) if network.full else network.allowed, settings.limits.gpus):
        raise MlebenchError(
            f"The agent {agent.id} needs {', '.join(unmet)}, which this call does not grant.",
            hint="Grant it with --network and --gpus.",
        )
    nowhere = Path()
    job = Job((), nowhere, nowhere, nowhere, limits=settings.limits, network=network, privileged=agent.privileged)
    sandbox = settings.make_sandbox()
    sandbox.require(job)
    if not options["as_json"]:
        irrelevant = {Promise.CPUS_LIMITED} if settings.limits.cpus is None else set()
        missing = [each.value for each in Promise if each not in sandbox.promises(job) | irrelevant]
        if missing:
            click.echo(f"Not promised here: {'; '.join(missing)}.", err=True)
    return settings


def _disclosed(options: dict[str, Any]) -> dict[str, Any]:
    """What the options disclose about the agent."""
    from mlebench.agents.disclosure import load_disclosure, parsed

    path = options["disclosure_file"]
    return {**(load_disclosure(path) if path else {}), **parsed(options["disclosed"])}


def _config(path: Path | None, registry: Registry) -> ScoreConfig | None:
    from mlebench.score.config import load_config

    if path is None:
        return None
    config = load_config(path)
    config.check(registry)
    return config


def _with_budgets(settings: RunSettings, config: ScoreConfig | None) -> RunSettings:
    """The settings with the budgets of a configuration in place of --time-limit and --memory-limit."""
    if config is None:
        return settings

    def limits(budgets: Budgets) -> Limits:
        return replace(settings.limits, seconds=budgets.seconds, memory_bytes=int(budgets.memory_mb * (1 << 20)))

    own = {each: limits(budgets) for each, budgets in config.competition_budgets.items()}
    return replace(settings, limits=limits(config.budgets), competition_limits=own)


def _agent_options(options: dict[str, Any]) -> dict[str, str]:
    code = options["code"]
    given = {"command": options["command_line"], "code": str(code.absolute()) if code else None}
    return {name: value for name, value in given.items() if value}


def _threads(workers: int) -> int | None:
    """With several runs at once, each gets its share of the cores for numeric libraries."""
    return None if workers == 1 else max(1, (os.cpu_count() or 1) // workers)


def _prepare(competitions: list[LocalCompetition], as_json: bool) -> None:
    """Prepare what is not; what is there is used, and named where it is not what would be prepared."""
    from mlebench.data.changes import author_changes
    from mlebench.data.prepare import is_dataset_prepared, prepare

    missing = [each for each in competitions if not is_dataset_prepared(each) or author_changes(each)]
    if missing:
        with show_progress("Preparing", total=len(missing), quiet=as_json):
            for competition in missing:
                prepare(competition)
    if not as_json:
        from mlebench.data.kept import kept_instead

        kept = [(each.id, kept_instead(each, None)) for each in competitions if each not in missing]
        notes = [(each, f"runs on what is prepared already, {data.there}.") for each, data in kept if data is not None]
        print_problems(notes, label="note")


def _require(competitions: list[LocalCompetition]) -> None:
    """All data is there before the first run begins."""
    from mlebench.data.changes import require_current_data
    from mlebench.runs.execute import require_data

    for competition in competitions:
        require_data(competition)
        require_current_data(competition)
