"""The sandbox `process`: an ordinary process that has given up what the kernel lets any process give up."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlebench.sandbox import cgroup, gpu, landlock, seccomp
from mlebench.sandbox.interface import Availability, Capabilities, Job, Promise, Running, SandboxError, WithoutImages
from mlebench.sandbox.kernel_limits import limits_processes, limits_unheld_memory
from mlebench.sandbox.leftovers import end_orphan
from mlebench.sandbox.network import proxied
from mlebench.sandbox.programs import (
    DEVICES,
    PACKAGE,
    RESOLVERS,
    SETTINGS,
    Visibility,
    environment,
    private_settings,
    program_folders,
)
from mlebench.sandbox.start import CommandSetup, claim_gpus, close_all, scratch_folder, start_command

# By the version of Landlock that is needed; what the warden and the supervision do needs none.
_PROMISED = {
    0: {Promise.TIME_LIMITED, Promise.MEMORY_LIMITED, Promise.DISK_LIMITED, Promise.OUTPUT_LIMITED},
    landlock.FILES: {
        Promise.ANSWERS_HIDDEN,
        Promise.HOST_FILES_HIDDEN,
        Promise.OTHER_RUNS_HIDDEN,
        Promise.DATA_READ_ONLY,
        Promise.HOST_FILES_UNCHANGED,
        Promise.NO_PRIVILEGES,
        Promise.NO_GPU,
        Promise.PACKAGE_HIDDEN,
    },
    landlock.TCP: {Promise.NO_TCP, Promise.NO_NETWORK},
    # Only a command that cannot signal the warden cannot end it.
    landlock.SCOPES: {
        Promise.NO_SIGNALS,
        Promise.NO_ABSTRACT_SOCKETS,
        Promise.NOTHING_SURVIVES,
        Promise.PROCESSES_LIMITED,
    },
}
# What takes a filter for system calls as well.
_FILTERED = {
    Promise.NO_TCP,
    Promise.NO_NETWORK,
    Promise.NO_PRIORITIES,
    Promise.NOTHING_SURVIVES,
    Promise.PROCESSES_LIMITED,
}
# What programs ask about processors and devices; nothing of it is for root alone, as much else below /sys is.
_SYSTEM_FACTS = tuple(f"/sys/{name}" for name in "block bus class dev devices fs/cgroup kernel/mm module".split())


@dataclass(frozen=True)
class ProcessSandbox(WithoutImages):
    """Runs a command as a process confined by Landlock, under a warden that ends all it has started.

    With `confines` off, and where the kernel has no Landlock, the command runs unconfined and less is promised.
    """

    confines: bool = True
    name: str = "process"

    @property
    def capabilities(self) -> Capabilities:
        """Reading material can be read at its true path."""
        return Capabilities(mounts_material=True)

    @property
    def _landlock(self) -> int:
        return landlock.version() if self.confines else 0

    @property
    def _filters(self) -> bool:
        return self._landlock > 0 and seccomp.can_ask()

    def availability(self) -> Availability:
        """It works everywhere; where there is no Landlock it confines nothing."""
        if self._landlock:
            return Availability(True, f"confined by Landlock, version {self._landlock}")
        return Availability(
            True, "unconfined: this system has no Landlock, so files and processes are not kept from it"
        )

    def promises(self, job: Job) -> frozenset[Promise]:
        """What holds for this job on this machine."""
        held = {promise for version, names in _PROMISED.items() if self._landlock >= version for promise in names}
        if cgroup.delegated() is not None:
            held.add(Promise.CPUS_LIMITED)
        if not limits_processes():
            held.discard(Promise.PROCESSES_LIMITED)
        if limits_unheld_memory():
            held.add(Promise.UNHELD_MEMORY_LIMITED)
        if self._filters and not job.limits.gpus:  # for which /proc is writable, and with it priorities
            held.add(Promise.NO_PRIORITIES)
        if not self._filters:
            held -= _FILTERED
        return frozenset(held)

    def home_inside(self, job: Job) -> str:
        """The true path: a process cannot have a /home of its own."""
        return str(job.home.resolve())

    def data_inside(self, job: Job) -> str:
        """The true path."""
        return str(job.data.resolve())

    def has_own_network(self, job: Job) -> bool:
        """No: localhost is that of the host."""
        return False

    def require(self, job: Job) -> None:
        """That the job asks for no privileges, and that there are enough GPUs for this user."""
        if job.privileged:
            raise SandboxError("The sandbox process runs nothing privileged.", hint="Use --sandbox docker.")
        if any(socket is not None for socket in job.servers.values()):
            raise SandboxError("The sandbox process shares the network of the host: its servers must listen on a port.")
        gpu.require(job.limits.gpus)
        if job.limits.gpus and self._landlock and os.getuid() == 0:
            # CUDA writes below /proc/self, and what root may write below /proc reaches the whole machine.
            raise SandboxError(
                "Run as root, the sandbox process gives no GPU.",
                hint="Use --sandbox bubblewrap or docker, or another user.",
            )

    def start(self, job: Job) -> Running:
        """Start the command."""
        self.require(job)
        home = job.home.resolve()
        setup = CommandSetup(job.command, {}, home, drops_capabilities=self.confines)
        try:
            self._prepare(job, home, setup)
        except BaseException:
            close_all(setup.cleanups)
            raise
        return start_command(job, setup, self.name)

    def _prepare(self, job: Job, home: Path, setup: CommandSetup) -> None:
        """Decide on variables and confinement, and make what they refer to."""
        temporary = scratch_folder(home, setup)
        claim_gpus(job.limits.gpus, setup)
        variables = {**gpu.variables(setup.gpus), **environment(job, str(home), str(temporary))}
        ports = [*job.servers]
        if not job.network.full:  # with an empty list, too: what was tried is noted
            proxy = proxied(job.network, setup)
            ports.append(proxy.port)
            variables |= proxy.variables(proxy.port)
        setup.environment = variables
        if self._landlock:
            setup.landlock = self._confinement(job, home, ports, setup.gpus)
        if self._filters:
            setup.call_filter = "others" if job.network.full else "network"

    def _confinement(self, job: Job, home: Path, ports: Sequence[int], gpus: Sequence[int]) -> Mapping[str, Any]:
        hidden = tuple(folder.resolve() for folder in job.hidden)
        shown = [*program_folders(), *(folder.resolve() for folder in job.readable), job.data.resolve()]
        shown += [] if job.material is None else [job.material.resolve()]
        read, listed = Visibility(tuple(shown), (PACKAGE, *hidden), unlisted=hidden).rules()
        private = tuple(path.resolve() for path in private_settings())
        settings = tuple(Path(name).resolve() for name in (*SETTINGS, *RESOLVERS))
        read += Visibility(settings, (*private, *hidden), unlisted=private).rules()[0]
        writable = [home, *map(Path, DEVICES), Path("/dev/shm")]
        if gpus:
            writable += [*gpu.devices(gpus), Path("/proc")]
        return {
            "readable": [*map(str, read), "/proc", *_SYSTEM_FACTS],
            "listable": list(map(str, listed)),
            "writable": list(map(str, writable)),
            "ports": None if job.network.full else sorted(set(ports)),
        }

    def end_orphan(self, identity: Mapping[str, str]) -> bool:
        """End what a killed orchestrator left running; whether there was something."""
        return end_orphan(identity)
