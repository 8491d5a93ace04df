"""The executor `ray` on a real cluster: two nodes on this machine."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import psutil
import pytest
from experiments.files import run_on
from ray_cluster import ray_cluster, why_not
from runs.executors.conftest import KeyedAgent
from waiting import wait_for

from mlebench.errors import MlebenchError
from mlebench.files.scratch import remove_abandoned
from mlebench.results.records import GroupRecord, RunRecord
from mlebench.runs.disk import release_records
from mlebench.runs.executors.ray import RayExecutor, write_part
from mlebench.runs.executors.ray_node import Message, _files, _growing
from mlebench.runs.group import PlannedGroup, create_group, load_group
from mlebench.runs.running import Interrupts, run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Limits

needs_ray = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
pytestmark = [pytest.mark.xdist_group("ray"), pytest.mark.once]
EXECUTOR = "ray"
WINE = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with ray_cluster() as cluster:
        yield cluster


def on(cluster: Any, settings: RunSettings) -> RunSettings:
    return replace(settings, executor_options={"address": cluster.address})


def runners(group: PlannedGroup) -> list[psutil.Process]:
    """The processes on any node that execute runs of a group: agents, which are in its folder, and runners."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):  # one may be deeper in folders than a path can tell
            paths = [process.cwd()]
            if "mlebench.runs.executors.runner" in process.cmdline():
                paths += [file.path for file in process.open_files()]
            if any(group.record.run_group in path for path in paths):
                found.append(process)
    return found


def begun(group: PlannedGroup, count: int = 1) -> None:
    wait_for(lambda: sum(bool(record.identity) for record in group.run_records()) >= count, group.run_records)


@needs_ray
def test_tasks_execute_a_group_as_this_machine_does_without_a_shared_folder(
    cluster: Any, keyed_agent: Callable[[str], KeyedAgent], tmp_path: Path
) -> None:
    """The data and the agent are sent to the nodes, and the key is seen by the agent alone."""
    agent = keyed_agent(f'[ "$SEED" != 1 ] || exit 3; {HAND_IN}')
    here = create_group(tmp_path, [WINE], [0, 1, 2], replace(agent.settings, executor="local"))
    assert run_group(here, workers=2)
    there = create_group(tmp_path, [WINE], [0, 1, 2], on(cluster, agent.settings))
    seen: list[str] = []

    class Staging(RayExecutor):
        stages_always = True

        def collect(self, planned):  # type: ignore[no-untyped-def]
            seen.append(subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout)
            return super().collect(planned)

    assert run_group(there, workers=2, executor=Staging(there, 2))

    def told(record: RunRecord) -> object:
        return (record.status, record.code, record.error, record.attempt, record.output_digests, record.promised)

    records = there.run_records()
    assert [told(record) for record in records] == [told(record) for record in here.run_records()]
    assert {record.executor for record in records} == {"ray"}
    assert all(record.node and record.job_id for record in records)
    first = there.folder_of(there.record.plan[0])
    assert (first / "submission" / "submission.csv").read_bytes() == (
        here.folder_of(here.record.plan[0]) / "submission" / "submission.csv"
    ).read_bytes()
    states = [json.loads(line).get("status") for line in (first / "events.jsonl").read_text().splitlines()]
    assert [state for state in states if state] == ["queued", "preparing", "running", "collecting", "success"]
    logs = Path(cluster.head_node.get_session_dir_path(), "logs")
    texts = [path.read_text(errors="replace") for path in logs.rglob("*") if path.is_file()]
    assert texts
    assert not [text for text in (*seen, *texts) if agent.key in text]
    assert GroupRecord.load(there.folder).runs[there.record.plan[1].folder]["status"] == "failed"


@needs_ray
def test_an_agent_calls_a_model_through_the_gateway_of_its_node(
    cluster: Any, settings: RunSettings, model_is_called: Callable[[RunSettings], None]
) -> None:
    model_is_called(on(cluster, settings))


@needs_ray
def test_the_arms_of_an_experiment_take_turns_on_it(
    cluster: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RayExecutor, "stages_always", True)  # as where nodes see neither data nor material
    records = run_on("ray", f'address = "{cluster.address}"', tmp_path, data)
    assert [(record.status, record.executor) for record in records] == [("success", "ray")] * 4
    assert ["material" in record.inputs for record in records] == [False, False, True, True]


@needs_ray
def test_ctrl_c_twice_leaves_nothing_on_any_node(cluster: Any, settings: RunSettings, tmp_path: Path) -> None:
    slow = replace(on(cluster, settings), agent_options={"command": f"{HAND_IN}; sleep 600"})
    group = create_group(tmp_path, [WINE], [0, 1], slow)
    interrupts = Interrupts()

    class Interrupted(RayExecutor):
        def wait(self, seconds: float):  # type: ignore[no-untyped-def]
            if all(record.identity for record in group.run_records()):
                interrupts.count = 2
            return super().wait(seconds)

    assert not run_group(group, workers=2, executor=Interrupted(group, 2), interrupts=interrupts)
    assert [(record.status, record.code) for record in group.run_records()] == [("cancelled", "cancelled")] * 2
    wait_for(lambda: not runners(group))


