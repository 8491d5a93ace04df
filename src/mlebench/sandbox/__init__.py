"""Sandboxes: run a command with limits so that it sees and reaches only what it should."""

from mlebench.sandbox.bubblewrap import BubblewrapSandbox
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

# From the strongest to the weakest.
SANDBOXES: dict[str, Sandbox] = {each.name: each for each in (BubblewrapSandbox(), ProcessSandbox())}

__all__ = [
    "SANDBOXES",
    "Attempt",
    "Availability",
    "BubblewrapSandbox",
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
