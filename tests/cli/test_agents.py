"""`mlebench agents`: listing, checking and beginning agents."""

from __future__ import annotations

import json
from pathlib import Path

from command import Run


def test_list(run: Run) -> None:
    ran = run("agents")
    assert ran.code == 0
    ids = [line.split()[0] for line in ran.out.splitlines()[1:]]
    assert ids == ["baseline", "command", "dummy", "sample"]
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


def test_nothing_to_check(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = run("agents", "check", "empty")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "There is no agent in empty" in ran.err
    assert run("agents", "check", "nowhere").code == 2
