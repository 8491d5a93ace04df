"""A budget for measuring what somebody else may make as hard to measure as they like."""

from __future__ import annotations

import time


class OverBudgetError(Exception):
    """A measurement has taken longer, or has seen more, than it may."""


class Budget:
    """Seconds and entries that one measurement may take; what it has seen by then is all that is known."""

    def __init__(self, seconds: float, entries: int | None = None) -> None:
        self._end = time.monotonic() + seconds
        self._left = entries

    def spend(self) -> None:
        """Note one more entry; raises an OverBudgetError when there were too many, or the time is over."""
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise OverBudgetError
        if time.monotonic() > self._end:
            raise OverBudgetError
