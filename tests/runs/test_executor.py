"""The interface of executors is enough for one that makes runs in processes of their own, as a cluster does."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.group import Interrupts, PlannedGroup, create_group, run_group
from mlebench.runs.local import orchestrate
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Limits

WINE = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'


class ProcessExecutor:
    """Each run is a process that knows the folder of the group and the id of the run, and nothing else."""

    def __init__(self, group: PlannedGroup) -> None:
        self.group = group
        self.processes: dict[PlannedRun, subprocess.Popen[bytes]] = {}

    def submit(self, planned: PlannedRun) -> None:
        command = [sys.executable, "-m", "mlebench.runs.work", str(self.group.folder), planned.run_id]
        self.processes[planned] = subprocess.Popen(command, start_new_session=True)

    def look(self) -> Sequence[PlannedRun]:
        return [planned for planned, process in self.processes.items() if process.poll() is not None]

    def cancel(self, planned: PlannedRun) -> None:
        self.processes[planned].terminate()

    def collect(self, planned: PlannedRun) -> RunRecord:
        del self.processes[planned]
        return self.group.run_record(planned)

    def end_orphan(self, planned: PlannedRun, record: RunRecord) -> None:
        pass

    def close(self) -> None:
        for process in self.processes.values():
            process.wait()


@pytest.fixture
def settings(tmp_path: Path) -> RunSettings:
    prepare(Registry(tmp_path / "data").get_competition(WINE))
    return RunSettings(agent="command", data_dir=tmp_path / "data", limits=Limits(seconds=300), grace=1.0)


def test_runs_in_processes_of_their_own(settings: RunSettings, tmp_path: Path) -> None:
    quick = replace(settings, agent_options={"command": f'[ "$SEED" != 1 ] || exit 3; {HAND_IN}'})
    group = create_group(tmp_path, [WINE], [0, 1, 2], quick)
    states: list[str] = []
    executor = ProcessExecutor(group)
    assert orchestrate(group, lambda _: executor, workers=3, on_state=lambda state: states.append(state.status))
    assert [record.status for record in group.run_records()] == ["success", "failed", "success"]
    assert sorted(states) == ["failed", *["running"] * 3, *["success"] * 2]
    assert [each["success"] for each in group.record.runs.values()] == [True, False, True]


def test_one_that_is_killed_is_a_fault_of_the_machine_and_one_is_cancelled(
    settings: RunSettings, tmp_path: Path
) -> None:
    """Seed 0: its process is killed; seed 1: Ctrl-C twice."""
    slow = replace(settings, agent_options={"command": f"{HAND_IN}; sleep 600"})
    group = create_group(tmp_path, [WINE], [0, 1], slow)
    interrupts = Interrupts()

    class Attacked(ProcessExecutor):
        def look(self) -> Sequence[PlannedRun]:
            first = group.record.plan[0]
            begun = all(group.run_record(planned).identity for planned in group.record.plan)
            if begun and first in self.processes:
                self.processes[first].kill()
            if group.run_record(first).has_ended:
                interrupts.count = 2
            time.sleep(0.05)
            return super().look()

    run_group(group, Attacked(group), workers=2, interrupts=interrupts)
    first, second = group.run_records()
    assert (first.status, first.error) == ("infrastructure", "The process that made the run was killed.")
    assert second.status == "cancelled"
