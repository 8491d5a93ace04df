"""Watch a command until it ends or exceeds a budget, and end it then."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mlebench.sandbox.interface import Limits, Running, Usage

Reason: TypeAlias = Literal["exit", "timeout", "memory", "disk", "output", "processes", "cancelled"]
GRACE = 30.0
INTERVAL = 0.25


@dataclass(frozen=True)
class Ending:
    """How a command ended, and why; what it used."""

    exit_code: int | None
    reason: Reason
    usage: Usage


def supervise(
    running: Running,
    limits: Limits,
    *,
    on_sample: Callable[[Usage], object] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
    grace: float = GRACE,
    interval: float = INTERVAL,
) -> Ending:
    """Wait for the end of a command; it is ended when a limit is exceeded or `should_stop` says so.

    It is asked to end (SIGTERM) and has `grace` seconds for that. `on_sample` is given every measurement. The caller
    closes `running`.
    """
    pause = min(0.01, interval)  # short commands are over soon; long ones are looked at less often
    while True:
        code = running.poll()
        began = time.monotonic()
        usage = running.usage()
        on_sample(usage)
        if code is not None:
            return Ending(code, exceeded(usage, limits, ended=True) or "exit", usage)
        reason: Reason | None = "cancelled" if should_stop() else exceeded(usage, limits)
        if reason is not None:
            running.stop(grace)
            return Ending(running.poll(), reason, running.usage())
        taken = time.monotonic() - began
        _pause(running, max(pause, 2 * taken), usage.seconds, limits)
        pause = min(interval, pause * 1.5)


def _pause(running: Running, seconds: float, elapsed: float, limits: Limits) -> None:
    """Wait until the next look, the end of the command or the time limit, whichever comes first."""
    if limits.seconds is not None:
        seconds = min(seconds, max(0.0, limits.seconds - elapsed) + 0.001)
    running.wait(seconds)


def exceeded(usage: Usage, limits: Limits, *, ended: bool = False) -> Reason | None:
    """The budget that was exceeded, if one was; a command that has ended has kept its time."""
    if usage.out_of_memory or _above(usage.peak_memory_bytes, limits.memory_bytes):
        return "memory"
    if _above(usage.disk_bytes, limits.disk_bytes):
        return "disk"
    if _above(usage.output_bytes, limits.output_bytes):
        return "output"
    if _above(usage.processes, limits.processes):
        return "processes"
    if not ended and _above(usage.seconds, limits.seconds):
        return "timeout"
    return None


def _above(used: float | None, limit: float | None) -> bool:
    return used is not None and limit is not None and used > limit
