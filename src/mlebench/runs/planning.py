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

from mlebench.agents.disclosure import told_by_agent
from mlebench.agents.environments import (
    announcement,
    missing_outside_image,
    python_of,
    require_programs,
)
from mlebench.base.amounts import parse_seconds
from mlebench.base.capacity import available_cores
from mlebench.data.required import require_data
from mlebench.errors import MlebenchError
from mlebench.runs.executors import require_executor
from mlebench.runs.group import PlannedGroup, create_group, planned_runs
from mlebench.runs.images import image_announcement, image_of
from mlebench.runs.material import plan_material
from mlebench.runs.models import GATEWAY, notes_on_nodes, planned_gateway, require_protocol
from mlebench.runs.options import (
    OptionError,
    RunOptions,
    added_instructions,
    agent_options,
    check_ranges,
    container_config,
    disclosed,
    executor_options,
    limits_of_options,
)
from mlebench.runs.oracle import require_worthless_answers
from mlebench.runs.recipe import chosen_agent
from mlebench.runs.settings import DEFAULT_SERVICES, RunSettings
from mlebench.sandbox import (
    AUTO,
    SANDBOXES,
    Choice,
    Job,
    Limits,
    Network,
    Promise,
    Sandbox,
    choose_sandbox,
    parse_network,
)
from mlebench.score.config import Budgets, ScoreConfig, load_config
from mlebench.services.opening import expected_variables, require_service

if TYPE_CHECKING:
    from mlebench.agents import Agent
    from mlebench.competition.local import LocalCompetition
    from mlebench.competition.registry import Registry
    from mlebench.results.records import PlannedRun


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
        agent = chosen_agent(self.settings)
        if self.settings.make_sandbox().capabilities.uses_image:
            image_of(agent)
        else:
            python_of(agent)

    def require_ready(self) -> None:
        """Refuse data that is not there or has changed, and an agent that cannot be installed."""
        from mlebench.data.changes import require_current_data

        agent = chosen_agent(self.settings)
        self.build_environment()
        for competition in self.competitions:
            require_data(competition)
            require_current_data(competition)
            require_worthless_answers(agent, competition)

    def create(self, runs_dir: Path) -> PlannedGroup:
        """The run group on disk, in a new folder below `runs_dir`; all data must be there and unchanged."""
        self.require_ready()
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
    check_ranges(options)
    seeds = options.chosen_seeds
    kind = require_executor(options.executor)
    choice = _named_sandbox(options.sandbox) if kind.is_remote else choose_sandbox(options.sandbox)
    container = container_config(options, choice.sandbox)
    services: dict[str, Mapping[str, Any]] = {
        require_service(name).name: {} for name in (*DEFAULT_SERVICES, *options.service)
    }
    services |= planned_gateway(options)
    if options.material is not None and not choice.sandbox.capabilities.mounts_material:
        raise OptionError(f"The sandbox {choice.sandbox.name} cannot show reading material to agents.")
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
        limits=container.applied_to(limits_of_options(options)),
        network=parse_network(options.network),
        variant=options.variant,
        obfuscated=options.obfuscate,
        renamed=options.rename,
        rename_seed=options.rename_seed,
        step_limit=options.step_limit,
        agent_options=agent_options(options),
        container_config={name: value for name, value in asdict(container).items() if value is not None},
        allow_privileged=options.allow_privileged,
        retain=options.retain,
        snapshot_every=None if options.snapshot_every is None else parse_seconds(options.snapshot_every),
        retries=options.retries,
        threads=None if kind.is_remote else thread_share(options.workers),
        material=None
        if options.material is None
        else plan_material(options.material, [competition.id for competition in competitions], registry.data_dir),
        instructions=added_instructions(options),
    )
    if config is not None:
        settings = _with_budgets(settings, config)
    agent = chosen_agent(settings)
    agent.starting("/home/agent", {**os.environ, **expected_variables(services)})  # an unset secret is an error
    for competition in competitions:
        require_worthless_answers(agent, competition)
    settings = replace(settings, agent=agent.id, disclosure={**told_by_agent(agent), **disclosed(options)})
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
        notes=(*_notes(agent, choice.sandbox, kind.is_remote), *(notes_on_nodes(services) if kind.is_remote else ())),
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


def _named_sandbox(name: str) -> Choice:
    """The sandbox of this name, whether it works here or not: it is used on other machines."""
    return Choice(SANDBOXES[name]) if name in SANDBOXES else choose_sandbox(name)


def thread_share(workers: int) -> int | None:
    """The threads of numeric libraries in each run: its share of the cores where several run at once."""
    return None if workers == 1 else max(1, available_cores() // workers)


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


def _require_model(agent: Agent, services: Mapping[str, Any]) -> None:
    if agent.calls_model and GATEWAY not in services:
        raise MlebenchError(
            f"The agent {agent.id} calls a model, and this call grants none.",
            hint="Add --model-endpoint URL, or --model NAME with a key in OPENAI_API_KEY or ANTHROPIC_API_KEY.",
        )
    if agent.protocols and GATEWAY in services:
        require_protocol(agent.id, agent.protocols, services[GATEWAY])


def _require_needs(agent: Agent, network: Network, gpus: int) -> None:
    if unmet := agent.unmet_needs(("full",) if network.full else network.allowed, gpus):
        raise MlebenchError(
            f"The agent {agent.id} needs {', '.join(unmet)}, which this call does not grant.",
            hint="Grant it with --network and --gpus.",
        )


def _notes(agent: Agent, sandbox: Sandbox, is_remote: bool) -> tuple[str, ...]:
    """What the agent will lack in this sandbox, and what is installed for it; a Python that is missing is an error."""
    if sandbox.capabilities.uses_image:
        note = None if is_remote else image_announcement(agent)  # elsewhere the node builds it
        return (note,) if note else ()
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
