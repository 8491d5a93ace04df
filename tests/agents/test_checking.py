"""Mistakes are found before a run is spent on them, and the skeleton has none and works."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.agents import AgentError, find_agent
from mlebench.agents.checking import check_agents
from mlebench.agents.discovery import BUILT_IN
from mlebench.agents.new_agent import write_agent
from mlebench.competition.local import LocalCompetition
from mlebench.grade.grading import validate_submission
from mlebench.runs.contract import make_home
from mlebench.runs.instructions import AgentPaths
from mlebench.services.validation import ValidationServer


def found(folder: Path, **environment: str) -> list[tuple[str, str]]:
    return [(each.severity, each.message) for each in check_agents(folder, environment)[1]]


def written(folder: Path, text: str = "mine: {}\n", script: str = "true\n") -> Path:
    (folder / "mine").mkdir()
    (folder / "mine" / "config.yaml").write_text(text)
    (folder / "mine" / "start.sh").write_bytes(script.encode())
    return folder / "mine"


def test_a_sound_agent(tmp_path: Path) -> None:
    folder = written(tmp_path)
    agents, findings = check_agents(tmp_path)
    assert ([agent.id for agent in agents], findings) == (["mine"], [])
    assert check_agents(folder)[1] == []


def test_the_built_in_agents_are_sound() -> None:
    agents, findings = check_agents(BUILT_IN)
    assert {agent.id for agent in agents} == {"baseline", "dummy", "sample"}
    assert findings == []


@pytest.mark.parametrize(
    ("text", "script", "level", "words"),
    [
        ("mine: {start: [", "true", "error", "not valid YAML"),
        ("mine: {gpus: many}", "true", "error", "`gpus` must be"),
        ("mine: {kwrags: {a: 1}}", "true", "warning", "`kwrags` is not known and has no effect; is it `kwargs`?"),
        ("mine: {}", "if true\n", "error", "bash does not understand start.sh: line 2"),
        ("mine: {}", "true\r\n", "error", "line endings of Windows"),
        ("mine: {}", "python $AGENT_DIR/run.py ${AGENT_DIR}/start.sh", "warning", "$AGENT_DIR/run.py; there is no"),
        ("mine: {env_vars: {K: '${{ secrets.MY_KEY }}'}}", "true", "warning", "needs the secret MY_KEY"),
        ("mine: {env_vars: {SEED: 3}}", "true", "warning", "The run decides about the variable SEED"),
        ("mine: {}", "cat /home/instructions.txt", "note", "the sandbox `process` refuses it"),
        ("mine: {privileged: true}", "true", "note", "--allow-privileged"),
    ],
)
def test_mistakes(text: str, script: str, level: str, words: str, tmp_path: Path) -> None:
    written(tmp_path, text, script)
    ((found_level, sentence),) = found(tmp_path)
    assert found_level == level
    assert words in sentence


def test_mistakes_in_files(tmp_path: Path) -> None:
    folder = written(tmp_path)
    (folder / "solve.py").write_text("def f(:\n")
    (folder / "outside").symlink_to("/etc")
    with (folder / "weights.bin").open("wb") as file:
        file.truncate(300 << 20)
    sentences = [sentence for _, sentence in found(tmp_path)]
    assert sentences[0].startswith("solve.py is not valid Python, line 1")
    assert "leads out of the folder" in sentences[1]
    assert sentences[2] == "The folder has 300 MB and is copied for each run."


def test_a_secret_that_is_set_is_no_finding(tmp_path: Path) -> None:
    written(tmp_path, "mine: {env_vars: {K: '${{ secrets.MY_KEY }}'}}")
    assert found(tmp_path, MY_KEY="x") == []


def test_a_folder_without_agents(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="There is no agent in"):
        check_agents(tmp_path)


def test_the_skeleton_works(prepared_practice: Callable[[str], LocalCompetition], tmp_path: Path) -> None:
    folder = write_agent("my-agent", tmp_path / "agents")
    assert check_agents(folder)[1] == []
    competition = prepared_practice("practice-digits")
    where = tmp_path / "home"
    with ValidationServer(competition, port=0) as server:
        home = make_home(
            where,
            competition,
            find_agent("my-agent", [tmp_path / "agents"]),
            paths=AgentPaths(str(where), str(competition.public_dir)),
            python=Path(sys.executable),
            services={"VALIDATION_URL": server.url or ""},
        )
        done = subprocess.run(
            home.command, cwd=where, env=dict(home.environment), capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stdout
    assert '"is_valid": true' in done.stdout
    submission = where / "submission" / "submission.csv"
    assert validate_submission(submission, competition)[0]
    assert submission.read_bytes() != competition.sample_submission.read_bytes()
    assert (where / "code" / "solve.py").is_file()
    assert (where / "logs" / "solve.log").read_text() == done.stdout


@pytest.mark.parametrize(
    ("name", "words"), [("baseline", "already an agent"), ("a b", "not a valid name"), ("mine", "exists already")]
)
def test_the_skeleton_overwrites_nothing(name: str, words: str, tmp_path: Path) -> None:
    written(tmp_path)
    with pytest.raises(AgentError, match=words):
        write_agent(name, tmp_path)
