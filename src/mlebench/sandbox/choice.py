"""Which sandbox: the one that was asked for, or the strongest that works here."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from mlebench.base.registered import Registered
from mlebench.sandbox import cgroup
from mlebench.sandbox.bubblewrap import BubblewrapSandbox
from mlebench.sandbox.docker import ContainerConfig, DockerSandbox
from mlebench.sandbox.interface import Availability, Job, Limits, Network, Promise, Sandbox, SandboxError
from mlebench.sandbox.process import ProcessSandbox

AUTO = "auto"
# The strongest first, as `auto` tries them. Docker and bubblewrap promise the same, but Docker needs an image. Those of
# other packages come last: `process` works everywhere, so `auto` never chooses one of them.
SANDBOXES: Registered[Sandbox] = Registered(
    "mlebench.sandboxes", (BubblewrapSandbox(), DockerSandbox(), ProcessSandbox())
)


@dataclass(frozen=True)
class Choice:
    """A sandbox, and why it is not a stronger one: a sentence for each that does not work here."""

    sandbox: Sandbox
    why_not: tuple[str, ...] = ()


def choose_sandbox(name: str = AUTO) -> Choice:
    """The sandbox of this name if it works here; the strongest that does for `auto`."""
    if name != AUTO:
        if name not in SANDBOXES:
            near = get_close_matches(name, [*SANDBOXES, AUTO], n=1)
            hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(SANDBOXES)} and {AUTO}."
            raise SandboxError(f"There is no sandbox {name}.", hint=hint)
        found = SANDBOXES[name].availability()
        if not found.works:
            install = f"Install it with: {found.install}" if found.install else "See mlebench doctor."
            raise SandboxError(f"The sandbox {name} does not work here: {found.why}.", hint=install)
        return Choice(SANDBOXES[name])
    why_not: list[str] = []
    for sandbox in SANDBOXES.values():
        found = sandbox.availability()
        if found.works:
            return Choice(sandbox, tuple(why_not))
        why_not.append(f"{sandbox.name} does not work here: {found.why}.")
    raise SandboxError("No sandbox works here.", hint=" ".join(why_not))


def configured(
    name: str, container: ContainerConfig, *, retains: bool = False, allows_privileged: bool = False
) -> Sandbox:
    """The sandbox of this name, with the settings that only containers have."""
    return SANDBOXES[name].configured(container, retains=retains, allows_privileged=allows_privileged)


@dataclass(frozen=True)
class Examination:
    """What `mlebench doctor` knows about one sandbox."""

    name: str
    availability: Availability
    promised: frozenset[Promise]
    not_promised: frozenset[Promise]


def examine(sandbox: Sandbox) -> Examination:
    """Whether a sandbox works here, and what it promises for an ordinary run without network."""
    found = sandbox.availability()
    somewhere = Path(tempfile.gettempdir())
    job = Job(["true"], somewhere, somewhere, somewhere / "log", limits=Limits(), network=Network())
    promised = sandbox.promises(job) if found.works else frozenset()
    return Examination(sandbox.name, found, promised, frozenset(Promise) - promised)


def measured_by() -> str:
    """How the use of a run is measured here; a container is measured by Docker."""
    return cgroup.measured_by() or "sampling"
