"""The executor `local` with more workers than one process serves well: runs are threads of a few runners."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from runs.executors.conftest import KeyedAgent
from waiting import wait_for

from mlebench.results.events import read_events
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.disk import DiskUsers, clear_places, shared_table
from mlebench.runs.executors import local
from mlebench.runs.executors.local import LocalExecutor
from mlebench.runs.executors.pool import RunnerPool
from mlebench.runs.group import PlannedGroup, create_group, load_group
from mlebench.runs.material import plan_material
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import kernel_limits
from mlebench.services.opening import SERVICES

EXECUTOR = "local"
WINE = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'
RUNNER = "mlebench.runs.executors.runner"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers are many."""
    monkeypatch.setattr(local, "MOST_THREADS", 1)


def runners(parent: int | None = None) -> list[psutil.Process]:
    """The runners of a process; what a runner has just forked still looks like one."""
    found = []
    for child in psutil.Process(parent).children():
        with suppress(psutil.Error):  # it has ended meanwhile
            if RUNNER in child.cmdline():
                found.append(child)
    return found


def summary(record: RunRecord) -> object:
    return (
        *(record.status, record.code, record.error, record.attempt, record.executor, record.job_id, record.node),
        *(record.output_digests, record.promised, record.limits, record.inputs, record.deviations, record.exit_code),
    )


