"""Running an experiment: all arms at the same time, each as any run group, in turns (`mlebench.experiments.turns`).

What a run group does after a kill, it does here: running the experiment again goes on with all of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from mlebench.base.wording import counted as number_of
from mlebench.errors import MlebenchError
from mlebench.experiments.definition import Experiment, ExperimentError
from mlebench.experiments.planning import PlannedArm
from mlebench.experiments.record import load_record
from mlebench.experiments.turns import SharedExecutor, Turns
from mlebench.results.events import RunState
from mlebench.runs.executors import require_executor
from mlebench.runs.executors.sharing import shares
from mlebench.runs.resume import is_noted
from mlebench.runs.running import Interrupts, counted_interrupts, require_detachable, run_group, workers_before

OnArmState: TypeAlias = Callable[[str, RunState], None]
_HEED_EVERY = 0.2  # seconds after which the main thread may hear of an interrupt


def run_arms(
    arms: Sequence[PlannedArm],
    *,
    workers: int | None = None,
    in_queue: bool = False,
    detach: bool = False,
    interrupts: Interrupts | None = None,
    on_state: OnArmState = lambda *_: None,
    on_orphans: Callable[[str, int], None] = lambda *_: None,
    on_drain: Callable[[int], None] = lambda _: None,
) -> bool:
    """Run all runs of all arms that have not ended, at most `workers` at a time; whether all are complete now.

    With `in_queue` the runs of every arm are submitted at once, to a queue that holds them back: no arm waits for its
    turn, and each has its share of the workers, or as many as before where none are given. With `detach` they are, and
    nothing is waited for; running the arms again, with `in_queue`, does so later.

    An arm that cannot go on does not stop the others; when they have ended, the error names it. Of the functions,
    `on_state` is given the arm and the state of every run that begins or ends, `on_orphans` an arm and how many of its
    runs were ended that an earlier process left, and `on_drain`, after the first interrupt, how many may still finish.
    """
    in_queue = in_queue or detach
    standing = {arm.name: _standing(arm) for arm in arms}
    unfinished = [arm for arm in arms if standing[arm.name][1] or not _is_noted(arm)]
    if in_queue:
        workers_of = _shares(unfinished, workers)
    else:
        workers_of = dict.fromkeys(standing, workers or 1)
    with counted_interrupts(interrupts) as counted:
        turns = Turns(None if in_queue else workers or 1, standing)
        listeners = _Listeners(turns, on_state, on_orphans, on_drain)
        # Made one after the other: what an executor connects to, others may share.
        loops = [_ArmLoop(arm, turns, workers_of[arm.name], counted, listeners, detach=detach) for arm in unfinished]
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


def _is_noted(arm: PlannedArm) -> bool:
    """Whether the record of the group has all results: runs that were detached have ended without anybody noting it."""
    return all(is_noted(arm.group, planned, arm.group.run_record(planned)) for planned in arm.group.record.plan)


def require_detachable_arms(experiment: Experiment, runs_dir: Path, workers: int | None) -> None:
    """Refuse to leave the arms of an experiment to themselves where one cannot go on alone, or would have no worker."""
    for arm in experiment.arms:
        try:
            require_detachable(require_executor(str(arm.options.get("executor", "local"))))
        except MlebenchError as error:
            raise ExperimentError(
                f"The arm {arm.name} of {experiment.path} cannot be left to itself: {error.sentence}", hint=error.hint
            ) from error
    record = load_record(runs_dir, experiment.name)
    if workers is not None or record is None or not record.in_queue:
        _require_workers(workers or 1, len(experiment.arms))


def _require_workers(workers: int, arms: int) -> None:
    """Refuse fewer workers than arms where a queue holds the runs of every arm back for itself."""
    if workers < arms:
        raise ExperimentError(
            f"{number_of(arms, 'arm')} in a queue cannot share {number_of(workers, 'worker')}: each needs one.",
            hint=f"Give --workers {arms} or more.",
        )


def _shares(arms: Sequence[PlannedArm], workers: int | None) -> dict[str, int]:
    """How many runs of each arm may be under way at once, where a queue holds them back."""
    if workers is None:
        return {arm.name: workers_before(arm.group) for arm in arms}
    _require_workers(workers, len(arms))
    left = [max(1, _standing(arm)[1]) for arm in arms]
    return dict(zip([arm.name for arm in arms], shares(workers, left) if left else [], strict=True))


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
        self,
        arm: PlannedArm,
        turns: Turns,
        workers: int,
        interrupts: Interrupts,
        listeners: _Listeners,
        *,
        detach: bool,
    ) -> None:
        self.arm, self._turns, self._workers, self._detach = arm, turns, workers, detach
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
                detach=self._detach,
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
