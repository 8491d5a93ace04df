"""What any machine of a cluster checks before it executes a run, and what is kept from one attempt to the next."""

from __future__ import annotations

import re
import threading
import weakref
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import wait_for

from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.errors import MlebenchError
from mlebench.results.records import GroupRecord, RunRecord
from mlebench.runs import running
from mlebench.runs.attempt import GivenUpError
from mlebench.runs.executors.node import discard_attempts, execute_on_node, needed_variables, versions_here
from mlebench.runs.executors.order import RunOrder, execute_order
from mlebench.runs.executors.staging import pack, staged_folder
from mlebench.runs.group import create_group
from mlebench.runs.resume import plan_again
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.runs.work_folders import hidden_work_folder
from mlebench.sandbox import Limits, gpu

WINE = "practice-wine"


@pytest.fixture
def settings(tmp_path: Path) -> RunSettings:
    return RunSettings(agent="command", data_dir=tmp_path / "data", agent_options={"command": "true"}, retries=1)


@pytest.mark.parametrize(
    ("versions", "code", "sentence"),
    [
        (
            {"mlebench": "0.1"},
            "version-mismatch",
            r"The node gpu7 has mlebench .*, and the group was planned with mlebench 0\.1",
        ),
        ({"python": "3.8"}, "version-mismatch", r"The node gpu7 has python .* planned with python 3\.8"),
        ({}, "not-prepared", "The node gpu7 does not see the data folder"),
    ],
)
def test_what_differs_on_a_node_is_a_fault_of_that_run(
    settings: RunSettings, tmp_path: Path, versions: dict[str, str], code: str, sentence: str
) -> None:
    group = create_group(tmp_path, [WINE], [0], settings)
    (planned,) = group.record.plan
    versions = {**versions_here(), **versions}
    record = execute_on_node(group, planned, executor="slurm", job_id="1_0", planned_with=versions, node="gpu7")
    assert (record.status, record.code, record.attempt) == ("infrastructure", code, 1)
    assert (record.executor, record.job_id, record.node) == ("slurm", "1_0", "gpu7")
    assert re.search(sentence, str(record.error)), record.error
    assert group.run_record(planned) == record


def test_a_run_that_is_complete_is_not_executed_again_and_a_killed_one_as_often_as_it_may(
    settings: RunSettings, tmp_path: Path
) -> None:
    prepare(Registry(tmp_path / "data").get_competition(WINE))
    group = create_group(tmp_path, [WINE], [0], settings)
    (planned,) = group.record.plan

    def execute() -> tuple[str, str | None, int]:
        record = execute_on_node(group, planned, executor="slurm", job_id="1_0", planned_with=versions_here())
        return record.status, record.code, record.attempt

    assert execute() == ("failed", "no-submission", 1)
    assert execute() == ("failed", "no-submission", 1), "it is complete"
    killed = replace(group.run_record(planned), status="running", code=None)
    killed.save(group.folder_of(planned))
    assert execute() == ("failed", "no-submission", 2), "Slurm has started the task again"
    replace(killed, attempt=2).save(group.folder_of(planned))
    assert execute() == ("infrastructure", "node-lost", 2), "there are no more attempts"


def test_an_attempt_that_was_given_up_writes_nothing_any_more(settings: RunSettings, tmp_path: Path) -> None:
    """A node that was taken for lost goes on, while the next attempt has begun on another one."""
    prepare(Registry(tmp_path / "data").get_competition(WINE))
    hand_in = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"; sleep 600'
    slow = replace(settings, agent_options={"command": hand_in}, grace=1.0)
    group = create_group(tmp_path, [WINE], [0], slow)
    (planned,) = group.record.plan
    given_up: list[str] = []

    def execute() -> None:
        try:
            execute_on_node(group, planned, executor="slurm", job_id="1_0", planned_with=versions_here(), node="n1")
        except GivenUpError:
            given_up.append("n1")

    lost = threading.Thread(target=execute)
    lost.start()
    wait_for(lambda: group.run_record(planned).identity, group.run_records)
    folder = group.folder_of(planned)
    following = replace(group.run_record(planned), attempt=2, node="n2")
    plan_again(group, planned, following)
    following.save(folder)
    lost.join()
    assert given_up == ["n1"]
    assert group.run_record(planned) == following
    assert not (folder / "submission").exists()
    assert not list(group.folder.glob(f".{planned.run_id}*"))


