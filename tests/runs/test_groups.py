"""Run groups: real agents in a real sandbox, budgets, crashes, messes, and what is left on disk."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import psutil
import pytest
from command import run_command
from waiting import PATIENCE, wait_for

from mlebench.base.processes import StoppedError, run_apart
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.errors import MlebenchError
from mlebench.files.writing import now
from mlebench.grade.grading import grade_csv
from mlebench.results.groups import find_groups, open_group
from mlebench.results.records import GroupRecord, RunRecord
from mlebench.results.trust import is_own
from mlebench.runs.attempt import Attempt
from mlebench.runs.grading import grade_group, write_submission_list
from mlebench.runs.group import PlannedGroup, create_group, load_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import SANDBOXES, Limits, gpu

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/run.schema.json").read_text())
WINE, DIABETES = "practice-wine", "practice-diabetes"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'
LIMITS = Limits(seconds=60, memory_bytes=1 << 30, output_bytes=1 << 20)
NAMES = [name for name, sandbox in SANDBOXES.items() if name != "docker" and sandbox.availability().works]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for each in (WINE, DIABETES):
        prepare(Registry(folder).get_competition(each))
    return folder


def settings(data: Path, command: str, sandbox: str = "process", limits: Limits = LIMITS) -> RunSettings:
    return RunSettings(
        agent="command", data_dir=data, sandbox=sandbox, limits=limits, agent_options={"command": command}, grace=1.0
    )


def run_one(data: Path, runs: Path, command: str, sandbox: str = "process", limits: Limits = LIMITS) -> RunRecord:
    group = create_group(runs, [WINE], [7], settings(data, command, sandbox, limits))
    assert run_group(group, workers=1)
    record = group.run_records()[0]
    jsonschema.validate(json.loads((group.folder_of(group.record.plan[0]) / "run.json").read_text()), SCHEMA)
    return record


@pytest.mark.parametrize("sandbox", NAMES)
def test_a_run_and_its_record(data: Path, tmp_path: Path, sandbox: str) -> None:
    command = f'{HAND_IN}; echo "seed $SEED of $COMPETITION_ID"; echo note > "$LOGS_DIR/note.txt"; pwd'
    record = run_one(data, tmp_path, command, sandbox)
    assert (record.status, record.code, record.exit_code, record.seed) == ("success", None, 0, 7)
    assert (record.executor, record.node, record.job_id) == ("local", platform.node(), str(os.getpid()))
    assert record.identity == {}, "nothing of it can be found any more"
    assert record.sandbox == sandbox
    assert record.sample_handed_in
    assert set(record.outputs) == {"submission/submission.csv", "logs/note.txt"}
    assert record.usage["seconds"] > 0
    assert record.versions["mlebench"]
    assert {"1 min instead of 24 h", "1 seed instead of at least 3"} <= set(record.deviations)
    group = load_group(next(tmp_path.glob("*_run-group_command")))
    folder = group.folder_of(group.record.plan[0])
    assert f"seed 7 of {WINE}" in (folder / "agent.log").read_text()
    assert sorted(path.name for path in folder.iterdir()) == [
        "agent.log", "code", "events.jsonl", "logs", "run.json", "run.log", "submission",
    ]  # fmt: skip
    metadata = json.loads((group.folder / "metadata.json").read_text())
    assert metadata["run_group"] == group.folder.name
    assert [each["success"] for each in metadata["runs"].values()] == [True]
    report = grade_group(group.results())
    assert [(each["run_id"], each["seed"]) for each in report["competition_reports"]] == [(record.run_id, 7)]
    assert report["total_valid_submissions"] == 1
    assert write_submission_list(group.results(), tmp_path / "list.jsonl") == 1
    line = json.loads((tmp_path / "list.jsonl").read_text())
    assert Path(line["submission_path"]).is_file()
    assert Path(line["logs_path"]).is_dir()


PYTHON = f'"{sys.executable}" -c'
EXCEEDING = {
    "timeout": ("sleep 600", Limits(seconds=4.0)),  # long enough to hand in before, on any machine
    "memory": (f"{PYTHON} 'x = bytearray(400 << 20); import time; time.sleep(600)'", Limits(memory_bytes=200 << 20)),
    "output": ("yes | head -c 50000000; sleep 600", Limits(output_bytes=1 << 20)),
    "disk": (
        'for i in $(seq 40); do head -c 10000000 /dev/zero > "$CODE_DIR/$i"; sleep 0.1; done; sleep 600',
        Limits(disk_bytes=50 << 20),
    ),
}


@pytest.mark.parametrize("budget", EXCEEDING)
@pytest.mark.parametrize("sandbox", NAMES)
def test_what_exceeds_a_budget_is_ended_and_graded(data: Path, tmp_path: Path, sandbox: str, budget: str) -> None:
    command, limits = EXCEEDING[budget]
    record = run_one(data, tmp_path, f"{HAND_IN}; {command}", sandbox, limits)
    assert (record.status, record.code) == (budget, f"{'time' if budget == 'timeout' else budget}-limit"), record
    assert record.identity == {}, "nothing of it can be found any more"
    assert record.submission is not None, "what it left is kept"
    assert grade_group(open_group(next(tmp_path.glob("*_run-group_*"))))["total_valid_submissions"] == 1


MESSES = {
    "nothing": ("true", "There is no submission.csv"),
    "a link to the answers": ('ln -s "$1/private/test.csv" "$SUBMISSION_DIR/submission.csv"', "link"),
    "a linked folder": ('rmdir "$SUBMISSION_DIR"; ln -s "$1/private" "$SUBMISSION_DIR"', "link"),
    "a pipe": ('mkfifo "$SUBMISSION_DIR/submission.csv"', "pipe"),
    "a folder": ('mkdir "$SUBMISSION_DIR/submission.csv"', "folder"),
    "no permissions": (f'{HAND_IN}; chmod 0 "$SUBMISSION_DIR"', None),
    "a path too long for any program": (
        f'{HAND_IN}; cd "$LOGS_DIR"; for i in $(seq 20); do mkdir {"x" * 250}; cd {"x" * 250}; done; echo x > x',
        None,
    ),
    "folders beyond the depth of any stack": (
        f"{HAND_IN}; cd \"$TMPDIR\"; python3 -c \"import os; [(os.mkdir('d'), os.chdir('d')) for _ in range(1500)]\"",
        None,
    ),
    "links where our files go": (
        'for f in run.json run.log agent.log .run.json; do ln -s "$HOME/.bashrc" "$HOME/$f"; done',
        "There is no submission.csv",
    ),
}


@pytest.mark.parametrize("mess", MESSES)
def test_a_mess_is_that_runs_failure_only(data: Path, tmp_path: Path, mess: str) -> None:
    command, reason = MESSES[mess]
    private = Registry(data).get_competition(WINE).prepared_dir
    group = create_group(
        tmp_path,
        [WINE, DIABETES],
        [0],
        settings(data, f'set -- "{private}"; [ "$COMPETITION_ID" = {WINE} ] || {{ {HAND_IN}; exit; }}; {command}'),
    )
    assert run_group(group, workers=2)
    messy, fine = group.run_records()
    assert fine.status == "success", fine.error
    if reason is not None:
        code = "no-submission" if "There is no" in reason else "submission-unreadable"
        assert (messy.status, messy.code) == ("failed", code), messy.error
        assert reason in str(messy.error)
        assert messy.submission is None
    else:
        assert messy.status == "success", messy.error
        assert messy.submission is not None
    report = grade_group(group.results())
    assert not report["errors"]
    assert [each["any_medal"] for each in report["competition_reports"]] == [False, False]
    answers = (private / "private/test.csv").read_text().splitlines()[1]
    assert answers not in json.dumps(report)


def test_the_log_says_how_much_was_not_collected(data: Path, tmp_path: Path) -> None:
    links = 'cd "$LOGS_DIR"; for i in $(seq 130); do ln -s /etc/hostname $i; done'
    assert run_one(data, tmp_path, f"{HAND_IN}; {links}").status == "success"
    [log] = tmp_path.glob("*/*/run.log")
    lines = [line for line in log.read_text().splitlines() if "not collected: " in line]
    assert len(lines) == 101
    assert lines[-1].endswith("not collected: 30 more")


def test_snapshots_have_medals(data: Path, tmp_path: Path) -> None:
    """A snapshot that is as good as the answers has the medal that its report has."""
    group = create_group(tmp_path, [WINE], [0], settings(data, HAND_IN))
    assert run_group(group, workers=1)
    (planned,) = group.record.plan
    competition = Registry(data).get_competition(WINE)
    for name, source in (("000001s", competition.sample_submission), ("000002s", competition.answers)):
        (group.folder_of(planned) / "snapshots" / name).mkdir(parents=True)
        (group.folder_of(planned) / "snapshots" / name / "submission.csv").write_bytes(source.read_bytes())
    grade_group(group.results())
    entries = json.loads((group.folder / "snapshots.json").read_text())[planned.run_id]
    best = grade_csv(competition.answers, competition)
    assert best.medal == "gold"
    assert [(entry["seconds"], entry["medal"]) for entry in entries] == [(1, None), (2, "gold")]
    assert entries[1]["score"] == best.score


def test_a_failing_agent_stops_nobody_and_its_log_is_kept(data: Path, tmp_path: Path) -> None:
    command = f'[ "$SEED" = 1 ] && {{ echo broken; exit 3; }}; {HAND_IN}'
    group = create_group(tmp_path, [WINE], [0, 1, 2], settings(data, command))
    assert run_group(group, workers=2)
    assert [record.status for record in group.run_records()] == ["success", "failed", "success"]
    failed = group.run_records()[1]
    assert (failed.exit_code, failed.code, failed.identity) == (3, "exit-code", {})
    assert (group.folder_of(group.record.plan[1]) / "agent.log").read_text() == "broken\n"


def test_snapshots_give_the_score_over_time(data: Path, tmp_path: Path) -> None:
    often = replace(settings(data, f"{HAND_IN}; {UNTIL_TOLD}"), snapshot_every=1.0)
    group = create_group(tmp_path, [WINE], [0], often)
    taken = group.folder_of(group.record.plan[0]) / "snapshots"
    with ThreadPoolExecutor(1) as pool:
        going = pool.submit(run_group, group, workers=1)
        wait_for(lambda: len(list(taken.glob("*/submission.csv"))) >= 2, group.run_records)
        let_go(group)
        assert going.result()
    grade_group(group.results())
    over_time = json.loads((group.folder / "snapshots.json").read_text())
    entries = over_time[group.record.plan[0].run_id]
    assert [each["seconds"] for each in entries] == sorted(int(each.name.rstrip("s")) for each in taken.iterdir())
    assert len(entries) >= 2
    assert entries[0]["seconds"] >= 1
    assert all(each["score"] is not None for each in entries)


@pytest.mark.skipif("bubblewrap" not in NAMES, reason="names cannot be hidden in a process, which sees true paths")
def test_a_hidden_name_is_in_no_path_that_the_agent_sees(data: Path, tmp_path: Path) -> None:
    look = 'cat /proc/self/mountinfo "$HOME"/*.txt "$DATA_DIR/description.md"; env; ls -aR "$HOME" | head -50'
    hidden = replace(settings(data, f"{HAND_IN}; {look}", "bubblewrap"), obfuscated=True)
    group = create_group(tmp_path, [WINE], [0], hidden)
    assert run_group(group, workers=1)
    record = group.run_records()[0]
    assert record.status == "success", record.error
    log = (group.folder_of(group.record.plan[0]) / "agent.log").read_text()
    assert "/home" in log
    assert WINE not in log
    assert not list(group.folder.glob(".*-*")), "nothing is left of where it took place"


_started: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def _nothing_goes_on() -> Iterator[None]:
    """A test that fails leaves no process behind, which would slow down all others."""
    yield
    for process in _started:
        if process.poll() is None:
            process.kill()
            process.communicate()
    _started.clear()


def start(data: Path, runs: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "mlebench", "run", "--runs-dir", str(runs), "--data-dir", str(data), *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    _started.append(process)
    return process


def the_group(runs: Path, process: subprocess.Popen[str]) -> PlannedGroup:
    """The group that a process makes."""
    wait_for(lambda: find_groups(runs) or process.poll() is not None)
    if not (found := find_groups(runs)):
        pytest.fail(f"no group was made: {process.communicate()}")
    return load_group(found[0].folder)


UNTIL_TOLD = 'touch "$HOME/wait"; while [ -e "$HOME/wait" ]; do sleep 0.05 || exit; done'


def let_go(group: PlannedGroup, number: int = 0) -> None:
    """Let the agent of a run go on, which waits to be told."""
    told = group.folder_of(group.record.plan[number]) / "home" / "wait"
    wait_for(told.exists, group.run_records)
    told.unlink()


def agents_alive(mark: str) -> list[int]:
    return [each.pid for each in psutil.process_iter(["cmdline"]) if mark in (each.info["cmdline"] or [])]


@pytest.mark.parametrize("sandbox", NAMES)
def test_killed_twice_and_resumed(data: Path, tmp_path: Path, sandbox: str) -> None:
    """Nothing is lost, nothing is done twice, and no agent of a killed orchestrator goes on."""
    mark = f"86400.{uuid.uuid4().int}"  # seconds: a sleep that no other process has
    command = f'echo began >> "$LOGS_DIR/began"; {HAND_IN}; sleep 0.3; [ "$SEED" != 1 ] || sleep {mark} & wait'
    arguments = ["--agent", "command", "--command", command, "-c", WINE, "--seeds", "6", "--workers", "2"]
    first = start(data, tmp_path, *arguments, "--sandbox", sandbox, "--time-limit", "6s")
    group = the_group(tmp_path, first)
    wait_for(lambda: any(record.has_ended for record in group.run_records()), group.run_records)
    first.kill()
    first.communicate()
    ended = {record.run_id: record for record in group.run_records() if record.has_ended}
    second = start(data, tmp_path, "--resume", str(group.folder), "--workers", "2")
    wait_for(lambda: sum(record.has_ended for record in group.run_records()) > len(ended), group.run_records)
    second.kill()
    second.communicate()
    # Replaced by a quick one for the rest: the run that sleeps for a day is ended by its time limit.
    third = start(data, tmp_path, "--resume", str(group.folder), "--workers", "3")
    said = third.communicate(timeout=PATIENCE)
    records = load_group(group.folder).run_records()
    assert Counter(record.status for record in records) == {"success": 5, "timeout": 1}, (said, records)
    for record in records:
        if record.run_id in ended:
            assert record == ended[record.run_id], "what had ended was not done again"
        folder = group.folder / f"{record.competition_id}_{record.run_id}"
        assert (folder / "logs/began").read_text() == "began\n"
        assert not (folder / "home").exists()
    wait_for(lambda: not agents_alive(mark), lambda: agents_alive(mark))


def test_a_second_orchestrator_is_refused(data: Path, tmp_path: Path) -> None:
    arguments = ["--agent", "command", "--command", f"{HAND_IN}; {UNTIL_TOLD}", "-c", WINE, "--sandbox", "process"]
    first = start(data, tmp_path, *arguments)
    group = the_group(tmp_path, first)
    wait_for(lambda: group.run_records()[0].status == "running", group.run_records)
    _, said = start(data, tmp_path, "--resume", str(group.folder)).communicate(timeout=PATIENCE)
    assert "is being run by another process" in said
    let_go(group)
    said = first.communicate(timeout=PATIENCE)[1]
    assert first.returncode == 0, said


@pytest.mark.parametrize("presses", [1, 2])
def test_interrupts_drain_and_then_stop(data: Path, tmp_path: Path, presses: int) -> None:
    arguments = ["--agent", "command", "--command", f"{HAND_IN}; {UNTIL_TOLD}", "-c", WINE, "--seeds", "3"]
    process = start(data, tmp_path, *arguments, "--sandbox", "process", "--time-limit", "120s")
    group = the_group(tmp_path, process)
    wait_for(lambda: group.run_records()[0].status == "running", group.run_records)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    said = ""
    while "Press Ctrl-C again to stop it now." not in said:  # else two interrupts could be taken for one
        line = process.stderr.readline()
        assert line, said
        said += line
    if presses == 1:
        let_go(group)
    else:
        process.send_signal(signal.SIGINT)
    said += process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 130, said
    assert f"mlebench run --resume {group.folder}" in said
    statuses = [record.status for record in group.run_records()]
    assert statuses == (["success", "planned", "planned"] if presses == 1 else ["cancelled", "planned", "planned"])
    assert "Traceback" not in said


def test_a_cancelled_run_is_made_again(data: Path, tmp_path: Path) -> None:
    arguments = ["--agent", "command", "--command", f"{HAND_IN}; {UNTIL_TOLD}", "-c", WINE, "--sandbox", "process"]
    process = start(data, tmp_path, *arguments)
    group = the_group(tmp_path, process)
    wait_for(lambda: group.run_records()[0].status == "running", group.run_records)
    process.terminate()
    _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, group.run_records()[0].status) == (130, "cancelled")
    assert f"mlebench run --resume {group.folder}" in said
    again = start(data, tmp_path, "--resume", str(group.folder))
    let_go(group)
    assert again.wait(timeout=PATIENCE) == 0
    record = group.run_records()[0]
    assert (record.status, record.attempt) == ("success", 2)


def test_what_prepares_an_agent_hears_no_interrupt_and_can_be_stopped() -> None:
    """At a terminal Ctrl-C reaches all processes that were started from it, but for those of another session."""
    done = run_apart([sys.executable, "-c", "import os; print(os.getsid(0) == os.getpid())"])
    assert (done.returncode, done.stdout) == (0, "True\n")
    mark = f"97{os.getpid() % 1000:03d}.5"
    with pytest.raises(StoppedError):
        run_apart(["sh", "-c", f"sleep {mark} & wait"], should_stop=lambda: True)
    for waits in ("wait", "true"):  # the first program itself may have ended
        with pytest.raises(subprocess.TimeoutExpired):
            run_apart(["sh", "-c", f"sleep {mark} & {waits}"], seconds=0.1)
    wait_for(lambda: not agents_alive(mark), seconds=10)  # all that it started is ended


OTHER_FORMS = [
    ("settings", "sandbox", "another"),
    ("settings", "container_config", {"another": 1}),
    ("settings", "limits", {"seconds": "much"}),
    ("settings", "retries", "many"),
    ("plan", "competition_id", "../../elsewhere"),
]


@pytest.mark.parametrize(("part", "name", "value"), OTHER_FORMS)
def test_a_group_of_another_form_is_refused(data: Path, tmp_path: Path, part: str, name: str, value: object) -> None:
    group = create_group(tmp_path, [WINE], [0], settings(data, "true"))
    path = group.folder / "metadata.json"
    written = json.loads(path.read_text())
    (written[part] if part == "settings" else written[part][0])[name] = value
    path.write_text(json.dumps(written))
    with pytest.raises(MlebenchError, match="another version of mlebench"):
        _ = load_group(group.folder).settings


def test_a_secret_is_masked_in_the_log(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = tmp_path / "agents" / "leaky"
    agent.mkdir(parents=True)
    (agent / "config.yaml").write_text("leaky:\n  start: leaky/start.sh\n  env_vars:\n    KEY: ${{ secrets.MY_KEY }}\n")
    (agent / "start.sh").write_text(f'echo "the key is $KEY"\n{HAND_IN}\n')
    monkeypatch.setenv("MY_KEY", "s3cr3t-value")
    group = create_group(
        tmp_path / "runs",
        [WINE],
        [0],
        RunSettings(agent="leaky", agents_dirs=(tmp_path / "agents",), data_dir=data, limits=LIMITS),
    )
    assert run_group(group, workers=1)
    assert group.run_records()[0].status == "success"
    everything = b"".join(path.read_bytes() for path in group.folder.rglob("*") if path.is_file())
    assert b"the key is" in everything
    assert b"s3cr3t-value" not in everything


BAD = {
    ("--agent", "basline", "-c", WINE): "There is no agent 'basline'. Did you mean baseline",
    (
        "--agent",
        "sample",
        "-c",
        WINE,
        "--sandbox",
        "bubblewrp",
    ): "no sandbox bubblewrp. Did you mean bubblewrap?",
    ("--agent", "sample", "-c", "practice-digits"): "practice-digits is not prepared",
    ("--agent", "sample", "-c", "nope"): "There is no competition 'nope'",
    ("-c", WINE): "--agent NAME",
    ("--agent", "command", "-c", WINE): "--command",
    ("--agent", "sample", "-c", WINE, "--time-limit", "soon"): "not a duration",
    ("--resume", "nothing"): "There is no run group",
}


@pytest.mark.parametrize("arguments", BAD, ids=" ".join)
def test_bad_input_gets_one_sentence(data: Path, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ran = run_command("run", "--runs-dir", "runs", "--data-dir", data, *arguments, cwd=tmp_path)
    assert ran.code != 0
    assert BAD[arguments] in ran.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.skipif("bubblewrap" not in NAMES, reason="as root, a process gets no GPU")
def test_runs_wait_for_a_gpu_of_their_own(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nvidia0").touch()
    monkeypatch.setattr(gpu, "_DEVICES", tmp_path)
    monkeypatch.setattr(gpu, "_LOCKS", tmp_path)
    limits = replace(LIMITS, gpus=1)
    command = f"{HAND_IN}; {UNTIL_TOLD}"
    group = create_group(tmp_path, [WINE], [0, 1], settings(data, command, "bubblewrap", limits))

    def waits(number: int) -> bool:
        log = group.folder_of(group.record.plan[number]) / "run.log"
        return log.exists() and "waiting for a GPU" in log.read_text()

    with ThreadPoolExecutor(1) as pool:
        going = pool.submit(run_group, group, workers=2)
        wait_for(lambda: waits(0) or waits(1), group.run_records)
        first, second = (1, 0) if waits(0) else (0, 1)
        wait_for((group.folder_of(group.record.plan[first]) / "home" / "wait").exists, group.run_records)
        freed = now()
        let_go(group, first)
        let_go(group, second)
        assert going.result()
    took = (now() - freed).total_seconds()
    records = group.run_records()
    assert [record.status for record in records] == ["success"] * 2, [record.error for record in records]
    assert str(records[first].started_at) < freed.isoformat(timespec="milliseconds") < str(records[second].started_at)
    assert records[second].usage["seconds"] < took, "the time that it waited is not its own"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 3 MB and 400 files."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m,nr_inodes=400", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("only root can make a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def test_an_agent_that_fills_the_disk_stops_nobody(data: Path, small_disk: Path) -> None:
    fill = 'head -c 5000000 /dev/urandom > "$CODE_DIR/big"'
    group = create_group(
        small_disk, [WINE], [0, 1, 2], settings(data, f'{HAND_IN}; [ "$SEED" != 1 ] || {fill}; echo x')
    )
    assert run_group(group, workers=1)
    records = group.run_records()
    assert [record.status for record in records] == ["success"] * 3
    assert [each for each in records[1].outputs if each.startswith("submission")] == ["submission/submission.csv"]
    log = (group.folder_of(group.record.plan[1]) / "run.log").read_text()
    assert "code/big: larger than what is free on the disk" in log


@pytest.mark.parametrize("is_quick", [False, True])
def test_an_agent_that_takes_every_file_of_the_disk_stops_nobody(
    data: Path, small_disk: Path, is_quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even one that has done so before the record says where it runs."""
    take = 'cd "$LOGS_DIR"; for i in $(seq 1000); do : > $i; done 2> /dev/null; true'
    if is_quick:

        def started(run: Attempt, *arguments: Any) -> Any:
            running = begin(run, *arguments)
            wait_for(lambda: os.statvfs(small_disk).f_ffree < 3, lambda: os.statvfs(small_disk))
            return running

        begin = Attempt._started
        monkeypatch.setattr(Attempt, "_started", started)
    group = create_group(small_disk, [WINE], [0, 1], settings(data, f"{HAND_IN}; {take}"))
    assert run_group(group, workers=1)
    records = group.run_records()
    assert [(record.status, record.error) for record in records] == [("success", None)] * 2
    assert all(record.submission is not None for record in records)


