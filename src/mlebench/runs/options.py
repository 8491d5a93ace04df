"""What a user may ask of a run group, and what each option means: checked for itself, before anything is planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlebench.agents.disclosure import checked, load_disclosure, parsed
from mlebench.base.amounts import parse_bytes, parse_seconds
from mlebench.errors import MlebenchError
from mlebench.files.regular import read_regular
from mlebench.runs.models import ModelOptions
from mlebench.sandbox import ContainerConfig, Limits, Sandbox, read_container_config

VARIANTS = ("published", "lite")
_LEAST_MEMORY = 1 << 20  # bytes; no program starts with less
_LONGEST_INSTRUCTIONS = 1 << 20  # bytes of a file of instructions


class OptionError(MlebenchError):
    """Options that are missing, out of range, or contradict each other."""


@dataclass(frozen=True, kw_only=True)
class RunOptions(ModelOptions):
    """What a user asks of a run group, under the names of the options of `mlebench run`.

    Amounts are numbers (seconds, bytes) or texts such as 24h and 16G. `seeds` is how many, from 0, or the seeds
    themselves; `seed` is one. `disclose` has fields and values, or texts FIELD=VALUE. `instructions` is a text
    file that is added to the instructions, `material` a folder that agents may read, with `{competition}` in its path
    where each competition has one of its own.
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
    instructions: Path | None = None
    material: str | Path | None = None
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


def check_ranges(options: RunOptions) -> None:
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


def limits_of_options(options: RunOptions) -> Limits:
    """The budgets of each run."""
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


def container_config(options: RunOptions, sandbox: Sandbox) -> ContainerConfig:
    """The settings of containers; an error where the sandbox has none."""
    if options.container_config is None:
        return ContainerConfig()
    if not sandbox.capabilities.takes_container_settings:
        raise OptionError(
            f"--container-config is for containers, and this run would use {sandbox.name}: add --sandbox docker."
        )
    return read_container_config(Path(options.container_config))


def agent_options(options: RunOptions) -> dict[str, str]:
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


def added_instructions(options: RunOptions) -> str:
    """The text that is added to the instructions."""
    if options.instructions is None:
        return ""
    try:
        text = read_regular(Path(options.instructions), _LONGEST_INSTRUCTIONS, follow=True).decode("utf-8-sig")
    except OSError as error:
        raise MlebenchError(f"The instructions {options.instructions} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise MlebenchError(f"The instructions {options.instructions} are not a text in UTF-8.") from error
    if not text.strip():
        raise OptionError(f"The instructions {options.instructions} are empty.")
    return text.strip()


def disclosed(options: RunOptions) -> dict[str, Any]:
    """What the options disclose about the agent; a field of its own takes the place of one from the file."""
    from_file = load_disclosure(Path(options.disclosure)) if options.disclosure is not None else {}
    given = options.disclose
    own = checked(given, "disclose") if isinstance(given, Mapping) else parsed(given)
    return {**from_file, **own}