def test_runners_execute_runs_as_threads_do(
    keyed_agent: Callable[[str], KeyedAgent], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same records; the key is seen by the agent and in no command line, and no runner is left."""
    agent = keyed_agent(f'[ "$SEED" != 1 ] || exit 3; {HAND_IN}')
    groups, seen = [], []

    class Watched(LocalExecutor):
        def collect(self, planned: PlannedRun) -> RunRecord:
            seen.append((len(runners()), subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout))
            return super().collect(planned)

    for workers in (2, 3):
        monkeypatch.setattr(local, "MOST_THREADS", 2)
        group = create_group(tmp_path, [WINE], range(4), agent.settings)
        assert run_group(group, workers=workers, executor=Watched(group, workers))
        groups.append(group)
    in_threads, in_runners = groups
    assert [summary(record) for record in in_runners.run_records()] == [
        summary(record) for record in in_threads.run_records()
    ]
    assert [record.status for record in in_runners.run_records()] == ["success", "failed", "success", "success"]
    assert {record.job_id for record in in_runners.run_records()} == {str(os.getpid())}
    states = [
        [event.values.get("status") for event in read_events(group.folder_of(group.record.plan[0]))] for group in groups
    ]
    assert states[0] == states[1]
    assert [count for count, _ in seen] == [*[0] * 4, *[2] * 4], "two runs to a runner"
    assert not [text for _, text in seen if agent.key in text]
    assert not runners()


@pytest.mark.usefixtures("few")
def test_what_cannot_even_start_is_tried_again_as_often_as_it_may_be(
    settings: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such an attempt writes no record, and counts all the same."""
    group = create_group(tmp_path, [WINE], [0], replace(settings, retries=2))
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    assert run_group(group, workers=2)
    assert [(record.code, record.attempt) for record in group.run_records()] == [("runner-lost", 3)]


@pytest.mark.usefixtures("few")
def test_a_runner_that_is_killed_is_a_fault_of_the_machine(settings: RunSettings, tmp_path: Path) -> None:
    """Its agents end with it, and its runs are tried again by another runner."""
    command = f'{HAND_IN}; [ -e "{tmp_path}/killed" ] || sleep 600'
    group = create_group(tmp_path, [WINE], [0, 1], replace(settings, agent_options={"command": command}, retries=1))
    agents: list[psutil.Process] = []
    ended: list[tuple[str, str | None]] = []

    class Attacked(LocalExecutor):
        def wait(self, seconds: float) -> Sequence[PlannedRun]:
            if not agents and all(record.identity for record in group.run_records()):
                (runner,) = runners()
                agents.extend(runner.children(recursive=True))
                (tmp_path / "killed").touch()
                runner.kill()
            return super().wait(seconds)

    assert run_group(
        group,
        workers=2,
        executor=Attacked(group, 2),
        on_state=lambda state: ended.append((state.status, state.code)) if state.status != "running" else None,
    )
    assert ended == [("infrastructure", "runner-lost")] * 2 + [("success", None)] * 2
    assert [(record.status, record.attempt) for record in group.run_records()] == [("success", 2)] * 2
    assert not psutil.wait_procs(agents, timeout=60)[1]
    assert not list(group.folder.glob("*/home"))


@pytest.mark.usefixtures("few")
def test_of_a_run_that_is_not_tried_again_a_killed_runner_leaves_no_copies(
    settings: RunSettings, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "read.txt").write_text("read me")
    material = plan_material(tmp_path / "notes", [WINE], settings.data_dir)
    slow = replace(settings, agent_options={"command": "sleep 600"}, material=material)
    group = create_group(tmp_path / "runs", [WINE], [0], slow)

    class Attacked(LocalExecutor):
        def wait(self, seconds: float) -> Sequence[PlannedRun]:
            if all(record.identity for record in group.run_records()):
                assert list(group.folder.glob("*/material"))
                for runner in runners():
                    runner.kill()
            return super().wait(seconds)

    run_group(group, workers=2, executor=Attacked(group, 2))
    assert [record.code for record in group.run_records()] == ["runner-lost"]
    assert not [path for name in ("home", "data", "material") for path in group.folder.glob(f"*/{name}")]


def test_ctrl_c_of_a_terminal_and_a_kill_leave_no_runner(settings: RunSettings, tmp_path: Path) -> None:
    """The command is killed: runners and agents end; resumed, it is interrupted as a terminal does it."""
    command = [sys.executable, "-m", "mlebench", "run", "--runs-dir", str(tmp_path), "--workers", "5"]
    given = ["--agent", "command", "--command", f"{HAND_IN}; sleep 600", "-c", WINE, "--seeds", "2"]
    given += ["--data-dir", str(settings.data_dir), "--memory-limit", "1G", "--sandbox", "process"]
    output = tmp_path / "output"

    def begun(arguments: Sequence[str], attempt: int) -> tuple[subprocess.Popen[bytes], PlannedGroup, list[Any]]:
        with output.open("wb") as log:
            driver = subprocess.Popen([*command, *arguments], start_new_session=True, stdout=log, stderr=log)
        wait_for(lambda: list(tmp_path.glob("*run-group*")), output.read_text)
        group = load_group(next(tmp_path.glob("*run-group*")))

        def are_begun() -> bool:
            return all(record.identity and record.attempt == attempt for record in group.run_records())

        wait_for(are_begun, output.read_text)
        return driver, group, psutil.Process(driver.pid).children(recursive=True)

    driver, group, processes = begun(given, 1)
    assert len(runners(driver.pid)) == 2
    driver.kill()
    driver.wait()
    assert not psutil.wait_procs(processes, timeout=60)[1]
    assert {record.status for record in group.run_records()} == {"running"}, "nobody is left who could write an end"

    driver, group, processes = begun(["--resume", str(group.folder)], 2)
    os.killpg(driver.pid, signal.SIGINT)
    wait_for(lambda: "Ctrl-C" in output.read_text(), output.read_text)
    assert {record.status for record in group.run_records()} == {"running"}, "what runs may finish"
    os.killpg(driver.pid, signal.SIGINT)
    driver.wait()
    assert [(record.status, record.attempt) for record in group.run_records()] == [("cancelled", 2)] * 2
    assert not psutil.wait_procs(processes, timeout=60)[1]


def test_what_a_program_has_registered_for_itself_is_used_in_threads(
    settings: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process would not know it."""
    monkeypatch.setattr(SERVICES, "_built_in", dict(SERVICES._built_in))
    monkeypatch.setattr(SERVICES, "_of_this_process", set())
    group = create_group(tmp_path, [WINE], [0], settings)
    executor = LocalExecutor(group, 5)
    assert isinstance(executor._workers, RunnerPool)
    executor.close()
    SERVICES.register(SERVICES["validation"])
    executor = LocalExecutor(group, 5)
    assert not isinstance(executor._workers, RunnerPool)
    executor.close()


def test_runners_share_out_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    monkeypatch.setattr(kernel_limits, "_turns", itertools.count())
    found = []
    for first in (0, 1):
        kernel_limits.take_turns(first, 2)
        found += [kernel_limits.processors(1.0), kernel_limits.processors(1.0)]
    assert found == [[0], [2], [1], [3]]


def test_whoever_fills_the_disk_is_found_among_the_runs_of_all_runners(tmp_path: Path) -> None:
    """Two processes: tables of their own in the same memory."""
    with shared_table(2) as table:
        one, two = DiskUsers(), DiskUsers()
        one.join(table.fileno(), 0)
        two.join(table.fileno(), 1)
        with one.using("greedy", tmp_path) as greedy, two.using("modest", tmp_path) as modest:
            assert modest.disk == greedy.disk
            modest.note(1 << 20)
            assert two.blame_largest(modest.disk) is None, "together they have not taken most of the disk"
            greedy.note(1 << 60)
            assert two.blame_largest(modest.disk) == "greedy"
            assert (greedy.is_blamed, modest.is_blamed) == (True, False)
        assert not two.has("greedy")
        with one.using("other", tmp_path) as other:
            assert not other.is_blamed, "what was said of another run in the same place"
            clear_places(table, 0)
            assert not two.has("other"), "its process is gone"
