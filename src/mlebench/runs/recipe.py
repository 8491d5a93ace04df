"""The recipe of a run: everything that decides what its command is started with.

A run and its replay build it here, from the settings of their group, so that a replay differs from its run only in what
it says: the command, the network and the image. What is hidden from agents is decided here too.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from mlebench.agents import Agent, command_agent, find_agent
from mlebench.agents.discovery import manifests
from mlebench.agents.environments import python_of, readable_folders
from mlebench.competition.local import LocalCompetition
from mlebench.renaming.copies import renamed_data
from mlebench.renaming.mapping import Renaming
from mlebench.results.records import RunRecord
from mlebench.runs.contract import Home, make_home, public_data
from mlebench.runs.hardware import hardware
from mlebench.runs.images import add_image_files, image_of
from mlebench.runs.instructions import AgentPaths, Conditions
from mlebench.runs.material import MATERIAL
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Job, Limits, Network, Sandbox
from mlebench.sandbox.programs import around, outermost, program_folders

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Recipe:
    """What a command is started with; `home` and `log` are where it does so.

    `python` is the interpreter that the command finds first, None where an image brings its own. `environment` are the
    variables beyond those of the agent's contract. `material` is the copy of the reading material for this command.
    `renaming` leads back from the names that the command sees to the true ones, where they differ.
    """

    competition: LocalCompetition
    agent: Agent
    sandbox: Sandbox
    limits: Limits
    conditions: Conditions
    network: Network
    home: Path
    data: Path
    log: Path
    hidden: tuple[Path, ...]
    python: Path | None = None
    image: str | None = None
    renaming: Renaming | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    material: Path | None = None

    def job(
        self,
        home: Home | None = None,
        *,
        command: Sequence[str] | None = None,
        servers: Mapping[int, Path | None] | None = None,
        secrets: Sequence[str] = (),
    ) -> Job:
        """The job for a sandbox: without a home to ask what holds for it, with one to start it."""
        given = home.command if home is not None and command is None else command
        return Job(
            command=given or (),
            home=self.home,
            data=self.data,
            log=self.log,
            environment={**self.environment, **(home.environment if home is not None else {})},
            secrets=(*(home.secrets if home is not None else ()), *secrets),
            limits=self.limits,
            network=self.network,
            hidden=self.hidden,
            readable=home.readable if home is not None else (),
            servers=servers or {},
            privileged=self.agent.privileged,
            image=self.image,
            material=self.material,
        )

    def make_home(self, services: Mapping[str, str] | None = None) -> Home:
        """Make the home that the command is started in; `services` are the variables that name services."""
        job = self.job()
        home = make_home(
            self.home,
            self.competition,
            self.agent,
            self.conditions,
            paths=self._paths(job),
            python=self.python,
            services=services or {},
            environment={**os.environ, **(services or {})},  # the agent's secrets: what a service gives comes first
        )
        if self.agent.dockerfile is not None and self.image is not None:
            add_image_files(self.image, self.home)
        return home

    def _paths(self, job: Job) -> AgentPaths:
        """Where things are as the command sees them; the reading material is beside the data."""
        paths = AgentPaths(self.sandbox.home_inside(job), self.sandbox.data_inside(job))
        if self.material is None:
            return paths
        is_mounted = paths.data == paths.below("data")
        return replace(paths, material=paths.below(MATERIAL) if is_mounted else str(self.material.resolve()))


def build_recipe(
    settings: RunSettings,
    record: RunRecord,
    *,
    folder: Path,
    log: Path,
    runs_dir: Path,
    agent: Agent | None = None,
    network: Network | None = None,
    recorded_image: str | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Recipe:
    """The recipe of a run that takes place in `folder`, where its home and, if names are hidden, its data are made.

    Reading material is copied there, too. A replay gives the `agent` that stands for the one of the run, the network
    that it may have, and the image that was recorded. Building the environment or the image of an agent ends with a
    StoppedError when `should_stop` says so.
    """
    competition = settings.registry.get_competition(record.competition_id)
    sandbox = settings.make_sandbox()
    limits = settings.limits_of(record.competition_id)
    own_agent = chosen_agent(settings)
    uses_image = sandbox.capabilities.uses_image
    python = None if uses_image else python_of(own_agent, should_stop=should_stop)
    image = sandbox.recorded_image(recorded_image)
    if image is None and uses_image:
        image = image_of(own_agent, should_stop)
    conditions = Conditions(
        seed=record.seed,
        seconds=limits.seconds,
        steps=settings.step_limit,
        hardware=_hardware_in_words(limits),
        variant=settings.variant,  # type: ignore[arg-type]
        obfuscate=settings.obfuscated,
        added=settings.instructions,
    )
    data, renaming = _shown_data(settings, competition, conditions, folder / "data")
    return Recipe(
        competition=competition,
        agent=agent or own_agent,
        sandbox=sandbox,
        limits=limits,
        conditions=conditions,
        network=settings.network if network is None else network,
        home=folder / "home",
        data=data,
        log=log,
        hidden=hidden_folders(competition, runs_dir, shown=[] if python is None else readable_folders(python)),
        python=python,
        image=image,
        renaming=renaming,
        environment={} if settings.threads is None else dict.fromkeys(_THREADS, str(settings.threads)),
        material=settings.material.copy(record.competition_id, folder / MATERIAL) if settings.material else None,
    )


def _shown_data(
    settings: RunSettings, competition: LocalCompetition, conditions: Conditions, scratch: Path
) -> tuple[Path, Renaming | None]:
    """The folder that is shown as the data, and what leads back from its names to the true ones."""
    if not settings.renamed:
        return public_data(competition, conditions, scratch), None
    copy = renamed_data(competition, seed=settings.rename_seed, obfuscate=conditions.obfuscate, scratch=scratch)
    return copy.folder, copy.renaming


def chosen_agent(settings: RunSettings) -> Agent:
    """The agent of a group, with the options that were given for it."""
    agent = _found_agent(settings.agent, settings.agents_dirs, _signatures(settings.agents_dirs))
    if agent.built_in and agent.id == "command":
        code = settings.agent_options.get("code")
        return command_agent(settings.agent_options.get("command", ""), Path(code) if code else None)
    return agent


@lru_cache(maxsize=64)
def _found_agent(agent_id: str, agents_dirs: tuple[Path, ...], signatures: tuple[object, ...]) -> Agent:
    """The agent of this id; its manifest is read once for all runs of a group, unless it changes."""
    return find_agent(agent_id, agents_dirs)


def _signatures(agents_dirs: Sequence[Path]) -> tuple[object, ...]:
    """What changes when a manifest below these folders does."""
    found = ((path, path.stat()) for path in manifests(agents_dirs))
    return tuple((path, status.st_mtime_ns, status.st_size, status.st_ino) for path, status in found)


def added_inputs(settings: RunSettings, competition_id: str) -> dict[str, str]:
    """The hashes of what the user gave to the agent beside the benchmark's own inputs."""
    found = {}
    if settings.material is not None:
        found[MATERIAL] = settings.material.digest_of(competition_id)
    if settings.instructions:
        found["instructions"] = hashlib.sha256(settings.instructions.encode()).hexdigest()
    return found


