"""`mlebench agents`: listing, checking and beginning agents."""

from __future__ import annotations

import json
from pathlib import Path

from command import Run


def test_list(run: Run) -> None:
    ran = run("agents")
    assert ran.code == 0
    ids = [line.split()[0] for line in ran.out.splitlines()[1:]]
    assert {"aide", "baseline", "claude-code", "codex", "command", "dummy", "openhands", "sample"} <= set(ids)
    assert ids == sorted(ids)
    facts = {each["id"]: each for each in json.loads(run("agents", "--json").out)}
    assert facts.keys() == set(ids)
    assert facts["baseline"]["network"] == "none"
    assert facts["command"]["folder"] is None


def test_new_and_check(run: Run, tmp_path: Path) -> None:
    ran = run("agents", "new", "mine")
    assert ran.code == 0
    assert "mlebench agents check agents/mine" in ran.out
    ran = run("agents", "check", "agents/mine")
    assert (ran.code, ran.out) == (0, "1 sound agent: mine.\n")
    listed = run("agents", "--agents-dir", "agents", "--json")
    assert json.loads(listed.out)[0]["id"] == "mine"
    again = run("agents", "new", "mine")
    assert again.code == 1
    assert again.err == "error: agents/mine exists already. Choose another name, or remove the folder.\n"

    (tmp_path / "agents" / "mine" / "start.sh").write_text("if\n")
    (tmp_path / "agents" / "mine" / "config.yaml").write_text("mine: {nework: full}\nmine/dev: {start: no.sh}\n")
    ran = run("agents", "check", "agents")
    assert ran.code == 1
    assert [line.split(":")[:2] for line in ran.out.splitlines()[:-1]] == [
        ["warning", " mine"],
        ["error", " mine"],
        ["error", " mine/dev"],
    ]
    assert ran.out.splitlines()[-1] == "0 sound agents."
    findings = json.loads(run("agents", "check", "agents", "--json").out)["findings"]
    assert [each["level"] for each in findings] == ["warning", "error", "error"]
    assert all(each["code"] and each["file"] for each in findings)
    listed = run("agents", "--agents-dir", "agents")
    assert listed.code == 0
    assert "warning: mine/dev in agents/mine/config.yaml" in listed.err


def test_show(run: Run) -> None:
    ran = run("agents", "show", "opendevin")
    assert ran.code == 0
    lines = dict(line.split(":", 1) for line in ran.out.splitlines())
    assert lines["agent"].split() == ["openhands", "(also", "opendevin)"]
    assert lines["python"].strip() == ">=3.12"
    assert "--model-endpoint" in lines["model"]
    facts = json.loads(run("agents", "show", "aide", "--json").out)
    assert facts["environment"]["packages"] > 50
    assert facts["environment"]["size_bytes"] > 100 << 20
    assert facts["calls_model"]
    assert json.loads(run("agents", "show", "command", "--json").out)["environment"] is None
    assert run("agents", "show", "opnhands").err.startswith(
        "error: There is no agent 'opnhands'. Did you mean openhands"
    )


def test_what_an_agent_lacks_is_said_before_anything_runs(run: Run, tmp_path: Path) -> None:
    def refused(manifest: str, *options: str) -> str:
        folder = tmp_path / "agents" / "mine"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.yaml").write_text(manifest)
        (folder / "start.sh").write_text("true\n")
        (folder / "lock.txt").write_text("./no_such_thing-1.0-py3-none-any.whl\n")
        arguments = ("--agents-dir", "agents", "-c", "practice-wine", "--prepare", "--sandbox", "process", *options)
        ran = run("run", "--agent", "mine", *arguments)
        assert ran.code == 1
        assert not list((tmp_path / "runs").glob("*")), "no group was made"
        return ran.err.splitlines()[-1]

    assert "needs Python 3.99, which is not on this machine" in refused('mine: {python: "3.99"}')
    assert "needs no-such-program, which is not on this machine" in refused("mine: {programs: [no-such-program]}")
    assert "requires cannot be installed" in refused("mine: {requirements: lock.txt}")
    assert "`start` names gone.sh, but there is no such file" in refused("mine: {start: gone.sh}")
    assert "calls a model, and this call grants none. Add --model-endpoint URL" in refused("mine: {calls_model: true}")


def test_an_agent_for_an_image_alone(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "agents" / "mine"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("mine: {dockerfile: Dockerfile}")
    (folder / "Dockerfile").write_text("FROM mlebench-env\n")
    (folder / "start.sh").write_text("true\n")
    arguments = ("--agents-dir", "agents", "-c", "practice-wine", "--prepare", "--sandbox", "process")
    sentence = "has a dockerfile and names no requirements: what its image would install is missing outside docker."
    assert f"The agent mine {sentence}" in run("run", "--agent", "mine", *arguments).err
    assert "missing outside docker" in run("agents", "show", "mine", "--agents-dir", "agents").out


def test_nothing_to_check(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = run("agents", "check", "empty")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "There is no agent in empty" in ran.err
    assert run("agents", "check", "nowhere").code == 2