def test_what_given_up_attempts_left_is_found_without_reading_the_folder_of_the_group(
    settings: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which has one folder for every run: reading it at every end would cost more the more runs there are."""
    group = create_group(tmp_path, [WINE], [0], settings)
    (planned,) = group.record.plan
    folders = [hidden_work_folder(group.folder, planned.run_id, attempt) for attempt in (1, 2)]
    for folder in folders:
        (folder / "home").mkdir(parents=True)
    monkeypatch.setattr(Path, "glob", lambda *_: pytest.fail("it was read"))
    monkeypatch.setattr(Path, "iterdir", lambda *_: pytest.fail("it was read"))
    discard_attempts(group, planned, 2)
    assert not any(folder.exists() for folder in folders)


def test_only_what_a_run_needs_of_the_environment_goes_along(settings: RunSettings, tmp_path: Path) -> None:
    agent = tmp_path / "agents" / "keyed"
    agent.mkdir(parents=True)
    (agent / "config.yaml").write_text(
        "keyed:\n  start: keyed/start.sh\n  env_vars:\n    A: ${{ secrets.AGENT_KEY }}\n"
    )
    (agent / "start.sh").touch()
    services = {"models": {"upstreams": [{"url": "https://example.org", "key_variable": "MODEL_KEY"}]}}
    keyed = replace(settings, agent="keyed", agents_dirs=(tmp_path / "agents",), services=services, agent_options={})
    environment = {"AGENT_KEY": "1", "MODEL_KEY": "2", "MLEBENCH_STATE_DIR": "/s", "OTHER_KEY": "3", "PATH": "/bin"}
    assert needed_variables(keyed, environment) == {"AGENT_KEY": "1", "MODEL_KEY": "2", "MLEBENCH_STATE_DIR": "/s"}


@pytest.mark.parametrize(
    ("environment", "granted"),
    [
        ({}, None),
        ({"CUDA_VISIBLE_DEVICES": ""}, ()),
        ({"CUDA_VISIBLE_DEVICES": "1,0"}, (3, 5)),
        ({"CUDA_VISIBLE_DEVICES": "GPU-bb"}, (3,)),
        ({"CUDA_VISIBLE_DEVICES": "0", "SLURM_JOB_GPUS": "3"}, (3,)),
        ({"CUDA_VISIBLE_DEVICES": "NoDevFiles"}, ()),
        ({"CUDA_VISIBLE_DEVICES": "GPU-bb,GPU-aa", "SLURM_JOB_GPUS": ""}, (3, 5)),
        ({"SLURM_JOB_GPUS": "GPU-aa"}, (5,)),
        ({"CUDA_VISIBLE_DEVICES": "GPU-cc"}, "granted the GPU GPU-cc, which this machine does not have"),
        ({"CUDA_VISIBLE_DEVICES": "2"}, "granted the GPU 2, which this machine does not have"),
        ({"CUDA_VISIBLE_DEVICES": "MIG-1234", "SLURM_JOB_GPUS": "0"}, "granted MIG-1234, a part of a GPU, and runs"),
    ],
)
def test_the_gpus_that_a_cluster_granted_are_the_only_ones(
    environment: dict[str, str], granted: tuple[int, ...] | str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two GPUs, whose devices are numbered in another order than they are on the bus."""
    for bus, number, uuid in (("0000:01:00.0", 5, "GPU-aa"), ("0000:02:00.0", 3, "GPU-bb")):
        (tmp_path / "driver" / bus).mkdir(parents=True)
        (tmp_path / "driver" / bus / "information").write_text(f"GPU UUID: \t {uuid}\nDevice Minor: \t {number}\n")
        (tmp_path / f"nvidia{number}").touch()
    monkeypatch.setattr(gpu, "_DRIVER", tmp_path / "driver")
    monkeypatch.setattr(gpu, "_DEVICES", tmp_path)
    monkeypatch.setattr(gpu, "_allowed", None)
    assert gpu.numbers() == [3, 5]
    assert gpu.variables([5]) == {"CUDA_VISIBLE_DEVICES": "GPU-aa"}
    assert gpu.variables([]) == {"CUDA_VISIBLE_DEVICES": ""}, "a run without a GPU finds none"
    if isinstance(granted, str):
        with pytest.raises(MlebenchError, match=granted):
            gpu.granted(environment)
        return
    assert gpu.granted(environment) == granted
    gpu.allow_only(granted or ())
    assert gpu.numbers() == sorted(granted or ())


def test_a_part_of_a_gpu_is_a_fault_of_that_run(
    settings: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    group = create_group(tmp_path, [WINE], [0], replace(settings, limits=Limits(gpus=1)))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "MIG-1234")
    order = RunOrder(str(group.folder), group.record.plan[0].run_id, "slurm", "1_0", "gpu7", versions_here())
    record = execute_order(order)
    assert (record.status, record.code, record.attempt) == ("infrastructure", "sandbox-error", 1)
    assert "The cluster granted MIG-1234, a part of a GPU, and runs are given whole GPUs only." in str(record.error)


def test_a_folder_is_sent_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "data" / "a").mkdir(parents=True)
    (tmp_path / "data" / "a" / "x.csv").write_text("1,2\n")
    (tmp_path / "data" / "b").mkdir()
    (tmp_path / "data" / "b" / "y.csv").write_text("not asked for")
    staged = pack("data_dir", tmp_path / "data", [tmp_path / "data" / "a"], lambda content: content)
    with pytest.raises(MlebenchError, match="did not arrive on this node as it was sent"):
        staged_folder(staged, lambda content: content[:-1] + b"x")
    place = staged_folder(staged, lambda content: content)
    assert [path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()] == ["a/x.csv"]
    assert staged_folder(staged, lambda _: pytest.fail("it is there")) == place
    assert staged.applied_to({"data_dir": "/old"}, place) == {"data_dir": str(place)}


