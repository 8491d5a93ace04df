"""The agent oracle: the ceiling of a task, and answers for nobody else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mlebench.agents import AgentError, find_agent
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.record import DatasetRecord
from mlebench.grade.grading import score_file
from mlebench.runs.group import create_group
from mlebench.runs.options import RunOptions
from mlebench.runs.oracle import ANSWERS_FILE, give_answers
from mlebench.runs.planning import plan_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import SANDBOXES, Limits

SANDBOX = "bubblewrap" if SANDBOXES["bubblewrap"].availability().works else "process"
WINE, TWIN = "practice-wine", "spaceship-titanic"
Prepared = Callable[[str], LocalCompetition]


def answers_given(agent: str, competition: LocalCompetition, folder: Path, *agents_dirs: Path) -> Path | None:
    """What the orchestrator puts into the folder of an agent."""
    (folder / "agent").mkdir(parents=True)
    give_answers(find_agent(agent, agents_dirs), competition, folder)
    path = folder / "agent" / ANSWERS_FILE
    return path if path.exists() else None


def test_it_hands_in_the_answers(prepared_practice: Prepared, prepared_twin: Prepared, tmp_path: Path) -> None:
    wine, twin = prepared_practice(WINE), prepared_twin(TWIN)
    settings = RunSettings(agent="oracle", data_dir=wine.data_dir, sandbox=SANDBOX, limits=Limits(seconds=600))
    group = create_group(tmp_path, [WINE, TWIN], [0], settings)
    assert run_group(group, workers=1)
    for planned, record in zip(group.record.plan, group.run_records(), strict=True):
        folder = group.folder_of(planned)
        assert record.status == "success", (folder / "agent.log").read_text()
        best = {WINE: 0.0, TWIN: 1.0}[planned.competition_id]
        competition = {WINE: wine, TWIN: twin}[planned.competition_id]
        assert score_file(folder / "submission" / "submission.csv", competition) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("name", ["mlsp-2013-birds", "text-normalization-challenge-english-language"])
def test_the_answers_have_the_form_of_a_submission(name: str, prepared_twin: Prepared, tmp_path: Path) -> None:
    competition = prepared_twin(name)
    path = answers_given("oracle", competition, tmp_path)
    assert path is not None
    assert score_file(path, competition) == 1.0


def test_nobody_else_gets_them(prepared_practice: Prepared, tmp_path: Path) -> None:
    (tmp_path / "agents" / "oracle").mkdir(parents=True)
    (tmp_path / "agents" / "oracle" / "config.yaml").write_text("oracle: {start: oracle/start.sh}")
    (tmp_path / "agents" / "oracle" / "start.sh").write_text("true")
    competition = prepared_practice(WINE)
    assert answers_given("oracle", competition, tmp_path / "ours") is not None
    assert answers_given("oracle", competition, tmp_path / "theirs", tmp_path / "agents") is None
    assert answers_given("baseline", competition, tmp_path / "another") is None


def test_real_data_is_refused_before_anything_runs(prepared_twin: Prepared, tmp_path: Path) -> None:
    competition = prepared_twin(TWIN)
    registry = Registry(competition.data_dir)
    options = RunOptions(agent="oracle", sandbox="process")
    assert plan_group(options, registry, [competition]).competitions == (competition,)
    record = DatasetRecord.load(competition.prepared_dir)
    assert record is not None
    try:
        replace(record, twin=None, source="kaggle").save(competition.prepared_dir)
        with pytest.raises(AgentError, match="is not a twin"):
            plan_group(options, registry, [competition])
        with pytest.raises(AgentError, match="is not a twin"):
            answers_given("oracle", competition, tmp_path)
        assert not list((tmp_path / "agent").iterdir())
        assert plan_group(replace(options, agent="sample"), registry, [competition])
    finally:
        record.save(competition.prepared_dir)


def test_data_that_is_not_there_is_not_loaded_for_it(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    with pytest.raises(AgentError, match="mlebench twin"):
        plan_group(RunOptions(agent="oracle", sandbox="process"), registry, [registry.get_competition(TWIN)])
