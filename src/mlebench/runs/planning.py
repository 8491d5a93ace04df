"""What is decided before the first run of a group begins: sandbox, budgets, disclosure, needs of the agent, data.

`plan_group` refuses whatever would make every run fail (an unknown agent, an unset secret, a need that is not granted,
a runtime that is missing here), so that it is reported once, in a sentence, and not by every run that failed. The
command line and `mlebench.api` plan through it alike.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.agents.disclosure import checked, load_disclosure, parsed, told_by_agent
from mlebench.agents.environments import (
    announcement,
    missing_in_image,
    missing_outside_image,
    python_of,
    require_programs,
)
from mlebench.base.amounts import parse_bytes, parse_seconds
from mlebench.errors import MlebenchError
from mlebench.runs.execute import require_data
from mlebench.runs.executors import require_executor
from mlebench.runs.group import PlannedGroup, create_group, planned_runs
from mlebench.runs.models import GATEWAY, ModelOptions, planned_gateway
from mlebench.runs.oracle import require_worthless_answers
from mlebench.runs.recipe import chosen_agent
from mlebench.runs.settings import DEFAULT_SERVICES, RunSettings
from mlebench.sandbox import (
    AUTO,
    SANDBOXES,
    Choice,
    ContainerConfig,
    Job,
    Limits,
    Network,
    Promise,
    Sandbox,
    choose_sandbox,
    parse_network,
    read_container_config,
)
from mlebench.score.config import Budgets, ScoreConfig, load_config
from mlebench.services.opening import expected_variables, require_service

if TYPE_CHECKING:
    from mlebench.agents import Agent
    from mlebench.competition.local import LocalCompetition
    from mlebench.competition.registry import Registry
    from mlebench.results.records import PlannedRun

VARIANTS = ("published", "lite")
_LEAST_MEMORY = 1 << 20  # bytes; no program starts with less


class OptionError(MlebenchError):
    """Options that are missing, out of range, or contradict each other."""


@dataclass(frozen=True)
class RunOptions:
    """What a user asks of a run group, under the names of the options of `mlebench run`.

    Amounts are numbers (seconds, bytes) or texts such as 24h and 16G. `seeds` is how many, from 0, or the seeds
    themselves; `seed` is one. `disclose` has fields and values, or texts FIELD=VALUE.
    """

    agent: str
    agents_dir: Sequence[Path] = ()
    command: str | None = None
    code: Path | None = None
    seeds: int | str | Sequence[int] = 1
    seed: int | None = None
    workers: int = 1
    sandbox: str = "auto"
    executor: str = "local"
    slurm_option: Mapping[str, str] | Sequence[str] = ()
    address: str | None = None
    service: Sequence[str] = ()
    network: str = "none"
    model_endpoint: Sequence[str] = ()
    model: Sequence[str] = ()
    model_prices: Path | None = None
    max_tokens: int | None = None
    max_usd: float | None = None
    max_requests: int | None = None
    allow_provider_tools: bool = False
    record_prompts: bool = False
    time_limit: float | str = "24h"
    memory_limit: float | str = "440G"
    disk_limit: float | str | None = None
    output_limit: float | str = "1G"
    cpus: float | None = None
    gpus: int = 0
    step_limit: int | None = None
    variant: str = "published"
    obfuscate: bool = False
    rename: bool = False
    rename_seed: int = 0
    snapshot_every: float | str | None = None
    retries: int = 0
    config: Path | None = None
    container_config: Path | None = None
    allow_privileged: bool = False
    retain: bool = False
    disclose: Mapping[str, Any] | Sequence[str] = ()
    disclosure: Path | None = None

    @property
    def chosen_seeds(self) -> tuple[int, ...]:
        """The seeds to run, in the order that was given."""
        if self.seed is not None:
            if self.seeds not in (1, "1"):  # the default
                raise OptionError("--seed is one seed and --seeds are several: give one of the two.")
            return parse_seeds([self.seed])
        return parse_seeds(self.seeds)


@dataclass(frozen=True)
class GroupPlan:
    """A run group that could begin now, apart from data that is still to be prepared."""

    competitions: tuple[LocalCompetition, ...]
    seeds: tuple[int, ...]
    settings: RunSettings
    workers: int
    sandbox_works: str  # why the sandbox works here
    stronger_sandboxes: tuple[str, ...] = field(default=())  # for each, why it does not work here
    not_promised: tuple[Promise, ...] = field(default=())
    notes: tuple[str, ...] = field(default=())  # what a user should know about the agent before it runs

    @property
    def unprepared(self) -> list[LocalCompetition]:
        """The competitions whose data is not prepared, or was before their author changed something."""
        from mlebench.data.changes import author_changes
        from mlebench.data.prepare import is_dataset_prepared

        return [found for found in self.competitions if not is_dataset_prepared(found) or author_changes(found)]

    @property
    def runs(self) -> tuple[PlannedRun, ...]:
        """Runs as those of a group would be, with other ids."""
        return planned_runs([competition.id for competition in self.competitions], self.seeds)

    def build_environment(self) -> None:
        """Install what the agent needs on this machine, if that is not done yet, so that no run has to wait for it."""
        if require_executor(self.settings.executor).is_remote:
            return  # the node that executes a run does it
        if not self.settings.make_sandbox().capabilities.uses_image:
            python_of(chosen_agent(self.settings))

    def create(self, runs_dir: Path) -> PlannedGroup:
        """The run group on disk, in a new folder below `runs_dir`; all data must be there and unchanged."""
        from mlebench.data.changes import require_current_data

        agent = chosen_agent(self.settings)
        self.build_environment()
        for competition in self.competitions:
            require_data(competition)
            require_current_data(competition)
            require_worthless_answers(agent, competition)
        return create_group(
            runs_dir, [competition.id for competition in self.competitions], list(self.seeds), self.settings
        )


def plan_group(
    options: RunOptions, registry: Registry, competitions: Sequence[LocalCompetition] | None = None
) -> GroupPlan:
    """Check what was asked for and decide all conditions of the runs; `competitions` default to those of the config."""
    config = _config(options, registry)
    if competitions is None:
        if config is None:
            raise OptionError("Say which competitions: ids, a split, or a config that names them.")
        competitions = [registry.get_competition(name) for name in config.requested(registry)]
    if not options.agent:
        raise OptionError("Say which agent: --agent NAME. `mlebench agents` lists them.")
    _check_ranges(options)
    seeds = options.chosen_seeds
    kind = require_executor(options.executor)
    choice = _named_sandbox(options.sandbox) if kind.is_remote else choose_sandbox(options.sandbox)
    container = _container(options, choice.sandbox)
    services: dict[str, Mapping[str, Any]] = {
        require_service(name).name: {} for name in (*DEFAULT_SERVICES, *options.service)
    }
    services |= planned_gateway(ModelOptions.among(options))
    settings = RunSettings(
        agent=options.agent,
        data_dir=registry.data_dir.absolute(),
        competitions_dirs=tuple(folder.absolute() for folder in registry.competitions_dirs),
        agents_dirs=tuple(Path(folder).absolute() for folder in options.agents_dir),
        edition=registry.edition,
        sandbox=AUTO if kind.is_remote and options.sandbox == AUTO else choice.sandbox.name,
        executor=kind.name,
        executor_options=executor_options(options.executor, options.slurm_option, options.address),
        services=services,
        limits=container.applied_to(_limits(options)),
        network=parse_network(options.network),
        variant=options.variant,
        obfuscated=options.obfuscate,
        renamed=options.rename,
        rename_seed=options.rename_seed,
        step_limit=options.step_limit,
        agent_options=_agent_options(options),
        container_config={name: value for name, value in asdict(container).items() if value is not None},
        allow_privileged=options.allow_privileged,
        retain=options.retain,
        snapshot_every=None if options.snapshot_every is None else parse_seconds(options.snapshot_every),
        retries=options.retries,
        threads=None if kind.is_remote else thread_share(options.workers),
    )
    if config is not None:
        settings = _with_budgets(settings, config)
    agent = chosen_agent(settings)
    agent.starting("/home/agent", {**os.environ, **expected_variables(services)})  # an unset secret is an error
    for competition in competitions:
        require_worthless_answers(agent, competition)
    settings = replace(settings, agent=agent.id, disclosure={**told_by_agent(agent), **_disclosed(options)})
    _require_model(agent, services)
    _require_needs(agent, settings.network, settings.limits.gpus)
    kind.check(settings, [competition.id for competition in competitions])
    works = "checked on the node that executes a run" if kind.is_remote else choice.sandbox.availability().why
    return GroupPlan(
        competitions=tuple(competitions),
        seeds=seeds,
        settings=settings,
        workers=options.workers,
        sandbox_works=works,
        stronger_sandboxes=choice.why_not,
        not_promised=() if kind.is_remote else _not_promised(settings, agent),
        notes=_notes(agent, choice.sandbox),
    )


def prepare_missing(plan: GroupPlan) -> None:
    """Prepare the competitions of a plan that are not prepared; what is there is used as it is."""
    from mlebench.data.prepare import prepare

    for competition in plan.unprepared:
        prepare(competition)


def other_data(plan: GroupPlan) -> list[tuple[str, str]]:
    """(competition, what it is prepared from) where that is not what would be prepared now, such as a twin."""
    from mlebench.data.kept import other_data_kept

    kept = [(competition.id, other_data_kept(competition, None)) for competition in plan.competitions]
    return [(competition_id, data.there) for competition_id, data in kept if data is not None]


def parse_seeds(seeds: int | str | Sequence[int]) -> tuple[int, ...]:
    """How many seeds, counted from 0 (3, "3"), or the seeds themselves ([7, 42], "7,42")."""
    if isinstance(seeds, str):
        parts = [part.strip() for part in seeds.split(",")]
        if not all(part.isascii() and part.isdigit() for part in parts):
            raise OptionError(f"{seeds!r} is neither a number of seeds nor a list of them such as 0,7,42.")
        seeds = int(parts[0]) if len(parts) == 1 else [int(part) for part in parts]
    if isinstance(seeds, int):
        if seeds < 1:
            raise OptionError("There must be at least one seed.")
        return tuple(range(seeds))
    chosen = tuple(seeds)
    if not chosen or not all(isinstance(seed, int) and 0 <= seed < 1 << 32 for seed in chosen):
        raise OptionError("Seeds are whole numbers from 0 to 4294967295.")
    if len(set(chosen)) < len(chosen):
        raise OptionError("A seed is given twice.")
    return chosen


def executor_options(
    executor: str, slurm_option: Mapping[str, str] | Sequence[str] = (), address: str | None = None
) -> dict[str, str]:
    """The options of an executor, from those of `mlebench run`; an error names one that is for another."""
    if slurm_option and executor != "slurm":
        raise OptionError(f"--slurm-option is for --executor slurm, and this is {executor}.")
    if address is not None and executor != "ray":
        raise OptionError(f"--address is for --executor ray, and this is {executor}.")
    if address is not None:
        return {"address": address}
    if isinstance(slurm_option, Mapping):
        return dict(slurm_option)
    pairs = [text.partition("=") for text in slurm_option]
    if missing := [name for name, equals, _ in pairs if not equals]:
        raise OptionError(f"--slurm-option {missing[0]} has no value: write NAME=VALUE, such as partition=gpu.")
    return {name: value for name, _, value in pairs}


def _named_sandbox(name: str) -> Choice:
    """The sandbox of this name, whether it works here or not: it is used on other machines."""
    return Choice(SANDBOXES[name]) if name in SANDBOXES else choose_sandbox(name)


def thread_share(workers: int) -> int | None:
    """The threads of numeric libraries in each run: its share of the cores where several run at once."""
    return None if workers == 1 else max(1, (os.cpu_count() or 1) // workers)


def _check_ranges(options: RunOptions) -> None:
    """Numbers that no run could have; the command line checks them as it parses, a program does not."""
    least = {"workers": 1, "gpus": 0, "step_limit": 1, "retries": 0, "rename_seed": 0}
    for name, lowest in least.items():
        value = getattr(options, name)
        if value is not None and value < lowest:
            raise OptionError(f"{name} must be at least {lowest}.")
    if options.cpus is not None and not options.cpus > 0:
        raise OptionError("cpus must be more than 0.")
    if options.rename_seed and not options.rename:
        raise OptionError("--rename-seed is for --rename, which was not given.")
    if options.variant not in VARIANTS:
        raise OptionError(f"There is no variant {options.variant!r}.", hint=f"There are {' and '.join(VARIANTS)}.")


def _limits(options: RunOptions) -> Limits:
    memory = parse_bytes(options.memory_limit)
    if memory < _LEAST_MEMORY:
        raise OptionError(
            f"No program runs with {memory} bytes of memory.", hint=f"Write {memory}G to allow {memory} gigabytes."
        )
    return Limits(
        seconds=parse_seconds(options.time_limit),
        memory_bytes=memory,
        cpus=options.cpus,
        gpus=options.gpus,
        disk_bytes=None if options.disk_limit is None else parse_bytes(options.disk_limit),
        output_bytes=parse_bytes(options.output_limit),
    )


def _container(options: RunOptions, sandbox: Sandbox) -> ContainerConfig:
    if options.container_config is None:
        return ContainerConfig()
    if not sandbox.capabilities.takes_container_settings:
        raise OptionError(
            f"--container-config is for containers, and this run would use {sandbox.name}: add --sandbox docker."
        )
    return read_container_config(Path(options.container_config))


def _agent_options(options: RunOptions) -> dict[str, str]:
    """What the agent `command` runs; --command and --code mean nothing to another one."""
    if options.agent != "command":
        if options.command is not None or options.code is not None:
            raise OptionError(f"--command and --code are for --agent command, and this is {options.agent}.")
        return {}
    if options.command is None and not options.agents_dir:  # in a folder of agents there may be one of that name
        raise OptionError("--agent command needs --command 'LINE'.")
    code = None if options.code is None else str(Path(options.code).absolute())
    given = {"command": options.command, "code": code}
    return {name: value for name, value in given.items() if value is not None}


def _config(options: RunOptions, registry: Registry) -> ScoreConfig | None:
    if options.config is None:
        return None
    config = load_config(Path(options.config))
    config.check(registry)
    return config


def _with_budgets(settings: RunSettings, config: ScoreConfig) -> RunSettings:
    """The settings with the budgets of a configuration in place of --time-limit and --memory-limit."""

    def limits(budgets: Budgets) -> Limits:
        return replace(settings.limits, seconds=budgets.seconds, memory_bytes=int(budgets.memory_mb * (1 << 20)))

    own = {competition_id: limits(budgets) for competition_id, budgets in config.competition_budgets.items()}
    return replace(settings, limits=limits(config.budgets), competition_limits=own)


def _disclosed(options: RunOptions) -> dict[str, Any]:
    """What the options disclose about the agent; a field of its own takes the place of one from the file."""
    from_file = load_disclosure(Path(options.disclosure)) if options.disclosure is not None else {}
    given = options.disclose
    own = checked(given, "disclose") if isinstance(given, Mapping) else parsed(given)
    return {**from_file, **own}


def _require_model(agent: Agent, services: Mapping[str, Any]) -> None:
    if agent.calls_model and GATEWAY not in services:
        raise MlebenchError(
            f"The agent {agent.id} calls a model, and this call grants none.",
            hint="Add --model-endpoint URL, or --model NAME with a key in OPENAI_API_KEY or ANTHROPIC_API_KEY.",
        )


def _require_needs(agent: Agent, network: Network, gpus: int) -> None:
    if unmet := agent.unmet_needs(("full",) if network.full else network.allowed, gpus):
        raise MlebenchError(
            f"The agent {agent.id} needs {', '.join(unmet)}, which this call does not grant.",
            hint="Grant it with --network and --gpus.",
        )


def _notes(agent: Agent, sandbox: Sandbox) -> tuple[str, ...]:
    """What the agent will lack in this sandbox, and what is installed for it; a Python that is missing is an error."""
    if sandbox.capabilities.uses_image:
        lacking = missing_in_image(agent)
        if lacking and agent.built_in:  # it cannot start without them
            raise MlebenchError(lacking, hint="Use --sandbox bubblewrap.")
        return (lacking,) if lacking else ()
    require_programs(agent)
    return tuple(note for note in (missing_outside_image(agent), announcement(agent)) if note)


def _not_promised(settings: RunSettings, agent: Agent) -> tuple[Promise, ...]:
    """What the sandbox does not promise for these runs; a runtime or a GPU that is missing here is an error."""
    nowhere = Path()
    job = Job(
        (),
        nowhere,
        nowhere,
        nowhere,
        limits=settings.limits,
        network=settings.network,
        privileged=agent.privileged,
    )
    sandbox = settings.make_sandbox()
    sandbox.require(job)
    irrelevant = {Promise.CPUS_LIMITED} if settings.limits.cpus is None else set()
    promised = sandbox.promises(job) | irrelevant
    return tuple(promise for promise in Promise if promise not in promised)
