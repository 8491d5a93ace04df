"""Sandboxes: run a command with limits so that it sees and reaches only what it should."""

from mlebench.sandbox.interface import (
    Attempt,
    Availability,
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
from mlebench.sandbox.process import Outcome, ProcessSandbox, run_confined
from mlebench.sandbox.supervise import Ending, supervise

__all__ = [
    "Attempt",
    "Availability",
    "Ending",
    "Job",
    "Limits",
    "Network",
    "Outcome",
    "ProcessSandbox",
    "Promise",
    "Running",
    "Sandbox",
    "SandboxError",
    "Usage",
    "parse_network",
    "run_confined",
    "supervise",
]