def hidden_folders(competition: LocalCompetition, runs_dir: Path, shown: Sequence[Path] = ()) -> tuple[Path, ...]:
    """What an agent must not read: all data and all runs; its own public data and home are shown apart from that.

    Data may also be elsewhere, behind links. A folder that holds this Python, the system's programs or something else
    that must be `shown` cannot be hidden as a whole (`--data-dir .` beside a `.venv`): then everything else in it is.
    """
    programs = [*program_folders(), *(path.resolve() for path in shown)]
    wanted = [competition.data_dir, runs_dir, competition.private_dir, competition.home / "raw"]
    folders = outermost(path.resolve() for path in wanted if path.is_dir())
    return tuple(hidden for folder in folders for hidden in _apart_from(programs, folder))


def _apart_from(programs: Sequence[Path], folder: Path) -> Iterable[Path]:
    """The folder itself, or what is in it beside programs."""
    inside = [path for path in programs if path.is_relative_to(folder)]
    return [path for path in around([folder], inside)[0] if path.is_dir()] if inside else [folder]


def _hardware_in_words(limits: Limits) -> str:
    facts = hardware()
    memory = limits.memory_bytes
    if facts["memory_bytes"]:
        memory = min(size for size in (memory, facts["memory_bytes"]) if size)
    parts = [f"{limits.cpus or facts['cpus']:g} CPUs"]
    if memory:
        parts.append(f"{memory / (1 << 30):.0f} GB of memory")
    parts.append(", ".join(facts["gpus"][: limits.gpus]) if limits.gpus and facts["gpus"] else "no GPU")
    return ", ".join(parts)
