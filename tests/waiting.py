"""Waiting for what others do, processes and threads: for a condition, never for a time."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 180.0  # seconds: a bound for what never happens, far beyond what a busy machine takes for what does


def wait_for(
    condition: Callable[[], object],
    seen: Callable[[], object] = lambda: "",
    *,
    seconds: float = PATIENCE,
    pause: float = 0.02,
) -> None:
    """Wait until a condition holds; where it never does, the failure tells what was seen instead."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"it did not happen within {seconds:.0f} s: {seen()}"
        time.sleep(pause)
