"""Sandboxes: run a command so that it sees only what it should."""

from mlebench.sandbox.process import Outcome, run_confined

__all__ = ["Outcome", "run_confined"]