@needs_ray
def test_a_killed_driver_is_resumed_without_a_second_copy(cluster: Any, settings: RunSettings, tmp_path: Path) -> None:
    agent = f"{HAND_IN}; until [ -e {tmp_path}/resumed ]; do sleep 0.2; done"
    command = [sys.executable, "-m", "mlebench", "run", "--agent", "command", "--command", agent]
    command += ["-c", WINE, "--data-dir", str(settings.data_dir), "--memory-limit", "1G", "--executor", "ray"]
    command += ["--address", cluster.address, "--runs-dir", str(tmp_path), "--sandbox", "process"]
    driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: list(tmp_path.glob("*run-group*")))
    group = load_group(next(tmp_path.glob("*run-group*")))
    begun(group)
    assert len(runners(group)) > 1
    driver.kill()
    driver.wait()

    class Resumed(RayExecutor):
        def wait(self, seconds: float):  # type: ignore[no-untyped-def]
            if (record := group.run_records()[0]).attempt == 2 and record.identity:
                (tmp_path / "resumed").touch()  # what the killed driver has begun must have been ended before
            return super().wait(seconds)

    assert run_group(group, workers=1, executor=Resumed(group, 1))
    (record,) = group.run_records()
    assert (record.status, record.attempt) == ("success", 2)
    wait_for(lambda: not runners(group))
    assert not list((group.folder / ".jobs").iterdir())
    left = Path(tempfile.gettempdir())
    wait_for(lambda: remove_abandoned() >= 0 and not list(left.glob(f"mlebench-*/{group.record.run_group}")))


@needs_ray
def test_what_no_node_has_is_refused_before_anything_runs(cluster: Any, settings: RunSettings) -> None:
    for limits in (Limits(gpus=1), Limits(memory_bytes=1 << 50), Limits(cpus=1000.0)):
        with pytest.raises(MlebenchError, match=r"No node of the Ray cluster at .* has what a run asks for"):
            RayExecutor.check(replace(on(cluster, settings), limits=limits), [WINE])


@needs_ray
def test_a_lost_node_is_a_fault_that_is_tried_again(cluster: Any, settings: RunSettings, tmp_path: Path) -> None:
    """Four runs on two nodes, one of which vanishes: its runs are tried again, and nothing is doubled."""
    command = f"{HAND_IN}; until [ -e {tmp_path}/lost ]; do sleep 0.2; done"
    slow = replace(on(cluster, settings), agent_options={"command": command}, retries=1)
    group = create_group(tmp_path, [WINE], range(4), slow)
    lost: list[RunRecord] = []

    class Losing(RayExecutor):
        def wait(self, seconds: float):  # type: ignore[no-untyped-def]
            there = f"/{cluster.worker.node_id[:6]}"
            if not lost and (found := [run for run in group.run_records() if run.identity and there in str(run.node)]):
                lost.extend(found)
                cluster.remove_node(cluster.worker, allow_graceful=False)
            begun = {(run.run_id, run.attempt) for run in group.run_records() if run.status == "running"}
            if lost and not begun & {(run.run_id, run.attempt) for run in lost}:
                (tmp_path / "lost").touch()  # now that the loss is known: no agent of that node may end before
            return super().wait(seconds)

    assert run_group(group, workers=4, executor=Losing(group, 4))
    records = {record.run_id: record for record in group.run_records()}
    assert [record.status for record in records.values()] == ["success"] * 4
    assert {records[record.run_id].attempt for record in lost} == {2}
    assert {record.attempt for record in records.values()} <= {1, 2}
    assert lost[0].node not in {record.node for record in records.values()}
    assert [noted["success"] for noted in GroupRecord.load(group.folder).runs.values()] == [True] * 4
    wait_for(lambda: not runners(group))


def test_without_ray_or_a_cluster_one_sentence_says_so(settings: RunSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    if why_not() is None:
        import ray

        monkeypatch.setattr(ray, "is_initialized", lambda: False)
        with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as other:
            threading.Thread(target=other.handle_request, daemon=True).start()
            for address, reason in (
                ("127.0.0.1:1", "Connection refused"),
                (f"127.0.0.1:{other.server_port}", "what listens there is not Ray"),
            ):
                sentence = f"There is no Ray cluster at {address} that could be used: {reason}."
                with pytest.raises(MlebenchError, match=re.escape(sentence)):
                    RayExecutor.check(replace(settings, executor_options={"address": address}), [WINE])
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MlebenchError, match=r"needs Ray\. Install it with: pip install 'mlebench\[ray\]'"):
        RayExecutor.check(settings, [WINE])


def test_the_record_of_an_end_is_sent_after_everything_else(settings: RunSettings, tmp_path: Path) -> None:
    """Else a driver that is killed meanwhile has a run that succeeded, without its submission."""
    group = create_group(tmp_path, [WINE], [0], settings)
    (planned,) = group.record.plan
    folder = group.folder_of(planned)
    release_records(folder)
    record = group.record.record_of(planned)
    (folder / "submission").mkdir()
    (folder / "submission" / "submission.csv").write_text("id\n")
    sent = []
    replace(record, status="running").save(folder)
    with subprocess.Popen(["sleep", "600"]) as process:
        for message in _growing(folder, process):  # whose pauses are those of a node
            sent.append((message.path, json.loads(message.content)["status"]))
            replace(record, status="success").save(folder)
            threading.Timer(1.0, process.kill).start()
    assert sent == [("run.json", "running")]
    *others, last = _files(folder)
    assert {message.path for message in others} == {"submission/submission.csv"}
    assert (last.path, json.loads(last.content)["status"]) == ("run.json", "success")


@pytest.mark.parametrize("name", ["/etc/passwd", "../other/run.json", "a/../../b", ""])
def test_a_node_cannot_write_elsewhere(name: str, tmp_path: Path) -> None:
    with pytest.raises(MlebenchError, match="has sent a file with the name"):
        write_part(tmp_path, Message("replace", name, b"x"))
