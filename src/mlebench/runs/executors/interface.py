"""What an executor is: it executes runs somewhere, tells which have ended, and ends them on demand.

A new executor is one class with the members of `Executor` and a `name`: a line in `mlebench.runs.executors.EXECUTORS`,
or an entry point in the group `mlebench.executors` of another package. Wherever it executes a run, it has
`python -m mlebench.runs.execute GROUP RUN_ID` do so, or calls `mlebench.runs.execute.execute_run`; either needs nothing
but the folder of the group, and leaves everything that is known in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from mlebench.results.records import PlannedRun, RunRecord

if TYPE_CHECKING:
    from mlebench.runs.group import PlannedGroup


class Executor(Protocol):
    """Executes the runs of one group."""

    def submit(self, runs: Sequence[PlannedRun]) -> None:
        """Begin runs, all at once; there is room for them."""
        ...

    def wait(self, seconds: float) -> Sequence[PlannedRun]:
        """Wait until a run has ended, at most so long; all that have ended and were not collected yet."""
        ...

    def cancel(self, runs: Sequence[PlannedRun]) -> None:
        """Ask runs to stop; they end as `cancelled` soon. Each run is asked once."""
        ...

    def collect(self, planned: PlannedRun) -> RunRecord:
        """The record of a run that has ended, brought into its folder from wherever it is; called once for each."""
        ...

    def adopt(self, planned: PlannedRun, record: RunRecord) -> bool:
        """Go on with a run that an earlier process submitted and that outlives it; whether it does so.

        The record says what is known of the run (`executor`, `node`, `job_id`). One that is adopted is among those that
        `wait` and `cancel` know; one that is not is given to `end_orphan`.
        """
        ...

    def end_orphan(self, planned: PlannedRun, record: RunRecord) -> None:
        """End what still goes on of a run that an earlier process began; an error if that cannot be known from here."""
        ...

    def close(self) -> None:
        """Wait for what was cancelled and let go of everything."""
        ...


class ExecutorKind(Protocol):
    """The class of an executor."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    def __call__(self, group: PlannedGroup, workers: int) -> Executor:
        """An executor for a group, with room for so many runs at a time; an error says why there is none here."""
        ...
