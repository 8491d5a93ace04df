"""What bubblewrap and docker have in common: a tree with /home, and a network of their own that sockets lead out of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlebench.sandbox.interface import Job, Promise, SandboxError
from mlebench.sandbox.network import proxied
from mlebench.sandbox.start import CommandSetup

HOME = "/home"
INSIDE = "/run/mlebench"  # where sockets and the forwarder are, for the command to see
USER = 1000
# What must be beside the sockets inside: the forwarder, and what it loads.
INSIDE_FILES = tuple(Path(__file__).with_name(name) for name in ("forward.py", "seccomp.py"))
_PROXY_PORT = 3128
# All but CPUS_LIMITED, which takes a control group.
PROMISED = frozenset(Promise) - {Promise.CPUS_LIMITED}


class Isolated:
    """The members that a sandbox with such a tree and network shares with others of its kind."""

    def home_inside(self, job: Job) -> str:
        """/home."""
        return HOME

    def data_inside(self, job: Job) -> str:
        """/home/data."""
        return f"{HOME}/data"

    def has_own_network(self, job: Job) -> bool:
        """Whether there is a network of its own: unless the command was granted that of the host."""
        return not job.network.full

    def promises(self, job: Job) -> frozenset[Promise]:
        """What holds for this job, apart from what depends on the machine."""
        # Abstract sockets belong to a network.
        return PROMISED - {Promise.NO_ABSTRACT_SOCKETS} if job.network.full else PROMISED


@dataclass(frozen=True)
class ForwardedPorts:
    """The sockets that ports inside the sandbox lead to, and the variables that tell programs about them."""

    sockets: Mapping[int, Path]
    variables: Mapping[str, str]

    def with_forwarder(self, command: Sequence[str], *options: str) -> list[str]:
        """A command with the forwarder before it, which gets the ports and the paths of their sockets inside."""
        ports = [f"{port}={INSIDE}/{port}.sock" for port in self.sockets]
        return ["python3", "-I", "-S", f"{INSIDE}/forward.py", *options, *ports, "--", *command]


def forward_ports(job: Job, setup: CommandSetup, made: Path) -> ForwardedPorts:
    """The ports inside a network of its own: the servers of a job, and the proxy that notes what is asked of it.

    The proxy is there with an empty list, too: it then refuses everything, and what was tried is known.
    """
    sockets = {port: path for port, path in job.servers.items() if path is not None}
    if job.network.full:
        if sockets:
            raise SandboxError("With the network of the host, servers must listen on a port of it.")
        return ForwardedPorts({}, {})
    path = made / "proxy.sock"
    proxy = proxied(job.network, setup, path)
    return ForwardedPorts({**sockets, _PROXY_PORT: path}, proxy.variables(_PROXY_PORT))
