"""Whose turn it is: arms share the places for runs, and none is ever ahead of the others by more than a run.

Every arm is run as any group is, by `mlebench.runs.running.run_group`, and each by its own executor; all of them at the
same time. What is added here is one count of the runs under way, and the order in which arms may begin theirs: the one
that has begun the fewest is next, and in every round another one is first. So runs of the same competition and seed
take place one after the other in all arms, and no arm gets all the quiet hours.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.executors import Executor

_NEXT_CHECKS_EVERY = 0.05  # seconds after which the arm that is next checks for a place


@dataclass
class _Count:
    """The runs of one arm: begun at any time, not begun yet, under way, and about to begin."""

    begun: int
    waiting: int
    busy: int = 0
    held: int = 0


class Turns:
    """The places that all arms share; `standing` has (runs that were begun, runs that were not) of each arm.

    `places` is None where nobody takes turns, since whatever executes the runs holds them back itself.
    """

    def __init__(self, places: int | None, standing: Mapping[str, tuple[int, int]]) -> None:
        self._places = places
        self._arms = {arm: _Count(begun, waiting) for arm, (begun, waiting) in standing.items()}
        self._order = {arm: place for place, arm in enumerate(standing)}
        self._lock = threading.Lock()

    @property
    def under_way(self) -> int:
        """How many runs of all arms are under way."""
        with self._lock:
            return sum(count.busy for count in self._arms.values())

    def room(self, arm: str) -> int:
        """How many runs an arm has and may have now: those under way, and one more if it is its turn.

        A place is held for it until it begins the run, or waits.
        """
        if self._places is None:
            return sys.maxsize
        with self._lock:
            own = self._arms[arm]
            own.held = 0
            taken = sum(count.busy + count.held for count in self._arms.values())
            if taken < self._places and self._is_first(arm):
                own.held = 1
            return own.busy + own.held

    def is_next(self, arm: str) -> bool:
        """Whether an arm has something to begin, and begins it as soon as there is a place."""
        with self._lock:
            return self._places is not None and self._arms[arm].waiting > 0 and self._is_first(arm)

    def _is_first(self, arm: str) -> bool:
        """Whether no other arm that has something to begin is before this one."""
        others = (other for other, count in self._arms.items() if count.waiting and other != arm)
        return not any(self._turn(other) < self._turn(arm) for other in others)

    def _turn(self, arm: str) -> tuple[int, int]:
        """When an arm is next, compared with others: by the runs begun, then by an order that changes every round."""
        begun = self._arms[arm].begun
        return begun, (self._order[arm] - begun) % len(self._arms)

    def begin(self, arm: str, runs: int) -> None:
        """Note that runs of an arm have begun."""
        with self._lock:
            own = self._arms[arm]
            own.held = 0
            own.busy += runs
            own.begun += runs
            own.waiting = max(0, own.waiting - runs)

    def take_back(self, arm: str, runs: int) -> None:
        """Note that runs were withdrawn before they began."""
        with self._lock:
            own = self._arms[arm]
            own.busy -= runs
            own.begun -= runs
            own.waiting += runs

    def adopt(self, arm: str, *, is_over: bool) -> None:
        """Note that a run goes on that an earlier process began; it may be over already."""
        with self._lock:
            own = self._arms[arm]
            own.busy += 1
            if not is_over:
                own.begun += 1
                own.waiting = max(0, own.waiting - 1)

    def let_go(self, arm: str) -> None:
        """Note that an arm begins nothing now."""
        with self._lock:
            self._arms[arm].held = 0

    def end(self, arm: str) -> None:
        """Note that a run of an arm is over."""
        with self._lock:
            self._arms[arm].busy -= 1

    def leave(self, arm: str) -> None:
        """Note that an arm begins nothing any more, whatever it has left."""
        with self._lock:
            self._arms[arm] = _Count(self._arms[arm].begun, 0)


class SharedExecutor:
    """The executor of one arm, which begins a run when it is the arm's turn."""

    def __init__(self, executor: Executor, turns: Turns, arm: str) -> None:
        self._executor, self._turns, self._arm = executor, turns, arm

    @property
    def capacity(self) -> int:
        """As many runs as the arm may have now, and never more than its executor takes."""
        return min(self._executor.capacity, self._turns.room(self._arm))

    def submit(self, runs: Sequence[PlannedRun]) -> None:
        """Begin runs."""
        self._turns.begin(self._arm, len(runs))
        self._executor.submit(runs)

    def wait(self, seconds: float) -> Sequence[PlannedRun]:
        """Wait until a run has ended, at most for `seconds`; meanwhile others may begin theirs."""
        self._turns.let_go(self._arm)
        return self._executor.wait(min(seconds, _NEXT_CHECKS_EVERY) if self._turns.is_next(self._arm) else seconds)

    def withdraw(self) -> Sequence[PlannedRun]:
        """Take back what has not begun."""
        withdrawn = self._executor.withdraw()
        self._turns.take_back(self._arm, len(withdrawn))
        return withdrawn

    def cancel(self, runs: Sequence[PlannedRun]) -> None:
        """Ask runs to stop."""
        self._executor.cancel(runs)

    def collect(self, planned: PlannedRun) -> RunRecord:
        """The record of a run that has ended."""
        self._turns.end(self._arm)
        return self._executor.collect(planned)

    def adopt(self, planned: PlannedRun, record: RunRecord) -> bool:
        """Go on with a run that an earlier process submitted; whether it does so."""
        is_adopted = self._executor.adopt(planned, record)
        if is_adopted:
            self._turns.adopt(self._arm, is_over=record.is_complete)
        return is_adopted

    def end_orphan(self, planned: PlannedRun, record: RunRecord) -> None:
        """End what still goes on of a run that an earlier process began."""
        self._executor.end_orphan(planned, record)

    def close(self) -> None:
        """Let go of everything."""
        self._executor.close()
