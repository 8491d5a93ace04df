"""Sandboxes: run a command with limits so that it sees and reaches only what it should."""

from mlebench.sandbox.bubblewrap import BubblewrapSandbox
from mlebench.sandbox.choice import (
    AUTO,
    SANDBOXES,
    Choice,
    Examination,
    choose_sandbox,
    configured,
    examine,
    measured_by,
)
from mlebench.sandbox.docker import ContainerConfig, DockerSandbox, read_container_config
from mlebench.sandbox.interface import (
    Attempt,
    Availability,
    Capabilities,
    Job,
    Limits,
    Network,
    Promise,
    Running,
    Sandbox,
    SandboxError,
    Usage,
)
from mlebench.sandbox.network import parse_network
from mlebench.sandbox.process import ProcessSandbox
from mlebench.sandbox.supervise import Ending, supervise

__all__ = [
    "AUTO",
    "SANDBOXES",
    "Attempt",
    "Availability",
    "BubblewrapSandbox",
    "Capabilities",
    "Choice",
    "ContainerConfig",
    "DockerSandbox",
    "Ending",
    "Examination",
    "Job",
    "Limits",
    "Network",
    "ProcessSandbox",
    "Promise",
    "Running",
    "Sandbox",
    "SandboxError",
    "Usage",
    "choose_sandbox",
    "configured",
    "examine",
    "measured_by",
    "parse_network",
    "read_container_config",
    "supervise",
]
