"""The event log of a run: whole lines, bounded, readable while it grows and after its writer was killed."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command import run_command
from waiting import wait_for

from mlebench.competition.local import LocalCompetition
from mlebench.results.events import EventReader, board_of_plan, read_events
from mlebench.results.names import EVENTS_FILE
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.results.trust import note_planned
from mlebench.runs.events import EventLog
from mlebench.runs.group import create_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Limits, Usage

WINE = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'
UNTIL_TOLD = 'touch "$HOME/wait"; while [ -e "$HOME/wait" ]; do sleep 0.05 || exit; done'
WRITER = """
import sys
from pathlib import Path
from mlebench.runs.events import EventLog
with EventLog(Path(sys.argv[1]), {"service": 1 << 30}) as log:
    for number in range(10**9):
        log.service("echo", "asked", {"number": number, "text": "x" * 500})
"""


def test_events_have_a_time_and_a_number_and_go_on_after_an_interruption(tmp_path: Path) -> None:
    with EventLog(tmp_path) as log:
        log.state("preparing", attempt=1, node=None)
        log.usage(Usage(0.5, memory_bytes=7))
    with (tmp_path / EVENTS_FILE).open("ab") as file:
        file.write(b'{"seq": 3, "time": "2026-')  # what a killed writer leaves
    reader = EventReader(tmp_path)
    assert [(event.seq, event.kind) for event in reader.new()] == [(1, "state"), (2, "usage")]
    with EventLog(tmp_path) as log:
        log.state("running")
        assert [(event.seq, event.values) for event in reader.new()] == [(3, {"status": "running"})]
    events = read_events(tmp_path)
    assert events[0].values == {"status": "preparing", "attempt": 1}
    assert events[1].values == {"seconds": 0.5, "memory": 7}
    assert [event.time for event in events] == sorted(event.time for event in events)


def test_a_day_of_samples_stays_below_a_megabyte(tmp_path: Path) -> None:
    with EventLog(tmp_path) as log:
        seconds = 0.0
        while seconds < 24 * 3600:
            log.usage(Usage(seconds, seconds * 36, 440 << 30, 440 << 30, 10**12, 1 << 30, 4096))
            seconds += 0.25
    events = read_events(tmp_path)
    at = [event.values["seconds"] for event in events]
    assert at[:5] == [0.0, 1.0, 2.0, 3.0, 4.0], "at first one per second"
    assert max(later - earlier for earlier, later in itertools.pairwise(at)) <= 30.5, "a sign of life"
    assert at[-1] > 24 * 3600 - 31
    assert (tmp_path / EVENTS_FILE).stat().st_size < 1_000_000


def test_a_flood_is_bounded_and_silences_nothing_else(tmp_path: Path) -> None:
    with EventLog(tmp_path) as log:
        for number in range(30_000):
            log.service("echo", "asked", {"number": number, "text": "\x1b[31m" * 2000})
        log.usage(Usage(1.0))
        log.state("success", error="x" * 10**6)
    assert (tmp_path / EVENTS_FILE).stat().st_size < (1 << 20) + 10_000
    *_, usage, ended = read_events(tmp_path)
    assert (usage.kind, ended.values["status"]) == ("usage", "success")
    assert len(ended.values["error"]) == 1000
    kept = sum(event.kind == "service" for event in read_events(tmp_path))
    assert ended.values["dropped"] == {"service": 30_000 - kept}


def test_several_threads_write_whole_lines(tmp_path: Path) -> None:
    def write(log: EventLog) -> None:
        for number in range(300):
            log.service("s", "x", {"n": number})

    with EventLog(tmp_path) as log:
        threads = [threading.Thread(target=write, args=(log,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    lines = (tmp_path / EVENTS_FILE).read_bytes().splitlines()
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 1201))


def test_a_log_is_read_while_it_grows_and_after_its_writer_was_killed(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)])
    reader = EventReader(tmp_path)
    numbers: list[int] = []

    def has_read_many() -> bool:
        numbers.extend(event.seq for event in reader.new())
        return len(numbers) > 500

    try:
        wait_for(has_read_many)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    numbers.extend(event.seq for event in reader.new())
    assert numbers == list(range(1, len(numbers) + 1))
    with EventLog(tmp_path) as log:
        log.state("infrastructure")
    assert [event.seq for event in reader.new()] == [len(numbers) + 1]


def test_what_is_no_log_blocks_and_breaks_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / EVENTS_FILE)
    assert read_events(tmp_path) == []
    (tmp_path / EVENTS_FILE).unlink()
    whole = b'{"seq": 1, "time": "2026-01-01T00:00:00+00:00", "kind": "state", "status": "running"}\n'
    junk = b'[]\n{"seq": "x"}\n\xff\xfe\n{"seq": 1, "time": 5, "kind": "state"}\n' + b"[" * 100_000 + b"\n"
    (tmp_path / EVENTS_FILE).write_bytes(junk + whole + b"x" * (3 << 20) + b"\n" + whole)
    assert [event.values for event in read_events(tmp_path)] == [{"status": "running"}] * 2


def test_a_board_follows_events_and_the_record_has_the_last_word(tmp_path: Path) -> None:
    planned = PlannedRun("1", WINE, 0)
    folder = tmp_path / planned.folder
    folder.mkdir()
    board = board_of_plan(tmp_path, [planned])
    assert board.states()[0].status == "planned"
    with EventLog(folder) as log:
        log.state("preparing", node="n1")
        log.state("waiting", waiting_for="a GPU")
        (state,) = board.states()
        assert (state.status, state.phase, state.waiting_for, state.node) == ("running", "waiting", "a GPU", "n1")
        log.state("running")
        log.usage(Usage(3.0, memory_bytes=5))
        (folder / "agent.log").write_text("one\ntwo\x1b[0m\n")
        (state,) = board.states()
        assert (state.phase, state.waiting_for, state.seconds, state.memory_bytes) == ("running", None, 3.0, 5)
        assert state.last_line == "two [0m"
        assert state.last_sign is not None
    record = RunRecord(
        "1", "g", WINE, "a", 0, status="timeout", code="time-limit", error="Late.", usage={"seconds": 9.0}
    )
    record.save(folder)  # the end of the log was lost
    (state,) = board.states()
    assert (state.status, state.code, state.last_line, state.seconds) == ("timeout", "time-limit", "Late.", 9.0)
    (folder / "run.json").write_text("{")
    assert board.states()[0].status == "timeout"


@pytest.fixture
def settings(prepared_practice: Callable[[str], LocalCompetition]) -> RunSettings:
    data = prepared_practice(WINE).data_dir
    return RunSettings(agent="command", data_dir=data, limits=Limits(seconds=600), grace=1.0)


RUN = """
import sys
from pathlib import Path
from mlebench.runs.group import load_group
from mlebench.runs.running import run_group
run_group(load_group(Path(sys.argv[1])), workers=1)
"""


def test_a_group_is_watched_from_another_process(settings: RunSettings, tmp_path: Path) -> None:
    """While it runs, and after its runner was killed; the watcher holds no lock and needs none."""
    waits = replace(settings, agent_options={"command": f"{HAND_IN}; {UNTIL_TOLD}"}, snapshot_every=0.2)
    group = create_group(tmp_path / "runs", [WINE], [0, 1], waits)
    first, _ = group.record.plan
    runner = subprocess.Popen([sys.executable, "-c", RUN, str(group.folder)])
    try:
        wait_for((group.folder_of(first) / "home" / "wait").exists, group.run_records)
        board = board_of_plan(group.folder, group.record.plan)
        wait_for(lambda: board.states()[0].seconds is not None, board.states)
        shown = run_command("runs", group.folder, cwd=tmp_path)
        assert shown.code == 0, shown.err
        assert "1 running, 1 waiting, 0 ended; the last sign of life of a runner was" in " ".join(shown.out.split())
        state = json.loads(run_command("runs", "show", group.folder.name, "--json", cwd=tmp_path).out)[0]["state"]
        assert (state["status"], state["phase"]) == ("running", "running")
        kinds = {event.kind for event in read_events(group.folder_of(first))}
        wait_for(lambda: "snapshot" in {event.kind for event in read_events(group.folder_of(first))}, lambda: kinds)
    finally:
        runner.kill()
        runner.wait()
    assert board_of_plan(group.folder, group.record.plan).states()[0].status == "running", "nobody has said otherwise"
    assert "1 running, 1 waiting, 0 ended" in run_command("runs", group.folder, cwd=tmp_path).out
    again = replace(waits, agent_options={"command": HAND_IN})
    changed = replace(group.record, settings=again.to_dict())
    changed.save(group.folder)
    note_planned(changed)
    subprocess.run([sys.executable, "-c", RUN, str(group.folder)], check=True)
    assert [state.status for state in board_of_plan(group.folder, group.record.plan).states()] == ["success"] * 2
    ends = [event.values.get("status") for event in read_events(group.folder_of(first)) if event.kind == "state"]
    assert ends[-4:] == ["preparing", "running", "collecting", "success"]
    assert "planned" in ends


def test_no_such_group(tmp_path: Path) -> None:
    ran = run_command("runs", "nothing", cwd=tmp_path)
    assert ran.code == 1
    assert "There is no run group" in ran.err
