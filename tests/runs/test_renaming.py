"""Runs whose agents see neutral names of files and columns: in every sandbox, with the way back before grading."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import wait_for

from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.errors import MlebenchError
from mlebench.grade.batch import grade_jsonl
from mlebench.grade.grading import grade_csv
from mlebench.results.groups import open_group
from mlebench.results.records import RunRecord
from mlebench.runs.grading import grade_group, write_submission_list
from mlebench.runs.group import PlannedGroup, create_group
from mlebench.runs.options import OptionError, RunOptions
from mlebench.runs.planning import plan_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import SANDBOXES, Limits
from mlebench.score.replay import replay
from mlebench.twins import write_twin

WINE, TITANIC = "practice-wine", "spaceship-titanic"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'
LIMITS = Limits(seconds=120, memory_bytes=2 << 30)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    prepare(Registry(folder).get_competition(WINE))
    titanic = Registry(folder).get_competition(TITANIC)
    write_twin(titanic, titanic.home)
    prepare(titanic)
    return folder


def settings(data: Path, line: str, sandbox: str = "process") -> RunSettings:
    return RunSettings(
        agent="command",
        data_dir=data,
        sandbox=sandbox,
        limits=LIMITS,
        agent_options={"command": line},
        obfuscated=sandbox != "process",
        renamed=True,
    )


def made(runs: Path, how: RunSettings, competition_id: str) -> tuple[PlannedGroup, RunRecord, str]:
    group = create_group(runs, [competition_id], [0], how)
    assert run_group(group, workers=1)
    (record,) = group.run_records()
    log = (group.folder_of(group.record.plan[0]) / "agent.log").read_text()
    return group, record, log


@pytest.mark.parametrize("sandbox", list(SANDBOXES))
def test_what_the_agent_sees_and_hands_in(data: Path, tmp_path: Path, sandbox: str) -> None:
    if not (found := SANDBOXES[sandbox].availability()).works:
        pytest.skip(found.why)
    validate = 'bash ../validate_submission.sh "$SUBMISSION_DIR/submission.csv"'
    wrong = 'sed "1s/column_5/Transported/" "$DATA_DIR/sample_submission.csv" > "$SUBMISSION_DIR/submission.csv"'
    line = f'head -n 1 "$DATA_DIR"/*.csv; cat "$DATA_DIR/description.md"; {wrong}; {validate}; {HAND_IN}; {validate}'
    group, record, log = made(tmp_path, settings(data, line, sandbox), TITANIC)
    assert record.status == "success", log
    for name in ("HomePlanet", "CryoSleep", "PassengerId", "VRDeck"):
        assert name not in log
    assert "lacks the column column_5; it has id_11, Transported." in log
    assert '"is_valid": true' in log
    assert record.sample_handed_in
    run = open_group(group.folder).runs[0]
    assert run.renaming is not None and run.renaming.sha256 == record.renaming
    assert run.submission.read_text().startswith("id_11,column_5\n"), "what was handed in is kept as it is"
    competition = Registry(data).get_competition(TITANIC)
    (graded,) = grade_group(group.results())["competition_reports"]
    assert graded["raw_score"] == grade_csv(competition.sample_submission, competition).raw_score
    assert "files and columns under neutral names" in record.deviations


@pytest.mark.once
@pytest.mark.skipif(not SANDBOXES["bubblewrap"].availability().works, reason="bubblewrap does not work here")
def test_the_baseline_solves_a_renamed_task(data: Path, tmp_path: Path) -> None:
    how = replace(settings(data, "", "bubblewrap"), agent="baseline", agent_options={})
    group, record, log = made(tmp_path, how, WINE)
    assert (record.status, record.sample_handed_in) == ("success", False), log
    (report,) = grade_group(group.results())["competition_reports"]
    assert report["valid_submission"] and report["score"] < 1.0, "better than the sample"


def test_the_oracle_knows_the_names_that_are_shown(data: Path, tmp_path: Path) -> None:
    how = replace(settings(data, ""), agent="oracle", agent_options={})
    group, _, _ = made(tmp_path, how, TITANIC)
    assert grade_group(group.results())["competition_reports"][0]["score"] == 1.0


def test_snapshots_lists_and_a_missing_renaming(data: Path, tmp_path: Path) -> None:
    line = f'{HAND_IN}; until [ -e "$HOME/go" ]; do sleep 0.1; done'
    often = replace(settings(data, line), snapshot_every=1.0)
    group = create_group(tmp_path, [TITANIC], [0], often)
    folder = group.folder_of(group.record.plan[0])
    with ThreadPoolExecutor(1) as pool:
        going = pool.submit(run_group, group, workers=1)
        wait_for(lambda: list(folder.glob("snapshots/*/submission.csv")), group.run_records)
        (folder / "home" / "go").touch()
        assert going.result()
    graded = grade_group(group.results())["competition_reports"][0]
    over_time = json.loads((group.folder / "snapshots.json").read_text())
    assert {entry["score"] for entries in over_time.values() for entry in entries} == {graded["score"]}
    write_submission_list(group.results(), tmp_path / "list.jsonl")
    listed = json.loads((tmp_path / "list.jsonl").read_text())
    assert listed["renaming_path"] == str(folder / "renaming.json")
    again = grade_jsonl(tmp_path / "list.jsonl", tmp_path / "out", Registry(data))
    assert again["competition_reports"][0]["raw_score"] == graded["raw_score"]
    (folder / "renaming.json").write_text("{}")
    (error,) = grade_group(group.results())["errors"]
    assert "renaming.json is damaged" in error["reason"]


def test_a_replay_sees_the_same_names(data: Path, tmp_path: Path) -> None:
    solve = (
        "import os, random, csv\n"
        "rows = list(csv.reader(open(os.environ['DATA_DIR'] + '/sample_submission.csv')))\n"
        "assert rows[0] == ['id_11', 'column_5']\n"
        "rows[1:] = [[name, random.random() < 0.5] for name, _ in rows[1:]]\n"
        "csv.writer(open(os.environ['SUBMISSION_DIR'] + '/submission.csv', 'w')).writerows(rows)\n"
    )
    result = {
        "seed": 0,
        "runtime_seconds": 1,
        "peak_memory_mb": 10,
        "artifacts": [],
        "tasks": [],
        "replay": {"command": "python3 solve.py", "seed": 0},
    }
    line = (
        f'cat > "$CODE_DIR/solve.py" <<E\n{solve}\nE\npython3 "$CODE_DIR/solve.py"\n'
        f"echo 'MLE_BENCH_LITE_RESULT={json.dumps(result)}'"
    )
    group, record, log = made(tmp_path, settings(data, line), TITANIC)
    assert record.status == "success", log
    found = replay(group.folder_of(group.record.plan[0]))
    assert found.outcome in ("different", "same score")
    assert found.original_score is not None and found.score is not None, "both are graded under their true names"


def test_without_it_nothing_is_recorded(data: Path, tmp_path: Path) -> None:
    group, record, log = made(tmp_path, replace(settings(data, f"{HAND_IN}; env"), renamed=False), WINE)
    assert record.renaming is None
    assert not (group.folder_of(group.record.plan[0]) / "renaming.json").exists()
    assert f"DATA_DIR={Registry(data).get_competition(WINE).public_dir}" in log
    assert not any("neutral" in text for text in record.deviations)


def test_a_seed_without_renaming_is_refused(data: Path) -> None:
    registry = Registry(data)
    options = RunOptions(agent="sample", sandbox="process", rename_seed=1)
    with pytest.raises(OptionError, match="--rename-seed is for --rename"):
        plan_group(options, registry, [registry.get_competition(WINE)])
    plan = plan_group(replace(options, rename=True), registry, [registry.get_competition(WINE)])
    assert (plan.settings.renamed, plan.settings.rename_seed) == (True, 1)
    assert RunSettings.from_dict(plan.settings.to_dict()) == plan.settings


def test_a_renaming_of_another_run_is_refused(data: Path, tmp_path: Path) -> None:
    group, _, _ = made(tmp_path, settings(data, HAND_IN), WINE)
    run = open_group(group.folder).runs[0]
    values = json.loads(run.renaming_file.read_text())
    run.renaming_file.write_text(json.dumps(values | {"seed": 5}))
    with pytest.raises(MlebenchError, match="not the one that the run was made with"):
        _ = open_group(group.folder).runs[0].renaming
