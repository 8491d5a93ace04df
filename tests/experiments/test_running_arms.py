"""Experiments are run in turns by any executor, killed, resumed and reported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from command import run_command
from experiments.files import DIABETES, HAND_IN, THREE_ARMS, WINE, write
from waiting import wait_for

from mlebench import api
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.experiments.definition import load_experiment
from mlebench.experiments.planning import PlannedArm, open_experiment
from mlebench.experiments.record import hold_experiment, load_record, write_experiments_csv
from mlebench.experiments.running import run_arms
from mlebench.results.groups import open_group
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.executors import EXECUTORS
from mlebench.runs.executors.local import LocalExecutor
from mlebench.runs.group import PlannedGroup
from mlebench.runs.running import Interrupts, hold_group


@pytest.fixture
def data(prepared_practice: Callable[[str], LocalCompetition]) -> Path:
    return prepared_practice(WINE).data_dir


def opened(path: Path, data: Path, runs: Path) -> list[PlannedArm]:
    return open_experiment(load_experiment(path), Registry(data), runs, workers=2)[1]


class CountingExecutor(LocalExecutor):
    """An executor of another package: on this machine, and it remembers what was begun, and how much at once."""

    name = "counting"
    begun: ClassVar[list[str]] = []
    under_way: ClassVar[int] = 0
    most: ClassVar[int] = 0
    lock: ClassVar[threading.Lock] = threading.Lock()

    def submit(self, runs: Sequence[PlannedRun]) -> None:
        kind, arm = CountingExecutor, str(self.group.settings.experiment["arm"])
        with kind.lock:
            kind.begun += [f"{arm}{planned.seed}" for planned in runs]
            kind.under_way += len(runs)
            kind.most = max(kind.most, kind.under_way)
        super().submit(runs)

    def collect(self, planned: PlannedRun) -> RunRecord:
        with CountingExecutor.lock:
            CountingExecutor.under_way -= 1
        return super().collect(planned)


def test_any_executor_runs_the_arms_in_turns(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EXECUTORS, "_built_in", dict(EXECUTORS._built_in))
    EXECUTORS.register(CountingExecutor)
    path = write(tmp_path, THREE_ARMS.replace("[defaults]", '[defaults]\nexecutor = "counting"'))
    arms = opened(path, data, tmp_path / "runs")
    states: list[tuple[str, str]] = []
    assert run_arms(arms, workers=2, on_state=lambda arm, state: states.append((arm, state.status)))
    begun = CountingExecutor.begun
    assert sorted(begun) == [f"{arm}{seed}" for arm in "abc" for seed in range(3)]
    for at in range(len(begun)):
        counts = [sum(run.startswith(arm) for run in begun[: at + 1]) for arm in "abc"]
        assert max(counts) - min(counts) <= 2, f"one arm is ahead: {begun}"
    assert CountingExecutor.most == 2, "as many as there are workers, whatever the arm"
    assert sorted(states) == sorted([(arm, status) for arm in "abc" for status in ("running", "success")] * 3)
    for arm in arms:
        assert arm.group.settings.executor == "counting"


def run_in_background(path: Path, folder: Path, data: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "mlebench", "experiment", "run", str(path), "--workers", "2", "--json"]
    environment = {**os.environ, "MLEBENCH_DATA_DIR": str(data)}
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)


def test_an_experiment_of_three_arms_is_killed_twice_and_resumed(data: Path, tmp_path: Path) -> None:
    """With SIGKILL, in the middle of runs: what had ended is not run again, and every run ends once."""
    path = write(tmp_path, THREE_ARMS.replace(HAND_IN, f"{HAND_IN}; sleep 0.5"))
    runs = tmp_path / "runs"

    def ended() -> dict[str, str]:
        found = {}
        for file in runs.glob("*/*/run.json"):
            record = json.loads(file.read_text())
            if record["status"] not in ("planned", "running"):
                found[record["run_id"]] = record["ended_at"]
        return found

    seen: dict[str, str] = {}
    for least in (1, 4):
        process = run_in_background(path, tmp_path, data)
        try:
            wait_for(lambda least=least: len(ended()) >= least, ended)  # type: ignore[misc]
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        now = ended()
        assert seen.items() <= now.items(), "what had ended was run again"
        assert len(now) < 9, "it was killed before its end"
        seen = now
        standing = api.experiment_status(path, runs_dir=runs)
        assert sum(arm.ended for arm in standing.arms) == len(now)
        assert not standing.is_complete
    done = run_command("experiment", "run", path, "--workers", 2, cwd=tmp_path, MLEBENCH_DATA_DIR=str(data))
    assert done.code == 0, done.err
    assert seen.items() <= ended().items(), "what had ended was run again"
    record = load_record(runs, "three")
    assert record is not None
    assert list(record.groups) == ["a", "b", "c"]
    assert len(list(runs.glob("*_run-group_*"))) == 3, "no group was planned twice"
    for group in record.groups.values():
        opened_group = open_group(runs / group)
        assert [run.record.status for run in opened_group.runs] == ["success"] * 3
        assert all(run.report is not None for run in opened_group.runs), "it is graded"
    assert not list(runs.glob("*/*/home")), "nothing temporary is left"
    counted = run_command("aggregate", "--experiment-id", "three/b", "--json", cwd=tmp_path)
    assert json.loads(counted.out)["splits"]["reported"]["num_seeds_averaged"] == 3


def test_groups_that_were_planned_before_a_kill_are_found_again(data: Path, tmp_path: Path) -> None:
    """As where the process was killed between a group and the line about it in the record."""
    path = write(tmp_path)
    arms = opened(path, data, tmp_path / "runs")
    record = load_record(tmp_path / "runs", "three")
    assert record is not None
    replace(record, groups={}).save(tmp_path / "runs")
    again = opened(path, data, tmp_path / "runs")
    assert [arm.group.folder for arm in again] == [arm.group.folder for arm in arms]


def test_a_file_that_changed_is_not_gone_on_with(data: Path, tmp_path: Path) -> None:
    path = write(tmp_path)
    opened(path, data, tmp_path / "runs")
    before = sorted((tmp_path / "runs").rglob("*"))
    write(tmp_path, THREE_ARMS.replace("3m", "5m"))
    with pytest.raises(MlebenchError, match=r"has changed since the experiment three was planned: arms\.b\.time_limit"):
        opened(path, data, tmp_path / "runs")
    assert sorted((tmp_path / "runs").rglob("*")) == before, "nothing is lost, and nothing is added"
    write(tmp_path)
    assert len(opened(path, data, tmp_path / "runs")) == 3


def test_nothing_is_made_where_data_or_an_agent_is_missing(data: Path, tmp_path: Path) -> None:
    with pytest.raises(MlebenchError, match="is not prepared"):
        api.run_experiment(write(tmp_path), runs_dir=tmp_path / "runs", data_dir=tmp_path / "data")
    assert not (tmp_path / "runs").exists()
    path = write(tmp_path, THREE_ARMS.replace('name = "c"', 'name = "c"\nagent = "aidee"'))
    done = run_command("experiment", "run", path, cwd=tmp_path, MLEBENCH_DATA_DIR=str(data))
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert done.err.startswith(f"error: The arm c of {path} cannot be run: ")
    assert not (tmp_path / "runs").exists()


def test_only_arms_that_go_on_alone_are_detached(data: Path, tmp_path: Path) -> None:
    """And none of them is left to itself where one cannot be."""
    path = write(tmp_path, THREE_ARMS.replace('name = "a"', 'name = "a"\nexecutor = "slurm"'))
    done = run_command("experiment", "run", path, "--detach", "--workers", 3, cwd=tmp_path, MLEBENCH_DATA_DIR=str(data))
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert f"The arm b of {path} cannot be left to itself: Runs of the executor local end with this" in done.err
    assert not (tmp_path / "runs").exists()


def test_arms_on_twins_have_costs_and_a_verdict_and_no_medals(
    prepared_twin: Callable[[str], LocalCompetition], tmp_path: Path
) -> None:
    twin = prepared_twin("spaceship-titanic")
    text = THREE_ARMS.replace(WINE, twin.id).replace("seeds = 3", "seeds = 1")
    found = api.run_experiment(write(tmp_path, text), workers=2, runs_dir=tmp_path / "runs", data_dir=twin.data_dir)
    assert all(arm.aggregation is None and arm.cost is not None for arm in found.arms)
    assert "a: There is no mean over seeds: 1 of the competitions was graded on twins" in " ".join(found.warnings)
    assert len(found.comparisons) == 3
    assert "a against b" in str(found)


def test_an_arm_that_cannot_go_on_does_not_stop_the_others(data: Path, tmp_path: Path) -> None:
    arms = opened(write(tmp_path), data, tmp_path / "runs")
    with (
        hold_group(PlannedGroup(arms[1].group.folder, arms[1].group.record)),
        pytest.raises(MlebenchError, match=r"The arm b could not go on: .* is being run by another process\."),
    ):
        run_arms(arms, workers=2)
    ended = [sum(record.is_complete for record in arm.group.run_records()) for arm in arms]
    assert ended == [3, 0, 3]
    path, runs = tmp_path / "three.toml", tmp_path / "runs"
    with pytest.raises(MlebenchError, match=r"Not all runs of the experiment three have ended: 3 of b\."):
        api.experiment_report(path, runs_dir=runs, data_dir=data)
    found = api.experiment_report(path, partial=True, runs_dir=runs, data_dir=data)
    assert [(pair.first, pair.second) for pair in found.comparisons] == [("a", "c")]
    assert "b: No run has ended yet." in found.warnings
    assert api.experiment_page(path, partial=True, runs_dir=runs, data_dir=data).path.is_file()
    assert run_arms(arms, workers=2)


def test_an_interrupt_begins_nothing_more_and_a_second_process_is_refused(data: Path, tmp_path: Path) -> None:
    path = write(tmp_path)
    arms = opened(path, data, tmp_path / "runs")
    drained: list[int] = []
    assert not run_arms(arms, workers=2, interrupts=Interrupts(1), on_drain=drained.append)
    assert all(record.status == "planned" for arm in arms for record in arm.group.run_records())
    with pytest.raises(MlebenchError) as unfinished:
        api.experiment_report(path, runs_dir=tmp_path / "runs", data_dir=data)
    assert f"mlebench experiment run {path} --runs-dir {tmp_path / 'runs'}," in str(unfinished.value)
    with hold_experiment(tmp_path / "runs", "three"), pytest.raises(MlebenchError, match="run by another process"):
        api.run_experiment(path, runs_dir=tmp_path / "runs", data_dir=data)


def test_a_group_that_is_gone_is_named(data: Path, tmp_path: Path) -> None:
    path = write(tmp_path)
    arms = opened(path, data, tmp_path / "runs")
    arms[2].group.folder.rename(tmp_path / "elsewhere")
    with pytest.raises(MlebenchError, match=r"of the arm c is not in .* any more"):
        opened(path, data, tmp_path / "runs")


def test_the_list_of_experiments_keeps_what_others_wrote(data: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    listed = runs / "run_group_experiments.csv"
    listed.write_text("experiment_id,run_group,who\nmodels-o1,2024-09-25_run-group_aide,me\nthree/a,old,\n")
    opened(write(tmp_path), data, runs)
    record = load_record(runs, "three")
    assert record is not None
    rows = [f"three/{arm},{group}," for arm, group in record.groups.items()]
    assert listed.read_text().splitlines() == [
        "experiment_id,run_group,who",
        "models-o1,2024-09-25_run-group_aide,me",
        *rows,
    ]
    changed = listed.stat().st_mtime_ns
    write_experiments_csv(record, runs)
    assert listed.stat().st_mtime_ns == changed
    listed.write_text("something else\n")
    with pytest.raises(MlebenchError, match="is not a CSV file with the columns"):
        write_experiments_csv(record, runs)
    assert listed.read_text() == "something else\n"


def test_the_report_has_arms_differences_cost_and_what_else_differs(
    data: Path, prepared_practice: Callable[[str], LocalCompetition], tmp_path: Path
) -> None:
    prepared_practice(DIABETES)
    text = THREE_ARMS.replace(f'["{WINE}"]', f'["{WINE}", "{DIABETES}"]').replace("seeds = 3", "seeds = 2")
    text = text.replace('name = "c"', "name = \"c\"\ncommand = 'exit 3'").replace(
        "[defaults]", "[defaults]\nsnapshot_every = 60"
    )
    path, runs = write(tmp_path, text), tmp_path / "runs"
    with pytest.raises(MlebenchError, match=r"was not run in .* yet"):
        api.experiment_report(path, runs_dir=runs)
    found = api.run_experiment(path, workers=2, runs_dir=runs, data_dir=data, progress=False)
    assert [arm.name for arm in found.arms] == ["a", "b", "c"]
    assert found.varied == ("command", "time_limit")
    assert [arm.varied["time_limit"] for arm in found.arms] == ["2m", "3m", "4m"]
    assert [arm.statuses for arm in found.arms] == [{"success": 4}, {"success": 4}, {"failed": 4}]
    for arm in found.arms:
        assert arm.aggregation is not None
        assert arm.aggregation.cost is not None
        assert arm.headline is not None
        assert arm.headline.num_seeds_averaged == 2
    assert [(pair.first, pair.second) for pair in found.comparisons] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert len(found.comparisons[1].wins) == 2
    assert not any("limits" in warning for warning in found.warnings), "that differs by design"
    # Another condition that nobody declared: the record of one arm says that it had a network.
    for file in (runs / found.arms[1].run_group).glob("*/run.json"):
        file.write_text(json.dumps({**json.loads(file.read_text()), "network": "full"}))
    warned = api.experiment_report(path, runs_dir=runs).warnings
    assert "Not comparable in network: a has none, b has full." in warned
    assert not any("limits" in warning for warning in warned)
    page = api.experiment_page(path, runs_dir=runs, data_dir=data).path
    assert page == runs / "experiments" / "three" / "report.html"
    html = page.read_text(encoding="utf-8")
    assert "a, b and c compared" in html
    assert "The experiment three varies limits: a has 2 min" in html
    shown = run_command("experiment", "report", path, "--json", "--no-page", cwd=tmp_path)
    assert json.loads(shown.out)["arms"][2]["statuses"] == {"failed": 4}
    printed = run_command("experiment", "report", path, "--no-page", cwd=tmp_path)
    assert printed.code == 0, printed.err
    assert "b against c" in printed.out
    (runs / found.arms[0].run_group / "metadata.json").unlink()
    with pytest.raises(MlebenchError, match="of the arm a is not in"):
        api.experiment_report(path, runs_dir=runs)
