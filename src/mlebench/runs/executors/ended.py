"""Runs that have ended, as other threads tell of them."""

from __future__ import annotations

import queue
from contextlib import suppress

from mlebench.results.records import PlannedRun


class EndedRuns:
    """A list that threads add to and one thread waits for.

    A `SimpleQueue` would not do: until Python 3.13 its `get` waits for ever where a signal is handled so late, as on a
    busy machine, that the time to wait is over meanwhile, and Ctrl-C would be heeded when the next run ends.
    """

    def __init__(self) -> None:
        self._queue: queue.Queue[PlannedRun] = queue.Queue()

    def add(self, planned: PlannedRun) -> None:
        """Tell that a run has ended."""
        self._queue.put(planned)

    def wait(self, seconds: float) -> list[PlannedRun]:
        """Wait until a run has ended, at most for `seconds`; all that have ended since."""
        ended: list[PlannedRun] = []
        with suppress(queue.Empty):
            ended.append(self._queue.get(timeout=seconds))
            while True:
                ended.append(self._queue.get_nowait())
        return ended