def test_a_snapshot_that_does_not_fit_costs_nothing(data: Path, small_disk: Path) -> None:
    fill = 'head -c 5000000 /dev/urandom > "$CODE_DIR/big" 2> /dev/null; sleep 1.2; rm "$CODE_DIR/big"'
    often = replace(settings(data, f"{HAND_IN}; {fill}; sleep 1.2"), snapshot_every=1.0)
    group = create_group(small_disk, [WINE], [0], often)
    assert run_group(group, workers=1)
    assert group.run_records()[0].status == "success", group.run_records()[0].error
    assert list(group.folder.glob("*/snapshots/*s/submission.csv"))
    assert not list(group.folder.glob("*/snapshots/.*"))


def test_a_full_disk_in_the_middle_loses_nothing(data: Path, small_disk: Path) -> None:
    command = f'{HAND_IN}; [ "$SEED" != 1 ] || {{ {UNTIL_TOLD}; }}'
    arguments = ["--agent", "command", "--command", command, "-c", WINE, "--seeds", "3", "--sandbox", "process"]
    process = start(data, small_disk, *arguments)
    group = the_group(small_disk, process)
    wait_for((group.folder_of(group.record.plan[1]) / "home" / "wait").exists, group.run_records)
    first = group.run_records()[0]
    with (small_disk / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(1 << 12))
    let_go(group, 1)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, said
    assert "The disk is full" in said
    assert "Traceback" not in said
    (small_disk / "filler").unlink()
    if any(not record.has_ended for record in group.run_records()):  # a run may have found room for its record
        assert f"mlebench run --resume {group.folder}" in said
        again = start(data, small_disk, "--resume", str(group.folder))
        if not group.run_records()[1].has_ended:
            let_go(group, 1)
        again.communicate(timeout=PATIENCE)
    assert all(record.has_ended for record in group.run_records())
    assert group.run_records()[0] == first


