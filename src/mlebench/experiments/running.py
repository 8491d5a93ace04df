"""Running an experiment: all arms at the same time, each as any run group, in turns (`mlebench.experiments.turns`).

What a run group does after a kill, it does here: running the experiment again goes on with all of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from mlebench.errors import MlebenchError
from mlebench.experiments.definition import ExperimentError
from mlebench.experiments.planning import PlannedArm
from mlebench.experiments.turns import SharedExecutor, Turns
from mlebench.results.events import RunState
from mlebench.runs.executors import require_executor
from mlebench.runs.running import Interrupts, counted_interrupts, run_group

OnArmState: TypeAlias = Callable[[str, RunState], None]
_HEED_EVERY = 0.2  # seconds after which the main thread may hear of an interrupt


def run_arms(
    arms: Sequence[PlannedArm],
    *,
    workers: int,
    interrupts: Interrupts | None = None,
    on_state: OnArmState = lambda *_: None,
    on_orphans: Callable[[str, int], None] = lambda *_: None,
    on_drain: Callable[[int], None] = lambda _: None,
) -> bool:
    """Run all runs of all arms that have not ended, at most `workers` at a time; whether all are complete now.

    An arm that cannot go on does not stop the others; when they have ended, the error names it. Of the functions,
    `on_state` is given the arm and the state of every run that begins or ends, `on_orphans` an arm and how many of its
    runs were ended that an earlier process left, and `on_drain`, after the first interrupt, how many may still finish.
    """
    with counted_interrupts(interrupts) as counted:
        turns = Turns(workers, {arm.name: _standing(arm) for arm in arms})
        listeners = _Listeners(turns, on_state, on_orphans, on_drain)
        # Made one after the other: what an executor connects to, others may share.
        loops = [_ArmLoop(arm, turns, workers, counted, listeners) for arm in arms if _standing(arm)[1]]
        for loop in loops:
            loop.thread.start()
        for loop in loops:
            while loop.thread.is_alive():
                loop.thread.join(_HEED_EVERY)
    if faults := [(loop.arm.name, loop.fault) for loop in loops if loop.fault is not None]:
        raise _error(faults)
    return all(not _standing(arm)[1] for arm in arms)


def _standing(arm: PlannedArm) -> tuple[int, int]:
    """How many runs of an arm are complete, and how many are not."""
    complete = sum(record.is_complete for record in arm.group.run_records())
    return complete, len(arm.group.record.plan) - complete


def _error(faults: Sequence[tuple[str, BaseException]]) -> BaseException:
    """One error for the arms that could not go on."""
    name, fault = faults[0]
    if not isinstance(fault, MlebenchError):
        return fault
    others = [f"{arm}: {other}" for arm, other in faults[1:]]
    more = f" So could not: {'; '.join(others)}" if others else ""
    return ExperimentError(f"The arm {name} could not go on: {fault.sentence}{more}", hint=fault.hint)


class _Listeners:
    """The functions of the caller, which one thread calls at a time."""

    def __init__(
        self,
        turns: Turns,
        on_state: OnArmState,
        on_orphans: Callable[[str, int], None],
        on_drain: Callable[[int], None],
    ) -> None:
        self._turns, self._on_state, self._on_orphans, self._on_drain = turns, on_state, on_orphans, on_drain
        self._lock = threading.Lock()
        self._drains = False

    def state(self, arm: str, state: RunState) -> None:
        """A run of an arm has begun or ended."""
        with self._lock:
            self._on_state(arm, state)

    def orphans(self, arm: str, count: int) -> None:
        """Runs of an arm were ended that an earlier process left."""
        with self._lock:
            self._on_orphans(arm, count)

    def drain(self, _: int) -> None:
        """Call it once, although every arm drains."""
        with self._lock:
            if not self._drains:
                self._drains = True
                self._on_drain(self._turns.under_way)


class _ArmLoop:
    """One arm, run in a thread of its own."""

    def __init__(
        self, arm: PlannedArm, turns: Turns, workers: int, interrupts: Interrupts, listeners: _Listeners
    ) -> None:
        self.arm, self._turns, self._workers = arm, turns, workers
        self._interrupts, self._listeners = interrupts, listeners
        self.fault: BaseException | None = None
        kind = require_executor(arm.group.settings.executor)
        self._executor = SharedExecutor(kind(arm.group, workers), turns, arm.name)
        self.thread = threading.Thread(target=self._run, name=f"arm {arm.name}")

    def _run(self) -> None:
        name = self.arm.name
        try:
            run_group(
                self.arm.group,
                workers=self._workers,
                executor=self._executor,
                interrupts=self._interrupts,
                on_state=lambda state: self._listeners.state(name, state),
                on_orphans=lambda count: self._listeners.orphans(name, count),
                on_drain=self._listeners.drain,
            )
        except BaseException as error:
            self.fault = error
            with suppress(Exception):  # where the group is held by another process, nobody has closed it
                self._executor.close()
        finally:
            self._turns.leave(name)
