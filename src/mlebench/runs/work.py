"""One run of a group, made by whoever has the group's folder: a thread of the orchestrator, or a process elsewhere.

    python -m mlebench.runs.work GROUP RUN_ID

makes a run that was planned and ends when it has ended; SIGTERM cancels it. Its record is in its folder.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from mlebench.errors import MlebenchError
from mlebench.results.names import AGENT_LOG
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.execute import execute
from mlebench.runs.group import PlannedGroup, load_group
from mlebench.sandbox import Usage

OnUsage = Callable[[PlannedRun, Usage, Path], None]


def make_run(
    group: PlannedGroup,
    planned: PlannedRun,
    should_stop: Callable[[], bool] = lambda: False,
    on_usage: OnUsage = lambda *_: None,
) -> RunRecord:
    """Make one run of a group; `on_usage` is given every measurement, and the log that the agent writes."""
    folder = group.folder_of(planned)
    return execute(
        folder,
        group.run_record(planned),
        group.settings,
        seeds=len({each.seed for each in group.record.plan}),
        should_stop=should_stop,
        on_sample=lambda _, usage: on_usage(planned, usage, folder / AGENT_LOG),
    )


def main(folder: str, run_id: str) -> None:
    """Make the run of this id."""
    group = load_group(Path(folder))
    planned = next((each for each in group.record.plan if each.run_id == run_id), None)
    if planned is None:
        raise MlebenchError(f"{folder} has no run {run_id}.")
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    make_run(group, planned, stop.is_set)


if __name__ == "__main__":
    main(*sys.argv[1:])