def test_a_damaged_record_hides_no_other_group(data: Path, tmp_path: Path) -> None:
    for name, file in (("sound", None), ("plan", "metadata.json"), ("run", "*/run.json")):
        group = create_group(tmp_path / name, [WINE], [0], settings(data, "true"))
        group.run_record(group.record.plan[0]).save(group.folder_of(group.record.plan[0]))
        group.folder.rename(tmp_path / f"group-{name}")
        for path in (tmp_path / f"group-{name}").glob(file) if file else ():
            path.write_text(path.read_text()[:40])
    problems: list[str] = []
    assert [each.folder.name for each in find_groups(tmp_path, problems.append)] == ["group-sound"]
    assert ["metadata.json is damaged" in problems[0], "To have the run made again, move" in problems[1]] == [
        True,
        True,
    ]


def test_competitions_and_budgets_from_a_configuration(data: Path, tmp_path: Path) -> None:
    budgets = {"resourceBudgets": {"maxRuntimeSeconds": 50, "maxPeakMemoryMb": 512}}
    own = {WINE: {"resourceBudgets": {"maxRuntimeSeconds": 1}}}
    config = {"competitionIds": [WINE, DIABETES], **budgets, "competitions": own}
    (tmp_path / "config.json").write_text(json.dumps(config))
    command = f'{HAND_IN}; [ "$COMPETITION_ID" != {WINE} ] || sleep 600'
    arguments = ["--agent", "command", "--command", command, "--sandbox", "process", "--config", "config.json"]
    run_command("run", "--runs-dir", "runs", "--data-dir", data, *arguments, cwd=tmp_path)
    (group,) = find_groups(tmp_path / "runs")
    wine, diabetes = load_group(group.folder).run_records()
    assert (wine.status, wine.limits["seconds"], wine.limits["memory_bytes"]) == ("timeout", 1, 512 << 20)
    assert (diabetes.status, diabetes.limits["seconds"]) == ("success", 50)


