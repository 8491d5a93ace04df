"""Watch a command until it ends or exceeds a budget, and end it then."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mlebench.sandbox.interface import Limits, Running, Usage

Reason: TypeAlias = Literal["exit", "timeout", "memory", "disk", "output", "processes", "cancelled"]
GRACE = 30.0
INTERVAL = 0.25
_PATIENCE = 150.0  # seconds for the last measurement, which has a budget of its own
_LITTLE_PATIENCE = 5.0  # the same for somebody who wants to stop


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
    closes `running`. Measuring has a thread of its own: however long it takes, the time limit and `should_stop` still
    apply.
    """
    sampler = _Sampler(running, interval)
    began = time.monotonic()
    pause = min(0.01, interval)  # short commands are over soon; long ones are looked at less often
    try:
        while True:
            code = running.poll()
            if code is not None:
                usage = sampler.last(should_stop)
                on_sample(usage)
                return Ending(code, exceeded(usage, limits, ended=True) or "exit", usage)
            reason: Reason | None = "cancelled" if should_stop() else None
            if (sample := sampler.newest()) is not None:
                began = min(began, sample.time - sample.usage.seconds)
                on_sample(sample.usage)
                reason = reason or exceeded(sample.usage, limits)
            if reason is None and _above(time.monotonic() - began, limits.seconds):
                reason = "timeout"
            if reason is not None:
                running.stop(grace)
                return Ending(running.poll(), reason, sampler.last(should_stop))
            _pause(running, pause, time.monotonic() - began, limits)
            pause = min(0.1, interval, pause * 1.5)
    finally:
        sampler.end()


@dataclass(frozen=True)
class _Sample:
    """A measurement, and when it ended: a command that began `usage.seconds` before that began no later."""

    usage: Usage
    time: float


class _Sampler:
    """Measures a command again and again, in a thread of its own."""

    def __init__(self, running: Running, interval: float) -> None:
        self._running, self._interval = running, interval
        self._sample: _Sample | None = None  # the newest that nobody has seen
        self._known: Usage | None = None
        self._problem: BaseException | None = None
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._measure_until_over, daemon=True, name="measuring")
        self._began = time.monotonic()
        self._thread.start()

    def _measure_until_over(self) -> None:
        pause = min(0.01, self._interval)
        try:
            while not self._is_over.is_set():
                began = time.monotonic()
                usage = self._running.usage()
                self._note(usage, time.monotonic())
                self._is_over.wait(max(pause, 2 * (time.monotonic() - began)))
                pause = min(self._interval, pause * 1.5)
        except Exception as error:
            self._problem = error

    def _note(self, usage: Usage, ended: float) -> None:
        self._known = usage
        self._sample = _Sample(usage, ended)

    def newest(self) -> _Sample | None:
        """The newest measurement, once."""
        if self._problem is not None:
            raise self._problem
        found, self._sample = self._sample, None
        return found

    def last(self, should_stop: Callable[[], bool]) -> Usage:
        """A measurement that begins now; the last that is known where it takes too long."""
        self.end()
        results: list[Usage] = []

        def measure() -> None:
            self._thread.join()
            results.append(self._running.usage())

        thread = threading.Thread(target=measure, daemon=True, name="last measurement")
        thread.start()
        began = time.monotonic()
        while thread.is_alive():
            thread.join(0.05)
            patience = _LITTLE_PATIENCE if should_stop() else _PATIENCE
            if time.monotonic() - began > patience:
                break
        if self._problem is not None:
            raise self._problem
        return results[0] if results else self._known or Usage(time.monotonic() - self._began)

    def end(self) -> None:
        """Measure no more."""
        self._is_over.set()


def _pause(running: Running, seconds: float, elapsed: float, limits: Limits) -> None:
    """Wait until the next sample is due, the end of the command or the time limit, whichever comes first."""
    if limits.seconds is not None:
        seconds = min(seconds, max(0.0, limits.seconds - elapsed) + 0.001)
    running.wait(seconds)


def exceeded(usage: Usage, limits: Limits, *, ended: bool = False) -> Reason | None:
    """The budget that was exceeded, if one was; a command that has ended by itself has kept its time."""
    if usage.out_of_memory or _above(usage.peak_memory_bytes, limits.memory_bytes):
        return "memory"
    if _above(usage.disk_bytes, limits.disk_bytes):
        return "disk"
    if _above(usage.output_bytes, limits.output_bytes):
        return "output"
    if _above(usage.processes, limits.processes):
        return "processes"
    if usage.out_of_time or (not ended and _above(usage.seconds, limits.seconds)):
        return "timeout"
    if "memory" in usage.unfinished and limits.memory_bytes is not None:
        return "memory"
    if "disk" in usage.unfinished and limits.disk_bytes is not None:
        return "disk"
    return None


def _above(used: float | None, limit: float | None) -> bool:
    return used is not None and limit is not None and used > limit
