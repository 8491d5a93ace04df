"""Agents of others, the real packages: closed in, against a scripted model, up to a graded submission.

An agent whose packages are not installed is skipped: they are large, and a test installs nothing. `mlebench agents
install NAME` installs them; with MLEBENCH_TEST_AGENTS=all (or names) a missing one is installed here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import run_command
from model_server import ModelServer
from scripts_for_agents import MODELS, PROTOCOLS, SCRIPTS

from mlebench.agents import AgentError, find_agent
from mlebench.agents.environments import is_built
from mlebench.competition.local import LocalCompetition
from mlebench.sandbox import SANDBOXES

WINE = "practice-wine"
KINDS = {"plan", "code", "run", "tool", "message", "error", "submit"}
WANTED = os.environ.get("MLEBENCH_TEST_AGENTS", "").split(",")


@pytest.fixture(params=sorted(SCRIPTS))
def agent(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if not (found := SANDBOXES["bubblewrap"].availability()).works:
        pytest.skip(found.why)
    try:
        installed = is_built(find_agent(name))
    except AgentError as error:  # a Python that is not here
        pytest.skip(str(error))
    if name not in WANTED and "all" not in WANTED and not installed:
        pytest.skip(f"not installed: mlebench agents install {name}, or MLEBENCH_TEST_AGENTS={name}")
    return name


def test_a_closed_run_up_to_a_grade(
    agent: str, prepared_practice: Callable[[str], LocalCompetition], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that fails, a good one, a worse one: the good one is graded, and nothing else was reached for."""
    monkeypatch.setenv("SCRIPTED_KEY", "planted-key-3141")
    model = MODELS.get(agent, "scripted")
    with ModelServer(SCRIPTS[agent], models=[model], key="planted-key-3141") as server:
        done = run_command(
            *("run", "--agent", agent, "-c", WINE, "--sandbox", "bubblewrap", "--network", "none", "--grade", "--json"),
            *("--model", model, "--model-endpoint", f"{server.url},key=SCRIPTED_KEY"),
            *("--time-limit", "300s", "--memory-limit", "8G", *(("--step-limit", 4) if agent == "aide" else ())),
            *("--data-dir", prepared_practice(WINE).data_dir, "--runs-dir", tmp_path / "runs"),
            cwd=tmp_path,
        )
        usage = server.usage
    assert done.code == 0, done.out + done.err
    group = Path(json.loads(done.out.splitlines()[-1])["run_group"])
    (record_path,) = group.glob("*/run.json")
    record = json.loads(record_path.read_text())
    log = (record_path.parent / "agent.log").read_text()
    assert (record["status"], record["network_attempts"]) == ("success", []), log
    counted = record["model_usage"]
    assert {name: counted[name] for name in ("requests", "input_tokens", "output_tokens")} == {
        name: usage[name] for name in ("requests", "input_tokens", "output_tokens")
    }
    assert counted["refused"] == 0
    assert PROTOCOLS.get(agent, "chat") in {call.endpoint for call in server.calls}
    (report,) = json.loads(next(group.glob("*grading_report.json")).read_text())["competition_reports"]
    assert report["any_medal"], f"the worse submission was graded: {report['score']}\n{log}"
    assert "planted-key-3141" not in log
    check_steps(record_path.parent / "logs" / "steps.jsonl")


def check_steps(path: Path) -> None:
    """The form in which every agent of ours notes its steps, and that what happened is among them."""
    steps: list[dict[str, Any]] = [json.loads(line) for line in path.read_text().splitlines()]
    assert {frozenset(step) for step in steps} == {frozenset(("time", "kind", "tokens", "validation_score", "text"))}
    assert {step["kind"] for step in steps} <= KINDS
    assert [step["time"] for step in steps] == sorted(step["time"] for step in steps)
    assert any(step["kind"] == "error" and "no-such-file" in step["text"] for step in steps)
    scores = [step["validation_score"] for step in steps if step["kind"] == "submit"]
    assert min(score for score in scores if score is not None) < 0.1 < 0.5 < max(filter(None, scores))
