"""What an executor is: it executes runs somewhere, tells which have ended, and ends them on demand.

A new executor is one class with the members of `Executor` and a `name`: a line in `mlebench.runs.executors.EXECUTORS`,
or an entry point in the group `mlebench.executors` of another package. `ExecutorDefaults` has what few need to decide
otherwise. Wherever it executes a run, it has `python -m mlebench.runs.execute GROUP RUN_ID` do so, or calls
`mlebench.runs.execute.execute_run`; either needs nothing but the folder of the group, and leaves everything that is
known in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

from mlebench.results.records import PlannedRun, RunRecord

if TYPE_CHECKING:
    from mlebench.runs.group import PlannedGroup
    from mlebench.runs.settings import RunSettings


class Executor(Protocol):
    """Executes the runs of one group."""

    @property
    def capacity(self) -> int:
        """How many runs it takes at a time; a queue takes all of them, and holds them back itself."""
        ...

    def submit(self, runs: Sequence[PlannedRun]) -> None:
        """Begin runs, all at once; never more than there is capacity for."""
        ...

    def wait(self, seconds: float) -> Sequence[PlannedRun]:
        """Wait until a run has ended, at most for `seconds`; all that have ended and were not collected yet."""
        ...

    def withdraw(self) -> Sequence[PlannedRun]:
        """Take back the runs that were submitted and have not begun; those are planned again."""
        ...

    def cancel(self, runs: Sequence[PlannedRun]) -> None:
        """Ask runs to stop; they end as `cancelled` soon. Each run is asked once."""
        ...

    def collect(self, planned: PlannedRun) -> RunRecord:
        """The record of a run that has ended, brought into its folder from wherever it is; called once for each.

        Where its process was ended and could not write how, the executor does so if it knows more than that.
        """
        ...

    def adopt(self, planned: PlannedRun, record: RunRecord) -> bool:
        """Go on with a run that an earlier process submitted and that outlives it; whether it does so.

        Asked for every run whose result the group's record does not have: it may be planned, running or ended. The
        record says what is known of it (`executor`, `node`, `job_id`). One that is adopted is among those that `wait`
        and `cancel` know; one that is not, and is running, is given to `end_orphan`.
        """
        ...

    def end_orphan(self, planned: PlannedRun, record: RunRecord) -> None:
        """End what still goes on of a run that an earlier process began; an error if that cannot be known from here."""
        ...

    def close(self) -> None:
        """Wait for what was cancelled and let go of everything; what outlives this process goes on."""
        ...


class ExecutorKind(Protocol):
    """The class of an executor."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether runs take place on other machines: a sandbox is chosen, and its GPUs are counted, there."""
        ...

    @property
    def outlives(self) -> bool:
        """Whether runs go on without the process that submitted them, so that it may leave them (`--detach`)."""
        ...

    def __call__(self, group: PlannedGroup, workers: int) -> Executor:
        """An executor for a group, with room for `workers` runs at a time; an error says why there is none here."""
        ...

    def check(self, settings: RunSettings, competition_ids: Sequence[str]) -> None:
        """Refuse settings that no run could be executed with; asked before a group is planned."""
        ...

    def reasons(self, group: PlannedGroup) -> Mapping[str, str]:
        """What the runs of a group that are queued wait for, by their ids, where that can be asked from here."""
        ...

    def workers_before(self, group: PlannedGroup) -> int:
        """How many runs at a time a group has that is resumed, where nothing else is asked for."""
        ...


class ExecutorDefaults:
    """An executor on this machine whose runs end with the process that submitted them."""

    is_remote: ClassVar[bool] = False
    outlives: ClassVar[bool] = False

    def __init__(self, group: PlannedGroup, workers: int) -> None:
        self.group = group
        self.capacity = workers

    @classmethod
    def check(cls, settings: RunSettings, competition_ids: Sequence[str]) -> None:
        """Take any settings but options of other executors."""
        if settings.executor_options:
            from mlebench.errors import MlebenchError

            names = ", ".join(settings.executor_options)
            raise MlebenchError(f"The executor {settings.executor} has no options, and {names} was given.")

    @classmethod
    def reasons(cls, group: PlannedGroup) -> Mapping[str, str]:
        """Nothing: there is no queue."""
        return {}

    @classmethod
    def workers_before(cls, group: PlannedGroup) -> int:
        """One: nothing of the group goes on."""
        return 1

    def withdraw(self) -> Sequence[PlannedRun]:
        """Nothing: what is submitted has begun."""
        return ()

    def adopt(self, planned: PlannedRun, record: RunRecord) -> bool:
        """No: a run ends with the process that submitted it."""
        return False
