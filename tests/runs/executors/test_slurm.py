"""The executor `slurm` on a real Slurm: a controller and two nodes on this machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from command_server import run_mlebench
from experiments.files import THREE_ARMS, run_on, write
from runs.executors.conftest import KeyedAgent
from slurm_cluster import Cluster, has_own_devices, slurm, why_not
from waiting import wait_for

from mlebench import api
from mlebench.errors import MlebenchError
from mlebench.experiments.definition import load_experiment
from mlebench.experiments.record import load_record
from mlebench.experiments.running import require_detachable_arms
from mlebench.results.events import board_of_plan
from mlebench.results.groups import open_group, require_ended
from mlebench.results.records import GroupRecord, RunRecord
from mlebench.runs.executors.sharing import shares
from mlebench.runs.executors.slurm import _LATE, SlurmExecutor
from mlebench.runs.executors.slurm_script import by_shape
from mlebench.runs.executors.submissions import submissions_of
from mlebench.runs.group import PlannedGroup, create_group, load_group
from mlebench.runs.running import Interrupts, run_group, workers_before
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Limits

pytestmark = [
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
    pytest.mark.xdist_group("slurm"),
    pytest.mark.once,
]
EXECUTOR = "slurm"
WINE = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'
SLOW = f"{HAND_IN}; sleep 600"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with slurm(tmp_path_factory.mktemp("slurm")) as cluster, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLURM_CONF", str(cluster.conf))
        yield cluster


@pytest.fixture(scope="module", autouse=True)
def past_its_limit(cluster: Cluster, data: Path, tmp_path_factory: pytest.TempPathFactory) -> PlannedGroup:
    """A run whose job may take a minute, the least that Slurm knows: from the first test of this file to its last."""
    settings = RunSettings(
        agent="command",
        data_dir=data,
        executor="slurm",
        executor_options={"time": "1", "partition": "apart"},
        limits=Limits(seconds=600, memory_bytes=1 << 30),
        agent_options={"command": SLOW},
    )
    group = create_group(tmp_path_factory.mktemp("runs"), [WINE], [0], settings)
    run_group(group, workers=1, detach=True)
    return group


def begun(group: PlannedGroup, count: int = 1) -> None:
    wait_for(lambda: sum(bool(record.identity) for record in group.run_records()) >= count, group.run_records)


def job_of(group: PlannedGroup, index: int = 0) -> str:
    return f"{submissions_of(group.folder)[-1].job}_{index}"


def begin_at_once(cluster: Cluster, group: PlannedGroup) -> None:
    """Slurm lets a job that it has put back wait for two minutes, so that what was wrong may pass."""
    job = str(submissions_of(group.folder)[0].job)
    node = group.run_records()[0].node  # which may still be busy with what it executed
    wait_for(lambda: "PENDING" in cluster.call("squeue", "-h", "-o", "%T", "-j", job))
    wait_for(lambda: not cluster.call("scontrol", "update", f"JobId={job}", f"ExcNodeList={node}", "StartTime=now"))


def test_one_array_executes_a_group_as_this_machine_does(
    cluster: Cluster, settings: RunSettings, tmp_path: Path
) -> None:
    command = f'[ "$SEED" != 1 ] || exit 3; {HAND_IN}'
    settings = replace(settings, agent_options={"command": command})
    here = create_group(tmp_path, [WINE], [0, 1, 2], replace(settings, executor="local"))
    assert run_group(here, workers=2)
    there = create_group(tmp_path, [WINE], [0, 1, 2], settings)
    assert run_group(there, workers=2)

    def told(record: RunRecord) -> object:
        return (record.status, record.code, record.error, record.attempt, record.output_digests, record.promised)

    assert [told(record) for record in there.run_records()] == [told(record) for record in here.run_records()]
    (submission,) = submissions_of(there.folder)
    assert [record.job_id for record in there.run_records()] == [f"{submission.job}_{index}" for index in range(3)]
    assert {record.executor for record in there.run_records()} == {"slurm"}
    assert {record.node for record in there.run_records()} <= {"n1", "n2"}
    assert "ArrayTaskThrottle=2" in cluster.call("scontrol", "show", "job", str(submission.job))
    assert GroupRecord.load(there.folder).runs[there.record.plan[1].folder]["status"] == "failed"
    assert not Path(submission.environment).exists()


def test_the_arms_of_an_experiment_take_turns_on_it(cluster: Cluster, data: Path, tmp_path: Path) -> None:
    records = run_on("slurm", "", tmp_path, data)
    assert [(record.status, record.executor) for record in records] == [("success", "slurm")] * 4
    assert ["material" in record.inputs for record in records] == [False, False, True, True]


def typed(cluster: Cluster, folder: Path, *arguments: str) -> str:
    """What the command prints, typed in a folder."""
    done = run_mlebench(arguments, folder, cluster.environment)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_a_detached_experiment_is_watched_and_collected(cluster: Cluster, data: Path, tmp_path: Path) -> None:
    """One array for each arm, with its share of the workers; nothing is executed twice."""
    text = THREE_ARMS.replace('name = "c"', 'name = "c"\ncommand = "exit 3"').replace("seeds = 3", "seeds = 2")
    path = write(tmp_path, text.replace("[defaults]", '[defaults]\nexecutor = "slurm"'))
    with pytest.raises(
        MlebenchError, match=r"3 arms in a queue cannot share 1 worker: each needs one\. Give --workers 3"
    ):
        require_detachable_arms(load_experiment(path), tmp_path / "runs", None)
    place = ["--data-dir", str(data)]
    shown = typed(cluster, tmp_path, "experiment", "run", str(path), "--detach", "--workers", "4", *place)
    assert "The runs go on without this command." in shown
    record = load_record(tmp_path / "runs", "three")
    assert record is not None and record.in_queue
    groups = [load_group(tmp_path / "runs" / name) for name in record.groups.values()]
    submissions = [submission for group in groups for submission in submissions_of(group.folder)]
    assert [(len(submission.run_ids), submission.workers) for submission in submissions] == [(2, 2), (2, 1), (2, 1)]
    wait_for(lambda: api.experiment_status(path, runs_dir=tmp_path / "runs").is_complete)
    assert {noted["status"] for group in groups for noted in group.record.runs.values()} == {"planned"}
    report = api.run_experiment(path, runs_dir=tmp_path / "runs", data_dir=data, progress=False)
    assert [arm.statuses for arm in report.arms] == [{"success": 2}, {"success": 2}, {"failed": 2}]
    noted = [GroupRecord.load(group.folder).runs.values() for group in groups]
    assert [{run["status"] for run in runs} for runs in noted] == [{"success"}, {"success"}, {"failed"}]
    assert [record.attempt for group in groups for record in group.run_records()] == [1] * 6
    assert [submission for group in groups for submission in submissions_of(group.folder)] == submissions


def test_detached_runs_are_watched_and_collected(cluster: Cluster, settings: RunSettings, tmp_path: Path) -> None:
    """As a user does who logs out in between: nothing of ours runs meanwhile."""
    mlebench = partial(typed, cluster, tmp_path)
    asked = ["run", "--agent", "command", "--command", f"{HAND_IN}; sleep 1", "-c", WINE, "--seeds", "2"]
    asked += ["--data-dir", str(settings.data_dir), "--memory-limit", "1G", "--executor", "slurm", "--cpus", "1.5"]
    script = mlebench(*asked, "--print-script")
    assert {"#SBATCH --array=0-1%1", "#SBATCH --mem=1536M", "#SBATCH --cpus-per-task=2", "#SBATCH --time=1451"} <= set(
        script.splitlines()
    )
    assert not (tmp_path / "runs").exists(), "nothing was submitted"
    submitted = mlebench(*asked, "--detach")
    assert "The runs go on without this command." in submitted
    shown = mlebench("runs", "latest", "--wide")
    assert "planned" in shown
    assert "waiting for slurm" in shown
    (group,) = (tmp_path / "runs").iterdir()
    with pytest.raises(MlebenchError, match=r"was not collected: .* not ended\. Wait for its jobs and collect them"):
        require_ended(open_group(group), partial=False)
    plan = GroupRecord.load(group).plan
    wait_for(lambda: all(state.status == "success" for state in board_of_plan(group, plan).states()))
    assert {noted["status"] for noted in GroupRecord.load(group).runs.values()} == {"planned"}
    wait_for(lambda: not list(Path(os.environ["MLEBENCH_STATE_DIR"], "environments").glob(f"*{plan[0].run_id[:8]}*")))
    mlebench("run", "--resume", "latest")
    assert {noted["status"] for noted in GroupRecord.load(group).runs.values()} == {"success"}
    assert [RunRecord.load(group / planned.folder).attempt for planned in plan] == [1, 1]


def test_resuming_changes_how_many_tasks_run_at_once(cluster: Cluster, settings: RunSettings, tmp_path: Path) -> None:
    """Only where the user says so: a plain --resume leaves the array as wide as it was submitted."""
    group = create_group(tmp_path, [WINE], range(5), replace(settings, agent_options={"command": SLOW}))
    run_group(group, workers=2, detach=True)

    def throttle() -> str | None:
        shown = cluster.call("scontrol", "show", "job", str(submissions_of(group.folder)[0].job))
        found = re.search(r"ArrayTaskThrottle=(\d+)", shown)
        return found[1] if found else None

    begun(group)
    assert (throttle(), workers_before(group)) == ("2", 2)
    command = [sys.executable, "-m", "mlebench", "run", "--resume", str(group.folder), "--detach"]
    for more, expected in (([], "2"), (["--workers", "3"], "3")):
        subprocess.run([*command, *more], env=cluster.environment, cwd=tmp_path, capture_output=True, check=True)
        assert throttle() == expected
    assert workers_before(group) == 3
    begun(group, 3)
    began = time.monotonic()
    assert not run_group(group, workers=3, interrupts=Interrupts(2)), "Ctrl-C twice"
    records = group.run_records()
    assert {(record.status, record.code) for record in records} == {("cancelled", "cancelled")}
    assert sum(record.started_at is None for record in records) == 2, "two of them never began"
    assert time.monotonic() - began < _LATE, "nobody waits for records that were never written"


def test_a_cancelled_job_is_a_cancelled_run_and_resumed(
    cluster: Cluster, settings: RunSettings, tmp_path: Path
) -> None:
    """Seed 0 runs, seed 1 waits behind it; both are cancelled with scancel."""
    group = create_group(tmp_path, [WINE], [0, 1], replace(settings, agent_options={"command": SLOW}))
    run_group(group, workers=1, detach=True)
    begun(group)
    cluster.call("scancel", str(submissions_of(group.folder)[0].job))
    wait_for(lambda: group.run_records()[0].has_ended, group.run_records)
    first = group.run_records()[0]
    assert (first.status, first.code) == ("cancelled", "cancelled")
    quick = replace(group.record, settings=replace(group.settings, agent_options={"command": HAND_IN}).to_dict())
    quick.save(group.folder)
    assert run_group(group, workers=2)
    assert [(record.status, record.attempt) for record in group.run_records()] == [("success", 2), ("success", 1)]
    submissions = submissions_of(group.folder)
    assert len(submissions) == 2
    assert not any(Path(submission.environment).exists() for submission in submissions), "one task never began"


def test_a_lost_node_and_a_preempted_job_are_tried_again_and_counted_once(
    cluster: Cluster, settings: RunSettings, tmp_path: Path
) -> None:
    """Slurm starts the same task again; whoever waits does not submit it a second time."""
    retried = replace(settings, agent_options={"command": SLOW}, retries=2)
    group = create_group(tmp_path, [WINE], [0], retried)
    run_group(group, workers=1, detach=True)
    begun(group)
    node = group.run_records()[0].node
    cluster.call("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=test")
    wait_for(lambda: group.run_records()[0].has_ended, group.run_records)
    assert group.run_records()[0].code in ("node-lost", "preempted")  # as the node has seen it
    begin_at_once(cluster, group)
    wait_for(lambda: (record := group.run_records()[0]).attempt == 2 and record.identity, group.run_records)
    assert group.run_records()[0].node != node
    jobs = [
        cluster.call("sbatch", "--parsable", "--partition=high", "--exclusive", "--wrap=sleep 1", "--output=/dev/null")
        for _ in range(2)
    ]
    assert all(job.strip().isdecimal() for job in jobs)
    wait_for(lambda: group.run_records()[0].has_ended, group.run_records)
    assert group.run_records()[0].code == "preempted"
    begin_at_once(cluster, group)
    wait_for(lambda: (record := group.run_records()[0]).attempt == 3 and record.identity, group.run_records)
    assert len(submissions_of(group.folder)) == 1
    cluster.call("scontrol", "update", f"NodeName={group.run_records()[0].node}", "State=DOWN", "Reason=test")
    assert run_group(group, workers=1)
    cluster.call("scontrol", "update", "NodeName=n1,n2", "State=RESUME")
    (record,) = group.run_records()
    assert (record.status, record.code, record.attempt) in (
        ("infrastructure", "node-lost", 3),
        ("infrastructure", "preempted", 3),
    )
    assert len(submissions_of(group.folder)) == 1, "after three attempts there are no more"


def test_keys_are_seen_by_the_agent_and_nowhere_else(
    cluster: Cluster,
    keyed_agent: Callable[[str], KeyedAgent],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent = keyed_agent(SLOW)
    monkeypatch.setenv("UNRELATED_KEY", "of-no-concern")
    group = create_group(tmp_path / "runs", [WINE], [0], agent.settings)
    run_group(group, workers=1, detach=True)
    begun(group)
    (submission,) = submissions_of(group.folder)
    kept = Path(submission.environment)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert json.loads(kept.read_text())["THE_KEY"] == agent.key
    assert "of-no-concern" not in kept.read_text()
    assert not kept.is_relative_to(group.folder)
    shown = cluster.call("scontrol", "show", "job", "-dd", job_of(group))
    shown += cluster.call("scontrol", "write", "batch_script", job_of(group), "-")
    shown += subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "slurm_job" in shown
    assert agent.key not in shown
    assert not [path for path in group.folder.rglob("*") if path.is_file() and agent.key.encode() in path.read_bytes()]
    interrupts = Interrupts(2)
    assert not run_group(group, workers=1, interrupts=interrupts), "Ctrl-C twice"
    assert [record.status for record in group.run_records()] == ["cancelled"]
    assert not kept.exists()


@pytest.mark.usefixtures("cluster")
def test_an_agent_calls_a_model_through_the_gateway_of_its_node(
    settings: RunSettings, model_is_called: Callable[[RunSettings], None]
) -> None:
    model_is_called(settings)


def test_ctrl_c_takes_back_what_has_not_begun(cluster: Cluster, settings: RunSettings, tmp_path: Path) -> None:
    command = f"{HAND_IN}; until [ -e {tmp_path}/drained ]; do sleep 0.2; done"
    group = create_group(tmp_path, [WINE], [0, 1, 2], replace(settings, agent_options={"command": command}))
    interrupts = Interrupts()
    draining: list[int] = []

    def on_drain(count: int) -> None:
        draining.append(count)
        (tmp_path / "drained").touch()

    class Interrupted(SlurmExecutor):
        def wait(self, seconds: float):  # type: ignore[no-untyped-def]
            if any(record.identity for record in group.run_records()):
                interrupts.count = 1
            return super().wait(seconds)

    executor = Interrupted(group, 1)
    assert not run_group(group, workers=1, executor=executor, interrupts=interrupts, on_drain=on_drain)
    assert draining == [1]
    assert [record.status for record in group.run_records()] == ["success", "planned", "planned"]
    assert not [
        line
        for line in cluster.call("squeue", "-h", "-o", "%j").split()
        if line == submissions_of(group.folder)[0].name
    ]
    assert run_group(group, workers=2)
    assert [(record.status, record.attempt) for record in group.run_records()] == [("success", 1)] * 3


_SEES = 'for gpu in /dev/nvidia*; do [ -c $gpu ] && stat -c "sees %n %t:%T" $gpu; done; echo "sees all"'


@pytest.mark.skipif(not has_own_devices(), reason="root may not mount here, so a node cannot have devices of its own")
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_gpus_that_slurm_granted_are_the_ones_that_agents_see(
    cluster: Cluster, settings: RunSettings, tmp_path: Path
) -> None:
    """Three jobs on one node at the same time: two have one GPU each, and the third has none."""
    command = f"{_SEES}; {HAND_IN}; sleep 600"
    settings = replace(
        settings, sandbox="bubblewrap", executor_options={"nodelist": "n1"}, agent_options={"command": command}
    )
    granted = replace(settings, limits=replace(settings.limits, gpus=1))
    groups = create_group(tmp_path, [WINE], [0, 1], granted), create_group(tmp_path, [WINE], [0], settings)
    for group in groups:
        run_group(group, workers=2, detach=True)
    logs = [group.folder_of(planned) / "agent.log" for group in groups for planned in group.record.plan]
    wait_for(lambda: all(log.is_file() and "sees all" in log.read_text() for log in logs), groups[0].run_records)
    (submission,) = submissions_of(groups[0].folder)
    assert "TresPerNode=gres:gpu:1" in cluster.call("scontrol", "show", "job", str(submission.job))
    seen = [re.findall("sees (/dev/.*)", log.read_text()) for log in logs]
    assert sorted(seen[:2]) == [["/dev/nvidia0 1:3"], ["/dev/nvidia1 1:5"]], "one each, and not the same"
    assert seen[2] == []
    for group in groups:
        assert not run_group(group, workers=2, interrupts=Interrupts(2))


def test_a_node_without_our_python_or_a_gpu_is_a_fault_of_the_machine(
    cluster: Cluster, settings: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    granted = replace(settings, limits=replace(settings.limits, gpus=1), executor_options={"nodelist": "n2"})
    group = create_group(tmp_path, [WINE], [0], granted)
    assert run_group(group, workers=1)
    (record,) = group.run_records()
    assert (record.status, record.code) == ("infrastructure", "sandbox-error"), "Slurm has GPUs that are none"
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    other = create_group(tmp_path, [WINE], [0], settings)
    assert run_group(other, workers=1)
    (record,) = other.run_records()
    assert (record.status, record.code) == ("infrastructure", "runner-lost")
    assert "ended with exit code 127 on n" in str(record.error)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"executor_options": {"partition": "nope"}}, "Slurm refuses the job: .*[Ii]nvalid partition"),
        ({"limits": Limits(memory_bytes=1 << 40)}, "Slurm refuses the job: .*not available.*No node has so much"),
        ({"limits": Limits(gpus=3)}, r"Slurm refuses the job: .* \(.*--gres=gpu:3\)\. No node has so much"),
        ({"executor_options": {"nonsense": "1"}}, "Slurm refuses the job: .*option '--nonsense"),
        ({"executor_options": {"array": "0-9"}}, "--slurm-option array cannot be given"),
        ({"executor_options": {"Partition": "x"}}, "'Partition' is not an option of sbatch"),
        ({"executor_options": {"comment": 'a"b'}}, "has characters that no script may have"),
    ],
)
def test_what_no_node_can_do_is_refused_before_anything_is_submitted(
    cluster: Cluster, settings: RunSettings, change: dict[str, object], problem: str
) -> None:
    with pytest.raises(MlebenchError) as refusal:
        SlurmExecutor.check(replace(settings, **change), [WINE])  # type: ignore[arg-type]
    assert re.search(problem, f"{refusal.value}"), refusal.value


def test_budgets_make_arrays_and_workers_are_shared(settings: RunSettings, tmp_path: Path) -> None:
    """Competitions with budgets of their own have an array of their own."""
    own = replace(settings, competition_limits={"practice-digits": Limits(seconds=60)})
    group = create_group(tmp_path, [WINE, "practice-digits"], range(4), own)
    arrays = by_shape(own, group.record.plan, most=3)
    assert [(shape.minutes, len(runs)) for shape, runs in arrays] == [(16, 3), (16, 1), (12, 3), (12, 1)]
    assert shares(8, [100, 100]) == [4, 4]
    assert shares(5, [9, 1]) == [4, 1]
    assert shares(1, [3, 3]) == [1, 1]
    assert shares(9, [2, 3]) == [2, 3]


def test_a_job_past_its_limit_is_a_fault_of_the_machine(past_its_limit: PlannedGroup) -> None:
    """The run was promised ten minutes, and the job had one."""
    wait_for(lambda: past_its_limit.run_records()[0].has_ended, past_its_limit.run_records)
    assert run_group(past_its_limit, workers=1)
    (record,) = past_its_limit.run_records()
    assert (record.status, record.code) == ("infrastructure", "job-time-limit")
    assert "00:01:00" in str(record.error)
