"""What a sandbox is: it runs one command with limits, keeps its promises, and says what it does not promise.

A new sandbox is one class with the five members of `Sandbox`, and a line in `mlebench.sandbox.SANDBOXES`. Who starts
the command (`mlebench.runs`) watches it through `Running` and ends it; a sandbox decides how that is done here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class Promise(StrEnum):
    """What a sandbox may promise; each has an attempt in tests/sandbox that succeeds unconfined and fails confined."""

    ANSWERS_HIDDEN = "private data cannot be read"
    HOST_FILES_HIDDEN = "files of the host cannot be read, apart from programs and libraries"
    OTHER_RUNS_HIDDEN = "other runs and their servers cannot be reached"
    DATA_READ_ONLY = "the competition's data cannot be changed"
    HOST_FILES_UNCHANGED = "nothing outside the run's folders can be written or changed"
    NO_NETWORK = "there is no network beyond what was granted"
    NO_SIGNALS = "processes of the host cannot be signalled, traced or inspected"
    NO_SHARED_MEMORY = "abstract sockets, shared memory and message queues of the host cannot be used"
    NOTHING_SURVIVES = "no process survives the end of the run"
    NO_PRIVILEGES = "no privilege can be gained"
    NO_GPU = "there is no GPU unless one was granted"
    PACKAGE_HIDDEN = "the package mlebench cannot be imported"
    TIME_LIMITED = "the time limit is enforced"
    MEMORY_LIMITED = "the memory limit is enforced"
    PROCESSES_LIMITED = "the number of processes is limited"
    DISK_LIMITED = "the disk limit is enforced"
    OUTPUT_LIMITED = "the size of the output is limited"


@dataclass(frozen=True)
class Availability:
    """Whether a sandbox works on this machine; if not, why, and the command that installs what is missing."""

    works: bool
    why: str = ""
    install: str | None = None


@dataclass(frozen=True)
class Network:
    """What a command may reach: nothing, everything, or a list of `host:port` through a proxy that logs."""

    full: bool = False
    allowed: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "full" if self.full else ", ".join(self.allowed) or "none"


@dataclass(frozen=True)
class Limits:
    """Budgets of a run; None stands for no limit."""

    seconds: float | None = 24 * 3600.0
    memory_bytes: int | None = 440 << 30
    cpus: float | None = None
    gpus: int = 0
    disk_bytes: int | None = None
    output_bytes: int | None = 1 << 30
    processes: int | None = 4096


@dataclass(frozen=True)
class Job:
    """One command to run.

    `home` is a folder of the host that becomes /home where the sandbox can do that: the command may write below it and
    nowhere else. `data` is mounted read-only as data/ below it. `sockets` are Unix sockets of the host that the command
    may connect to, by the path they have inside. Everything the command prints goes to `log`, which it cannot write to
    otherwise. `hidden` are folders whose content must not be readable, such as private data.
    """

    command: Sequence[str]
    home: Path
    data: Path
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    network: Network = field(default_factory=Network)
    hidden: Sequence[Path] = ()
    sockets: Mapping[str, Path] = field(default_factory=dict)
    privileged: bool = False
    image: str | None = None


@dataclass(frozen=True)
class Usage:
    """What a command has used so far, measured from outside; None where it could not be measured.

    `measured_by` says how: `cgroup v2`, `docker` or `sampling` of the process tree.
    """

    seconds: float
    cpu_seconds: float | None = None
    memory_bytes: int | None = None
    peak_memory_bytes: int | None = None
    disk_bytes: int | None = None
    output_bytes: int | None = None
    gpu_memory_bytes: int | None = None
    gpu_seconds: float | None = None
    measured_by: str = "sampling"


class Running(Protocol):
    """A command that is under way."""

    @property
    def identity(self) -> Mapping[str, str]:
        """What finds it again after this process was killed: pid and start time, container, cgroup."""
        ...

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        ...

    def usage(self) -> Usage:
        """What it has used so far."""
        ...

    def stop(self, grace: float) -> None:
        """End the whole tree: SIGTERM, then SIGKILL after so many seconds; returns when nothing is left."""
        ...

    def close(self) -> None:
        """Remove what the sandbox made for it (a cgroup, a container, sockets); called once, whatever happened."""
        ...


class Sandbox(Protocol):
    """A way to run a command with limits, isolated from the rest of the machine."""

    name: str

    def availability(self) -> Availability:
        """Whether it works here."""
        ...

    def promises(self, job: Job) -> frozenset[Promise]:
        """What holds for this job on this machine; everything else is named as not promised."""
        ...

    def home_inside(self, job: Job) -> str:
        """The path of `job.home` as the command sees it: `/home`, or the true path where that cannot be made."""
        ...

    def start(self, job: Job) -> Running:
        """Start the command; raises a SandboxError that says what to do if it cannot be started."""
        ...

    def end_orphan(self, identity: Mapping[str, str]) -> bool:
        """End what a killed orchestrator left running; whether there was something."""
        ...
