"""What a sandbox is: it runs one command with limits, keeps its promises, and says what it does not promise.

A new sandbox is one class with the members of `Sandbox`: a line in `mlebench.sandbox.SANDBOXES`, or an entry point in
the group `mlebench.sandboxes` of another package. Who starts the command (`mlebench.runs`) supervises it through
`Running` and ends it; a sandbox decides how that is done here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from mlebench.errors import MlebenchError

if TYPE_CHECKING:
    from mlebench.sandbox.docker import ContainerConfig

CONDA = ".conda"  # below the home: conda's command for agents that call it, where no image brings one


class SandboxError(MlebenchError):
    """A command cannot be run as asked: one sentence, and what to do next."""


class Promise(StrEnum):
    """What a sandbox may promise; each has an attempt in tests/sandbox that succeeds unconfined and fails confined."""

    ANSWERS_HIDDEN = "private data cannot be read"
    HOST_FILES_HIDDEN = "files of the host cannot be read, apart from programs and libraries"
    OTHER_RUNS_HIDDEN = "the files of other runs cannot be reached"
    DATA_READ_ONLY = "the competition's data cannot be changed"
    HOST_FILES_UNCHANGED = "no file outside the run's folders can be made, written or removed"
    MODES_UNCHANGED = "modes and times of files outside the run's folders cannot be changed"
    NO_TCP = "there are no TCP connections beyond what was granted"
    NO_NETWORK = "there is no network of any kind beyond what was granted"
    NO_SIGNALS = "processes of the host cannot be signalled or traced, nor their memory and environment read"
    NO_PRIORITIES = "priorities and limits of the host's processes cannot be changed"
    PROCESSES_HIDDEN = "processes of the host cannot be seen"
    NO_HOST_SOCKETS = "Unix sockets of the host's services (Docker, other runs) cannot be connected to"
    NO_ABSTRACT_SOCKETS = "abstract Unix sockets of the host cannot be connected to"
    NO_SHARED_MEMORY = "shared memory and message queues of the host cannot be used, and none is left behind"
    NOTHING_SURVIVES = "no process survives the end of the run"
    NO_PRIVILEGES = "no privilege can be gained"
    NO_GPU = "there is no GPU unless one was granted"
    PACKAGE_HIDDEN = "the package mlebench cannot be imported"
    TIME_LIMITED = "the time limit is enforced"
    MEMORY_LIMITED = "the memory limit is enforced"
    UNHELD_MEMORY_LIMITED = "memory that no process holds, such as files in the queue of a socket, counts, too"
    CPUS_LIMITED = "no more processors are used than granted"
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
class Capabilities:
    """What a kind of sandbox can do, whatever the machine; what a job is made of follows from it.

    With `uses_image` programs come from an image, not from this machine: an agent may bring one of its own, and needs
    no environment here. With `takes_container_settings` the settings of a container (`ContainerConfig`) apply. With
    `mounts_material` it shows the reading material of a job (`Job.material`).
    """

    uses_image: bool = False
    takes_container_settings: bool = False
    mounts_material: bool = False


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
    nowhere else. `data` is mounted read-only as data/ below it, and so is `material` as material/, where there is any;
    without a /home both are read at their true paths. Everything the command prints goes to `log`, which it cannot
    write to otherwise; each text of `secrets` is masked there. `hidden` are folders whose content must not be
    readable, such as private data; `readable` are folders of the host that may be read, at the same path, such as the
    environment of an agent. `servers` are servers of the host that the command may reach at localhost, by port: each is
    a Unix socket where the sandbox has a network of its own, and None where it has not and the server listens on that
    port of the host (see `Sandbox.has_own_network`).
    """

    command: Sequence[str]
    home: Path
    data: Path
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    secrets: Sequence[str] = ()
    limits: Limits = field(default_factory=Limits)
    network: Network = field(default_factory=Network)
    hidden: Sequence[Path] = ()
    readable: Sequence[Path] = ()
    servers: Mapping[int, Path | None] = field(default_factory=dict)
    privileged: bool = False
    image: str | None = None
    material: Path | None = None


@dataclass(frozen=True)
class Attempt:
    """One connection that a command tried to make, or a name that it asked for (port 53)."""

    time: str
    host: str
    port: int
    allowed: bool