def test_the_record_of_a_group_is_not_written_at_every_end(
    settings: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It grows with the number of runs; in the end it has all results."""
    group = create_group(tmp_path, [WINE], range(300), settings)
    writes: list[int] = []
    save = GroupRecord.save

    def counted(self: GroupRecord, folder: Path) -> None:
        writes.append(1)
        save(self, folder)

    monkeypatch.setattr(GroupRecord, "save", counted)
    notes = running._Notes(group)
    for planned in group.record.plan:
        notes.add(planned, replace(group.run_record(planned), status="failed"))
    notes.write()
    assert len(writes) < 60
    assert {noted["status"] for noted in GroupRecord.load(group.folder).runs.values()} == {"failed"}


def test_records_of_runs_are_read_one_at_a_time(
    settings: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record has ten kilobytes: what the command that runs a group needs must not grow with the number of runs."""
    group = create_group(tmp_path, [WINE], range(20), settings)
    for planned in group.record.plan:
        replace(group.run_record(planned), status="failed", submission="a").save(group.folder_of(planned))
    read: list[weakref.ref[RunRecord]] = []
    load = RunRecord.load.__func__  # type: ignore[attr-defined]

    def counted(cls: type[RunRecord], folder: Path) -> RunRecord:
        assert sum(record() is not None for record in read) < 3
        found: RunRecord = load(cls, folder)
        read.append(weakref.ref(found))
        return found

    monkeypatch.setattr(RunRecord, "load", classmethod(counted))
    assert group.is_complete
    tally = group.tally()
    assert (tally.statuses, tally.submissions, len(read)) == ({"failed": 20}, 20, 40)


def test_only_what_outlives_this_process_can_be_detached_from(settings: RunSettings, tmp_path: Path) -> None:
    group = create_group(tmp_path, [WINE], [0], settings)
    with pytest.raises(MlebenchError, match="end with this command, so there is nothing to detach from"):
        run_group(group, workers=1, detach=True)