def test_changed_public_data_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "data"
    competition = Registry(data).get_competition(WINE)
    prepare(competition)
    table = competition.public_dir / "train.csv"
    table.write_bytes(table.read_bytes().replace(b"class_0", b"class_1", 1))
    ran = run_command("run", "--data-dir", data, "--agent", "sample", "-c", WINE, cwd=tmp_path)
    assert ran.code == 1
    assert "has changed since it was prepared" in ran.err
    assert "--force" in ran.err


def test_groups_of_one_second_have_names_of_their_own(data: Path, tmp_path: Path) -> None:
    """Also when both are made at the same moment, by whatever process."""
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: create_group(tmp_path, [WINE], [0], settings(data, "true")), range(40)))
    assert len({group.folder for group in made}) == 40
    assert sorted(load_group(group.folder).record.run_group for group in made) == sorted(
        path.name for path in tmp_path.iterdir()
    )


def test_a_group_that_can_be_found_is_known_as_own(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second process may look at a group as soon as it is there."""
    rename, seen = Path.rename, []

    def look_at_once(path: Path, target: Path) -> Path:
        moved = rename(path, target)
        seen.append(is_own(GroupRecord.load(moved)))
        return moved

    monkeypatch.setattr(Path, "rename", look_at_once)
    create_group(tmp_path / "runs", [WINE], [0], RunSettings("sample", data))
    assert seen == [True]