@dataclass(frozen=True)
class Usage:
    """What a command has used so far, measured from outside; None where it could not be measured.

    `measured_by` says how: `cgroup v2` (perhaps `through systemd`), `docker` or `sampling` of the process tree.
    `out_of_memory` says that the kernel ended a process because the memory limit was reached, `out_of_time` that the
    sandbox itself ended the command because its time was over. `unfinished` names the budgets (`memory`, `disk`) whose
    use was made so hard to measure that measuring did not end: they count as exceeded.
    """

    seconds: float
    cpu_seconds: float | None = None
    memory_bytes: int | None = None
    peak_memory_bytes: int | None = None
    disk_bytes: int | None = None
    output_bytes: int | None = None
    processes: int | None = None
    gpu_memory_bytes: int | None = None
    gpu_seconds: float | None = None
    out_of_memory: bool = False
    out_of_time: bool = False
    unfinished: tuple[str, ...] = ()
    measured_by: str = "sampling"


class Running(Protocol):
    """A command that is under way."""

    @property
    def identity(self) -> Mapping[str, str]:
        """What finds it again after this process was killed: pid and start time, container, cgroup."""
        ...

    def poll(self) -> int | None:
        """The exit code (128 + n after signal n), or None while it runs."""
        ...

    def wait(self, seconds: float) -> int | None:
        """Wait for the end, at most this many seconds; the exit code, or None."""
        ...

    def usage(self) -> Usage:
        """What it has used so far."""
        ...

    def stop(self, grace: float) -> None:
        """End the whole tree: SIGTERM, then SIGKILL after `grace` seconds; returns when nothing is left."""
        ...

    def attempts(self) -> Sequence[Attempt]:
        """What it tried to reach, in order, as far as that was seen."""
        ...

    @property
    def attempts_seen_by(self) -> str:
        """By which means: `proxy`, `proxy and packets`, or `nothing` where the whole network was granted."""
        ...

    def close(self) -> None:
        """End what still runs and remove what the sandbox made for it (a cgroup, a container); called once."""
        ...


class Sandbox(Protocol):
    """A way to run a command with limits, isolated from the rest of the machine."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        ...

    def configured(self, container: ContainerConfig, *, retains: bool, allows_privileged: bool) -> Sandbox:
        """The same with the settings of containers, or itself where it takes none."""
        ...

    def image_with_digest(self, image: str | None) -> str | None:
        """The image that a job runs in, with the digest that says what is in it; None where there are no images."""
        ...

    def recorded_image(self, recorded: str | None) -> str | None:
        """What a job must name to run in the image of an earlier one, as `image_with_digest` recorded it."""
        ...

    def availability(self) -> Availability:
        """Whether it works here."""
        ...

    def promises(self, job: Job) -> frozenset[Promise]:
        """What holds for this job on this machine; everything else is named as not promised."""
        ...

    def home_inside(self, job: Job) -> str:
        """The path of `job.home` as the command sees it: `/home`, or the true path where that cannot be made."""
        ...

    def data_inside(self, job: Job) -> str:
        """The path of `job.data` as the command sees it: `/home/data`, or the true path."""
        ...

    def has_own_network(self, job: Job) -> bool:
        """Whether localhost inside is not localhost of the host, so that servers are reached through Unix sockets."""
        ...

    def require(self, job: Job) -> None:
        """Raise a SandboxError that says what to do if this job cannot be run here; asked before anything runs."""
        ...

    def start(self, job: Job) -> Running:
        """Start the command; raises a SandboxError that says what to do if it cannot be started."""
        ...

    def end_orphan(self, identity: Mapping[str, str]) -> bool:
        """End what a killed orchestrator left running; whether there was something."""
        ...


class WithoutImages:
    """The members of a sandbox that runs what is installed on this machine, and takes no settings of containers."""

    @property
    def capabilities(self) -> Capabilities:
        """Nothing beyond what every sandbox can do."""
        return Capabilities()

    def configured(self, container: ContainerConfig, *, retains: bool, allows_privileged: bool) -> Self:
        """Itself: there is no container."""
        return self

    def image_with_digest(self, image: str | None) -> str | None:
        """None: there are no images."""
        return None

    def recorded_image(self, recorded: str | None) -> str | None:
        """None: there are no images."""
        return None
