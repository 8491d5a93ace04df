"""The conditions that all runs of a group share; part of the group's record, so that it is resumed as it began."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import DEFAULT_EDITION, Edition
from mlebench.errors import MlebenchError
from mlebench.results.trust import Named
from mlebench.runs.material import Material
from mlebench.sandbox import AUTO, ContainerConfig, Limits, Network, Sandbox, choose_sandbox, configured

DEFAULT_SERVICES = ("validation",)  # those that every agent of the benchmark has


@dataclass(frozen=True)
class RunSettings:
    """The conditions of the runs of a group.

    `sandbox` is the one that was chosen; `auto` stands for the strongest that works on the machine that executes a run.
    `executor_options` are what the executor needs beside its name, such as a partition of Slurm. `services` are those
    that the host opens for each run, by name, with their options; keys are not among these, for all of this is written
    down. `agent_options` are what a built-in agent needs beside its name, such as the command line of `command`.
    `competition_limits` override `limits` for some competitions; `container_config` has the fields of a
    `ContainerConfig` that were given. With `renamed` agents see neutral names of files and columns, whose numbers
    `rename_seed` decides. `disclosure` is what a row of a leaderboard tells about the agent. `instructions` is a text
    that is added to those of the benchmark. `experiment` names the experiment and the arm that a group was planned for,
    and is empty for others.
    """

    agent: str
    data_dir: Path
    competitions_dirs: tuple[Path, ...] = ()
    agents_dirs: tuple[Path, ...] = ()
    edition: Edition = DEFAULT_EDITION
    sandbox: str = "process"
    executor: str = "local"
    executor_options: Mapping[str, str] = field(default_factory=dict)
    services: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {name: {} for name in DEFAULT_SERVICES})
    limits: Limits = field(default_factory=Limits)
    competition_limits: Mapping[str, Limits] = field(default_factory=dict)
    network: Network = field(default_factory=Network)
    variant: str = "published"
    obfuscated: bool = False
    renamed: bool = False
    rename_seed: int = 0
    step_limit: int | None = None
    agent_options: Mapping[str, str] = field(default_factory=dict)
    container_config: Mapping[str, Any] = field(default_factory=dict)
    allow_privileged: bool = False
    retain: bool = False
    snapshot_every: float | None = None
    retries: int = 0
    grace: float = 30.0
    threads: int | None = None
    disclosure: Mapping[str, Any] = field(default_factory=dict)
    material: Material | None = None
    instructions: str = ""
    experiment: Mapping[str, str] = field(default_factory=dict)

    @property
    def registry(self) -> Registry:
        """The registry that finds the competitions of these runs."""
        return Registry(self.data_dir, self.competitions_dirs, self.edition)

    @property
    def places(self) -> Named:
        """The folders and the edition of these runs, to name them where the group is graded in the same call."""
        return Named(self.data_dir, self.competitions_dirs, self.agents_dirs, self.edition)

    def make_sandbox(self) -> Sandbox:
        """The sandbox of these runs, as it was configured."""
        container = ContainerConfig(**self.container_config)
        name = choose_sandbox().sandbox.name if self.sandbox == AUTO else self.sandbox
        return configured(name, container, retains=self.retain, allows_privileged=self.allow_privileged)

    def limits_of(self, competition_id: str) -> Limits:
        """The budgets of a run on one competition."""
        return self.competition_limits.get(competition_id, self.limits)

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values."""
        values = asdict(self)
        for name in ("data_dir", "competitions_dirs", "agents_dirs"):
            value = values[name]
            values[name] = str(value) if isinstance(value, Path) else [str(path) for path in value]
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> RunSettings:
        """The inverse of `to_dict`."""
        known = {known.name for known in fields(cls)}
        try:
            kept: dict[str, Any] = {name: value for name, value in values.items() if name in known}
            kept["data_dir"] = Path(kept["data_dir"])
            for name in ("competitions_dirs", "agents_dirs"):
                kept[name] = tuple(map(Path, kept.get(name, ())))
            kept["limits"] = Limits(**kept["limits"])
            kept["competition_limits"] = {
                competition_id: Limits(**limits) for competition_id, limits in kept["competition_limits"].items()
            }
            network = kept["network"]
            kept["network"] = Network(network["full"], tuple(network["allowed"]))
            kept["material"] = Material.from_dict(kept.get("material"))
            settings = cls(**kept)
            if settings.sandbox != AUTO:
                settings.make_sandbox()
            if not all(isinstance(text, str) for option in settings.executor_options.items() for text in option):
                raise TypeError("executor_options")
            if not all(isinstance(options, Mapping) for options in settings.services.values()):
                raise TypeError("services")
            if not isinstance(settings.instructions, str) or not isinstance(settings.experiment, Mapping):
                raise TypeError("instructions")
            for limits in (settings.limits, *settings.competition_limits.values()):
                sum(amount for amount in asdict(limits).values() if amount is not None)  # all of them are numbers
            return replace(settings, retries=int(settings.retries))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise MlebenchError("The record of this run group was written by another version of mlebench.") from error
