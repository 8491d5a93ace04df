"""Agents that fill the disk: whoever filled it is to blame, and nobody else loses anything."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mlebench.competition.local import LocalCompetition
from mlebench.results.events import read_events
from mlebench.results.records import MOST_OUTPUTS, RunRecord
from mlebench.runs.collect import collect
from mlebench.runs.disk import RecordRoom, reserve_records
from mlebench.runs.execute import execute_run
from mlebench.runs.executors import local, pool
from mlebench.runs.group import create_group
from mlebench.runs.resume import plan_again
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Limits

WINE = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m,nr_inodes=2000", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root can make a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def settings(prepared_practice: Callable[[str], LocalCompetition]) -> RunSettings:
    data = prepared_practice(WINE).data_dir
    return RunSettings(agent="command", data_dir=data, limits=Limits(seconds=300), grace=1.0)


def fill(disk: Path) -> None:
    """Take all the room that a disk has, down to the last block."""
    with (disk / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 12))
        except OSError:
            pass


@pytest.mark.parametrize("most_threads", [4, 1], ids=["threads", "runners"])
def test_who_fills_the_disk_is_ended_and_the_others_run(
    settings: RunSettings, small_disk: Path, most_threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two at a time and no disk limit: the first takes all there is and holds it; five others must succeed."""
    monkeypatch.setattr(local, "MOST_THREADS", most_threads)
    monkeypatch.setattr(pool, "RUNS_PER_RUNNER", 1)
    greedy = 'while :; do head -c 100000 /dev/urandom >> "$CODE_DIR/big" 2> /dev/null || sleep 0.05; done'
    command = f'{HAND_IN}; [ "$SEED" != 0 ] || {{ {greedy}; }}'
    group = create_group(small_disk, [WINE], range(6), replace(settings, agent_options={"command": command}))
    assert run_group(group, workers=2)
    first, *others = group.run_records()
    assert (first.status, first.code) == ("disk", "filled-disk"), first.error
    assert first.submission is not None, "what it handed in is kept"
    assert [(record.status, record.error) for record in others] == [("success", None)] * 5
    noted = json.loads((group.folder / "metadata.json").read_text())["runs"]
    assert [run["status"] for run in noted.values()] == ["disk", *["success"] * 5]
    assert not list(group.folder.glob("*/.run.json.room*")), "what was not needed is given back"


def test_an_agent_that_fails_because_another_filled_the_disk_is_executed_again(
    settings: RunSettings, small_disk: Path
) -> None:
    """The second writes a little again and again, and gives up when there is no room for it."""
    greedy = 'while :; do head -c 100000 /dev/urandom >> "$CODE_DIR/big" 2> /dev/null || sleep 0.01; done'
    modest = 'for i in $(seq 100); do head -c 8000 /dev/urandom > "$LOGS_DIR/x" || exit 9; sleep 0.05; done'
    command = f'{HAND_IN}; if [ "$SEED" = 0 ]; then {greedy}; else {modest}; fi'
    group = create_group(small_disk, [WINE], range(2), replace(settings, agent_options={"command": command}))
    run_group(group, workers=2)
    records = group.run_records()
    assert (records[0].status, records[0].code) == ("disk", "filled-disk"), records[0].error
    assert records[1].status == "success", records[1].error
    assert records[1].attempt == 2
    codes = [event.values.get("code") for event in read_events(group.folder_of(group.record.plan[1]))]
    assert "disk-filled-by-other-run" in codes


def test_a_run_is_planned_again_while_the_disk_is_full(settings: RunSettings, small_disk: Path, tmp_path: Path) -> None:
    """A run that another one disturbed may end first: its plan has reserved room, as the records of its end have."""
    group = create_group(small_disk, [WINE], range(1), replace(settings, data_dir=tmp_path / "nothing prepared"))
    (planned,) = group.record.plan
    ended = execute_run(group, planned)
    assert ended.status == "infrastructure", ended
    fill(small_disk)
    plan_again(group, planned, ended)
    assert (group.run_record(planned).status, group.run_record(planned).attempt) == ("planned", 1)


def test_a_disk_that_no_run_has_filled_stops_the_group_and_loses_nothing(
    settings: RunSettings, small_disk: Path
) -> None:
    group = create_group(small_disk, [WINE], range(3), replace(settings, agent_options={"command": HAND_IN}))
    fill(small_disk)
    with pytest.raises(OSError, match="No space left on device"):
        run_group(group, workers=1)
    assert {record.status for record in group.run_records()} == {"planned"}
    (small_disk / "filler").unlink()
    assert run_group(group, workers=1)
    assert [(record.status, record.attempt) for record in group.run_records()] == [("success", 1)] * 3


def test_a_record_is_written_on_a_full_disk(small_disk: Path) -> None:
    """Into the room that planning reserved; a long list of outputs gives way."""
    folder = small_disk / "run"
    reserve_records(folder)
    room = RecordRoom(folder)
    fill(small_disk)
    with pytest.raises(OSError, match="No space left"):
        (folder / "other").write_bytes(bytes(1 << 14))
    record = RunRecord("1", "g", WINE, "a", 0, status="running")
    room.save(record)
    outputs = {f"code/{number:0200d}": "0" * 64 for number in range(MOST_OUTPUTS)}
    outputs |= {"submission/submission.csv": "1" * 64}
    room.save(replace(record, status="success", outputs=outputs, outputs_not_listed=5))
    kept = RunRecord.load(folder)
    assert (kept.status, kept.outputs) == ("success", {"submission/submission.csv": "1" * 64})
    assert kept.outputs_not_listed == MOST_OUTPUTS + 5


@pytest.mark.parametrize("is_linked", [False, True])
def test_a_submission_is_moved_on_a_full_disk_unless_it_has_another_name(small_disk: Path, is_linked: bool) -> None:
    """A file with a second name could still be changed through that one."""
    home, into = small_disk / "home", small_disk / "run"
    (home / "submission").mkdir(parents=True)
    into.mkdir()
    (into / "submission").mkdir()
    submission = home / "submission" / "submission.csv"
    submission.write_bytes(b"id,y\n" + b"1,2\n" * 50_000)
    if is_linked:
        os.link(submission, home / "other-name")
    fill(small_disk)
    collected = collect(home, into, has_ended=True)
    if is_linked:
        assert collected.submission is None
        assert collected.problem == "submission.csv is larger than what is free on the disk."
    else:
        assert collected.submission is not None
        assert collected.submission.stat().st_size == 200_005
        assert not submission.exists()
