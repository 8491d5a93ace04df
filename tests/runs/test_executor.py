"""The interface of executors is enough for one that executes runs in processes of their own, as a cluster does."""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from waiting import wait_for

from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.errors import MlebenchError
from mlebench.files.writing import now
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.events import EventLog
from mlebench.runs.executors import EXECUTORS, ExecutorDefaults
from mlebench.runs.group import PlannedGroup, create_group
from mlebench.runs.running import Interrupts, run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Limits

WINE = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'


class ProcessExecutor(ExecutorDefaults):
    """Each run is a process that knows the folder of the group and the id of the run, and nothing else."""

    name = "processes"

    def __init__(self, group: PlannedGroup, workers: int) -> None:
        super().__init__(group, workers)
        self.processes: dict[PlannedRun, subprocess.Popen[bytes]] = {}

    def submit(self, runs: Sequence[PlannedRun]) -> None:
        for planned in runs:
            command = [sys.executable, "-m", "mlebench.runs.execute", str(self.group.folder), planned.run_id, self.name]
            self.processes[planned] = subprocess.Popen([*command, f"job-{planned.seed}"], start_new_session=True)

    def wait(self, seconds: float) -> Sequence[PlannedRun]:
        time.sleep(0.05)
        return [planned for planned, process in self.processes.items() if process.poll() is not None]

    def cancel(self, runs: Sequence[PlannedRun]) -> None:
        for planned in runs:
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


def test_an_executor_is_registered_and_named_by_the_settings(
    settings: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One class in one place: run groups, states and records do not know which executor it is."""
    monkeypatch.setattr(EXECUTORS, "_built_in", dict(EXECUTORS._built_in))
    EXECUTORS.register(ProcessExecutor)
    command = f'[ "$SEED" != 1 ] || exit 3; {HAND_IN}'
    named = replace(settings, agent_options={"command": command}, executor="processes")
    group = create_group(tmp_path, [WINE], [0, 1, 2], named)
    states: list[str] = []
    assert run_group(group, workers=3, on_state=lambda state: states.append(state.status))
    records = group.run_records()
    assert [record.status for record in records] == ["success", "failed", "success"]
    assert [(record.executor, record.job_id, record.node) for record in records] == [
        ("processes", f"job-{seed}", platform.node()) for seed in range(3)
    ]
    assert sorted(states) == ["failed", *["running"] * 3, *["success"] * 2]
    assert [noted["success"] for noted in group.record.runs.values()] == [True, False, True]


def test_an_executor_that_is_not_there(settings: RunSettings, tmp_path: Path) -> None:
    group = create_group(tmp_path, [WINE], [0], replace(settings, executor="locl"))
    with pytest.raises(MlebenchError, match=r"There is no executor locl\. Did you mean local\?"):
        run_group(group, workers=1)


def test_one_that_is_killed_is_a_fault_of_the_machine_and_one_is_cancelled(
    settings: RunSettings, tmp_path: Path
) -> None:
    """Seed 0: its process is killed; seed 1: Ctrl-C twice."""
    slow = replace(settings, agent_options={"command": f"{HAND_IN}; sleep 600"})
    group = create_group(tmp_path, [WINE], [0, 1], slow)
    interrupts = Interrupts()

    class Attacked(ProcessExecutor):
        def wait(self, seconds: float) -> Sequence[PlannedRun]:
            first = group.record.plan[0]
            begun = all(group.run_record(planned).identity for planned in group.record.plan)
            if begun and first in self.processes:
                self.processes[first].kill()
            if group.run_record(first).has_ended:
                interrupts.count = 2
            return super().wait(seconds)

    run_group(group, workers=2, executor=Attacked(group, 2), interrupts=interrupts)
    first, second = group.run_records()
    assert (first.status, first.code) == ("infrastructure", "runner-lost")
    assert first.identity == {}, "nothing of it can be found any more"
    assert (second.status, second.code) == ("cancelled", "cancelled")


def test_a_run_that_outlives_its_orchestrator_is_adopted(settings: RunSettings, tmp_path: Path) -> None:
    """As a job of a cluster does: it is not executed a second time, and its end is noted."""
    slow = replace(settings, agent_options={"command": f"{HAND_IN}; sleep 2"})
    group = create_group(tmp_path, [WINE], [0, 1], slow)
    first, _ = group.record.plan
    before = ProcessExecutor(group, 1)
    before.submit([first])
    wait_for(lambda: group.run_record(first).identity, group.run_records)

    class Adopting(ProcessExecutor):
        def adopt(self, planned: PlannedRun, record: RunRecord) -> bool:
            if record.job_id != "job-0":
                return False
            self.processes[planned] = before.processes[planned]
            return True

    assert run_group(group, workers=2, executor=Adopting(group, 2))
    assert [(record.status, record.attempt) for record in group.run_records()] == [("success", 1)] * 2


def test_a_run_on_another_machine_is_not_ended_from_here(settings: RunSettings, tmp_path: Path) -> None:
    """Its process id means nothing here, where some other process has it."""
    group = create_group(tmp_path, [WINE], [0], replace(settings, agent_options={"command": HAND_IN}))
    (planned,) = group.record.plan
    folder = group.folder_of(planned)
    with subprocess.Popen(["sleep", "600"]) as bystander:
        identity = {"pid": str(bystander.pid), "started": str(psutil.Process(bystander.pid).create_time())}
        record = replace(
            group.record.record_of(planned), status="running", identity=identity, node="elsewhere", attempt=1
        )
        record.save(folder)
        with EventLog(folder) as events:
            events.state("running", node="elsewhere")
        with pytest.raises(MlebenchError, match="is executed on elsewhere, which gave a sign of life"):
            run_group(group, workers=1)
        assert group.run_record(planned) == record
        log = folder / "events.jsonl"
        log.write_text(log.read_text().replace(str(now().year), str(now().year - 1)))
        assert run_group(group, workers=1), "after a long silence it is taken for dead"
        assert bystander.poll() is None
        bystander.kill()
    assert (group.run_records()[0].status, group.run_records()[0].attempt) == ("success", 2)
