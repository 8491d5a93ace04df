"""Going on after kill -9: records agree, nothing is left behind, and nothing is executed twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import wait_for

from mlebench.competition.local import LocalCompetition
from mlebench.files.scratch import ScratchFolder, remove_abandoned
from mlebench.results.records import LONGEST_PATH, MOST_OUTPUTS, GroupRecord, digest_of, hashes_below
from mlebench.results.trust import note_planned
from mlebench.runs.group import create_group, load_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Limits

WINE = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'


@pytest.fixture
def settings(prepared_practice: Callable[[str], LocalCompetition]) -> RunSettings:
    data = prepared_practice(WINE).data_dir
    return RunSettings(
        agent="command", data_dir=data, limits=Limits(seconds=300), grace=1.0, agent_options={"command": HAND_IN}
    )


def test_the_record_of_the_group_is_reconciled_with_those_of_its_runs(settings: RunSettings, tmp_path: Path) -> None:
    """As where a process was killed between the end of a run and the line about it in metadata.json."""
    group = create_group(tmp_path, [WINE], [0, 1], settings)
    as_planned = group.record
    assert run_group(group, workers=1)
    before = group.run_records()
    as_planned.save(group.folder)
    assert {run["status"] for run in GroupRecord.load(group.folder).runs.values()} == {"planned"}
    again = load_group(group.folder)
    assert run_group(again, workers=1)
    noted = json.loads((group.folder / "metadata.json").read_text())["runs"].values()
    assert [(run["success"], run["status"]) for run in noted] == [(True, "success")] * 2
    assert again.run_records() == before, "nothing was executed again"


def test_what_a_killed_process_left_is_swept(settings: RunSettings, tmp_path: Path) -> None:
    group = create_group(tmp_path, [WINE], [0], settings)
    assert run_group(group, workers=1)
    folder = group.folder_of(group.record.plan[0])
    kept = sorted(path.name for path in folder.iterdir())
    for name in ("home/x", ".run.json.0.partial", ".run.json.room1", "snapshots/.tmp/submission.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    (group.folder / ".metadata.json.0.partial").write_text("{")
    assert run_group(load_group(group.folder), workers=1)
    assert sorted(path.name for path in folder.iterdir()) == sorted([*kept, "snapshots"])
    assert not list((folder / "snapshots").iterdir())
    assert not list(group.folder.glob(".*.partial"))


HOLD = """
import sys, time
from mlebench.files.scratch import ScratchFolder
with ScratchFolder() as path:
    print(path, flush=True)
    time.sleep(600)
"""


def test_temporary_folders_of_killed_processes_are_removed_and_no_others() -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        abandoned = Path(process.stdout.readline().strip())
        remove_abandoned()
        assert abandoned.is_dir(), "its process lives"
        process.kill()
    with ScratchFolder() as own:
        remove_abandoned()
        assert own.is_dir()
        assert not abandoned.exists()
    assert not own.exists()


RUN = """
import sys
from pathlib import Path
from mlebench.runs.group import load_group
from mlebench.runs.running import run_group
run_group(load_group(Path(sys.argv[1])), workers=2)
"""


def test_nothing_temporary_stays_after_kill_and_resume(settings: RunSettings, tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    waits = replace(settings, agent_options={"command": f'{HAND_IN}; touch "$HOME/begun"; sleep 600'})
    group = create_group(tmp_path / "runs", [WINE], [0, 1], waits)
    process = subprocess.Popen([sys.executable, "-c", RUN, str(group.folder)], env=environment)
    homes = [group.folder_of(planned) / "home" / "begun" for planned in group.record.plan]
    try:
        wait_for(lambda: all(path.exists() for path in homes), group.run_records)
    finally:
        process.kill()
        process.wait()
    assert list(temporary.iterdir()), "a killed process leaves some"
    again = replace(group.record, settings=settings.to_dict())
    again.save(group.folder)
    note_planned(again)
    subprocess.run([sys.executable, "-c", RUN, str(group.folder)], env=environment, check=True)
    assert [record.status for record in group.run_records()] == ["success"] * 2
    wait_for(lambda: not list(temporary.iterdir()), lambda: list(temporary.iterdir()), seconds=20)


def test_a_record_does_not_grow_with_what_an_agent_leaves(settings: RunSettings, tmp_path: Path) -> None:
    many = 'cd "$CODE_DIR"; for i in $(seq 1500); do : > f$i; done'
    deep = f'cd "$LOGS_DIR"; mkdir -p {"/".join(["x" * 100] * 4)}; : > {"/".join(["x" * 100] * 4)}/y; : > short'
    group = create_group(
        tmp_path, [WINE], [0], replace(settings, agent_options={"command": f"{HAND_IN}; {many}; {deep}"})
    )
    assert run_group(group, workers=1)
    (record,) = group.run_records()
    folder = group.folder_of(group.record.plan[0])
    assert "submission/submission.csv" in record.outputs
    assert len(record.outputs) == MOST_OUTPUTS
    assert max(map(len, record.outputs)) <= LONGEST_PATH
    assert record.outputs_not_listed == 1 + 1500 + 2 - MOST_OUTPUTS
    assert record.output_digests["code"] == digest_of(hashes_below(folder / "code"))
    assert (folder / "run.json").stat().st_size < 300_000
