"""What the adapters share: the best submission is in place at the end, in time, and every step is noted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mlebench.agents import find_agent
from mlebench.agents.discovery import BUILT_IN
from mlebench.competition.local import LocalCompetition
from mlebench.runs.contract import make_home
from mlebench.runs.instructions import AgentPaths

HARNESS = BUILT_IN / "harness"
# Stands for the checker: a file is valid if its first line is that of a submission.
CHECKER = '#!/bin/bash\n[ "$(head -n 1 "$1")" = "id,y" ]\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("submission", "code", "logs", "data"):
        (tmp_path / name).mkdir()
    (tmp_path / "agent").symlink_to(HARNESS)
    (tmp_path / "validate_submission.sh").write_text(CHECKER)
    (tmp_path / "instructions.txt").write_text("Do it.\n")
    return tmp_path


@pytest.fixture
def variables(home: Path) -> dict[str, str]:
    folders = {f"{name.upper()}_DIR": str(home / name) for name in ("submission", "code", "logs", "data", "agent")}
    return {
        **os.environ,
        **folders,
        "TIME_LIMIT_SECS": "60",
        "PYTHONPATH": str(HARNESS),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.fixture
def hand_in(home: Path, variables: dict[str, str]) -> Callable[..., str]:
    def call(text: str, *options: str, name: str = "predictions.csv") -> str:
        (home / "code" / name).write_text(text)
        command = [sys.executable, str(HARNESS / "bin" / "hand_in"), str(home / "code" / name), *options]
        subprocess.run(command, env=variables, check=True, capture_output=True)
        return (home / "submission" / "submission.csv").read_text()

    return call


def steps(home: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (home / "logs" / "steps.jsonl").read_text().splitlines()]


def test_it_is_copied_beside_the_adapter(prepared_practice: Callable[[str], LocalCompetition], tmp_path: Path) -> None:
    competition, where = prepared_practice("practice-wine"), tmp_path / "home"
    paths = AgentPaths(str(where), str(competition.public_dir))
    make_home(where, competition, find_agent("codex"), paths=paths, python=Path(sys.executable))
    assert {"adapter.py", "start.sh", "harness.py", "task.md", "bin"} <= {
        path.name for path in (where / "agent").iterdir()
    }
    assert str(Path(sys.executable).parent) in (where / ".profile").read_text()


def test_the_best_stays(hand_in: Callable[..., str], home: Path) -> None:
    assert hand_in("id,y\n1,1\n") == "id,y\n1,1\n", "one without a score is better than none"
    assert hand_in("id,y\n1,2\n", "--score", "0.5", "--lower-is-better") == "id,y\n1,2\n"
    assert hand_in("id,y\n1,3\n", "--score", "0.9", "--lower-is-better") == "id,y\n1,2\n"
    assert hand_in("id,y\n1,4\n", "--score", "nan", "--lower-is-better") == "id,y\n1,2\n"
    assert hand_in("id,y\n1,5\n", "--score", "0.1", "--lower-is-better") == "id,y\n1,5\n"
    found = steps(home)
    assert {step["kind"] for step in found} == {"submit"}
    assert [step["validation_score"] for step in found] == [None, 0.5, 0.9, None, 0.1]


SUPERVISE = "import harness, sys; sys.exit(harness.supervise(['bash', '-c', sys.argv[1]], harness.print_line))"


def supervised(script: str, variables: dict[str, str], **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SUPERVISE, script]
    return subprocess.run(command, env={**variables, **more}, capture_output=True, text=True, check=False, timeout=120)


def test_an_agent_that_never_ends_is_ended_in_time(home: Path, variables: dict[str, str]) -> None:
    began = time.monotonic()
    script = 'printf "id,y\\n1,1\\n" > "$SUBMISSION_DIR/submission.csv"; sleep 1000 & sleep 1000'
    done = supervised(script, variables, TIME_LIMIT_SECS="8")
    assert done.returncode == 0, "time that is up is no failure of the agent"
    assert time.monotonic() - began < 60
    assert (home / "submission" / "submission.csv").read_text() == "id,y\n1,1\n"
    assert steps(home)[-1]["text"] == "Time is up: the agent was ended."


def test_a_submission_that_is_cut_off_is_replaced_by_the_last_good_one(home: Path, variables: dict[str, str]) -> None:
    copies = '"$SUBMISSION_DIR/../.submissions"'
    script = (
        'printf "id,y\\n1,1\\n" > "$SUBMISSION_DIR/submission.csv"; '
        f"until ls {copies}/*.csv > /dev/null 2>&1; do sleep 0.1; done; "
        'printf "id" > "$SUBMISSION_DIR/submission.csv"; exit 3'
    )
    assert supervised(script, variables).returncode == 3, "how the agent ended is how the run ends"
    assert (home / "submission" / "submission.csv").read_text() == "id,y\n1,1\n"
    assert steps(home)[-1]["kind"] == "submit"


def test_claude_is_asked_in_its_own_protocol_where_that_is_served(variables: dict[str, str]) -> None:
    """And any model where nothing else is."""
    program = """
import harness, os
for names in ((), ("OPENAI_BASE_URL",), ("ANTHROPIC_BASE_URL",), ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL")):
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        os.environ.pop(name, None)
    os.environ.update(dict.fromkeys(names, "http://x"))
    print(*(harness.uses_anthropic(model) for model in ("claude-9", "gpt-9")))
"""
    done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False False", "False False", "True True", "True False"]


def test_the_model_is_named_or_asked_for(home: Path, variables: dict[str, str]) -> None:
    from model_server import ModelServer

    def name(*arguments: str, **more: str) -> str:
        command = [sys.executable, "-c", "import harness, sys; print(harness.model_name(*sys.argv[1:]))", *arguments]
        done = subprocess.run(command, env={**variables, **more}, capture_output=True, text=True, check=False)
        return (done.stdout or done.stderr).strip()

    with ModelServer(models=["first", "second"]) as server:
        address = {"OPENAI_BASE_URL": f"{server.url}/v1", "no_proxy": "*"}
        assert name(**address) == "first"
        assert name(MODEL_NAME="granted", **address) == "granted"
        assert name("chosen", MODEL_NAME="granted", **address) == "chosen"
    assert name() == "error: There is no model to call: neither OPENAI_BASE_URL nor ANTHROPIC_BASE_URL is set."
