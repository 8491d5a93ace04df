"""The job scripts of Slurm: one array for all runs that ask for the same resources, made from their budgets.

A script names programs, folders and budgets, never a key: whoever may see jobs may see scripts.
"""

from __future__ import annotations

import math
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlebench.errors import MlebenchError
from mlebench.results.records import PlannedRun
from mlebench.runs.settings import RunSettings

# Beyond the budget of the agent: making its home, building its environment, collecting and hashing what it leaves.
_MORE_SECONDS = 600.0
_MORE_MEGABYTES = 512  # the process that supervises the agent
_OURS = (
    "array chdir dependency error export export-file job-name no-requeue open-mode output parsable requeue wait wrap"
)
_PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "LANG", "LC_ALL", "TZ", "SLURM_CONF")


@dataclass(frozen=True)
class Shape:
    """The resources of a job."""

    minutes: int | None
    megabytes: int | None
    cpus: int | None
    gpus: int


def shape_of(settings: RunSettings, competition_id: str) -> Shape:
    """What a run on a competition asks for."""
    limits = settings.limits_of(competition_id)
    more = settings.grace + _MORE_SECONDS
    return Shape(
        minutes=None if limits.seconds is None else math.ceil((limits.seconds + more) / 60),
        megabytes=None if limits.memory_bytes is None else math.ceil(limits.memory_bytes / (1 << 20)) + _MORE_MEGABYTES,
        cpus=None if limits.cpus is None else math.ceil(limits.cpus),
        gpus=limits.gpus,
    )


def by_shape(settings: RunSettings, runs: Sequence[PlannedRun], most: int) -> list[tuple[Shape, list[PlannedRun]]]:
    """Runs that ask for the same, together; never more of them than an array may have tasks."""
    found: dict[Shape, list[PlannedRun]] = {}
    for planned in runs:
        found.setdefault(shape_of(settings, planned.competition_id), []).append(planned)
    return [(shape, same[at : at + most]) for shape, same in found.items() for at in range(0, len(same), most)]


def checked_options(options: Mapping[str, str]) -> Mapping[str, str]:
    """Options for sbatch, if they are such, and none that decides how a group is executed."""
    for name, value in options.items():
        if not re.fullmatch(r"[a-z][a-z-]*", name):
            raise MlebenchError(f"{name!r} is not an option of sbatch.", hint="Write --slurm-option partition=gpu.")
        if name in _OURS.split():
            raise MlebenchError(f"--slurm-option {name} cannot be given: mlebench decides on it.")
        if not value.isprintable() or '"' in value or "\\" in value:
            raise MlebenchError(f"The value of --slurm-option {name} has characters that no script may have.")
    return options


def script(
    settings: RunSettings,
    shape: Shape,
    *,
    name: str,
    count: int,
    at_once: int,
    folder: Path,
    group: Path,
    after: str | None = None,
) -> str:
    """The script of an array of `count` runs, `at_once` at a time; `folder` has what tasks need and print."""
    wanted: dict[str, str | None] = {
        "job-name": name,
        "array": f"0-{count - 1}%{at_once}",
        "output": f"{folder}/%a.out",
        "open-mode": "append",
        "chdir": str(group),
        "export": "NIL",
        "requeue" if settings.retries else "no-requeue": None,
        "nodes": "1",
        "ntasks": "1",
    }
    if shape.minutes is not None:
        wanted["time"] = str(shape.minutes)
    if shape.megabytes is not None:
        wanted["mem"] = f"{shape.megabytes}M"
    if shape.cpus is not None:
        wanted["cpus-per-task"] = str(shape.cpus)
    if shape.gpus:
        wanted["gres"] = f"gpu:{shape.gpus}"
    if after is not None:
        wanted["dependency"] = f"afterany:{after}"
    wanted |= checked_options(settings.executor_options)
    if any(mem in settings.executor_options for mem in ("mem-per-cpu", "mem-per-gpu")):
        wanted.pop("mem", None)
    if any(gpus in settings.executor_options for gpus in ("gpus", "gpus-per-node", "gpus-per-task")):
        wanted.pop("gres", None)
    lines = [
        f"#SBATCH --{option}" + ("" if value is None else f"={_quoted(value)}") for option, value in wanted.items()
    ]
    exports = [
        f"export {variable}={shlex.quote(os.environ[variable])}" for variable in _PASSED_ON if variable in os.environ
    ]
    command = shlex.join([sys.executable, "-P", "-m", "mlebench.runs.executors.slurm_job", str(folder)])
    return "\n".join(["#!/bin/bash", *lines, *exports, f"exec {command}", ""])


def _quoted(value: str) -> str:
    return f'"{value}"' if re.search(r"[\s#']", value) else value
