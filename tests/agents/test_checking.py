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
    ready_made = {"aide", "aider", "claude-code", "codex", "mini-swe-agent", "openhands"}
    assert {agent.id for agent in agents} >= {"baseline", "dummy", "mlab", "oracle", "react", "sample", *ready_made}
    assert [finding for finding in findings if finding.severity != "note"] == []


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


# As published: a dozen variants of one agent with shared parts, for an image, with secrets, and with paths in /home.
PUBLISHED = """
vars: {time: &time 86400}
kwargs_common: &kwargs_common
  agent.search.max_debug_depth: 20
  agent.time_limit: *time
shared_secrets: &secrets
  OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}
defaults: &defaults
  start: mine/start.sh
  dockerfile: mine/Dockerfile
  kwargs_type: omegaconf
  env_vars: *secrets
""" + "".join(
    f"mine/{name}:\n  <<: *defaults\n  kwargs: {{<<: *kwargs_common, agent.code.model: {name}}}\n"
    for name in "abcdefghijkl"
)


def test_the_published_form_gives_no_warnings_but_what_is_wrong(tmp_path: Path) -> None:
    """Parts that others refer to are no agents, and what all variants share is found once."""
    folder = written(tmp_path, PUBLISHED, "cd /home && python $AGENT_DIR/aideml/run.py")
    (folder / "Dockerfile").write_text("FROM mlebench-env\n")
    agents, findings = check_agents(tmp_path, {"OPENAI_API_KEY": "x"})
    assert [agent.id for agent in agents] == [f"mine/{name}" for name in "abcdefghijkl"]
    assert [finding.severity for finding in findings] == ["note"] * len(findings)
    assert {str(finding.code) for finding in findings} == {"needs_home", "image_only"}
    wrong = [finding for finding in check_agents(tmp_path, {})[1] if finding.severity != "note"]
    assert [(finding.subject, finding.message) for finding in wrong] == [
        ("mine/a (and 11 more agents)", "It needs the secret OPENAI_API_KEY, which is not set here.")
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("pandas==2.2\nnumpy==2.1 --hash=sha256:0\n", None),
        ("pandas==2.2\nnumpy>=2\nscipy\n", "numpy and 1 more"),
        ("# none\n-r more.txt\n./local-1.0.whl\nthing @ https://example.org/thing.whl\n", None),
    ],
)
def test_requirements_without_versions(text: str, names: str | None, tmp_path: Path) -> None:
    folder = written(tmp_path, "mine: {requirements: needs.txt}")
    (folder / "needs.txt").write_text(text)
    sentences = [sentence for _, sentence in found(tmp_path)]
    assert sentences == (
        [] if names is None else [f"needs.txt gives no version for {names}: what is installed depends on the day."]
    )


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
