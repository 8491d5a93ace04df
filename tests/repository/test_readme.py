"""What the README promises: two lines that CI types, commands that there are, and figures that are right."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import yaml

from mlebench.agents.discovery import list_agents
from mlebench.cli import cli
from mlebench.competition.registry import registry

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## )", README, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_ci_types_the_two_lines_on_top() -> None:
    blocks = re.findall(r"^```bash\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert blocks[:2] == ["pip install -e . && mlebench quickstart\n", "pip install -e '.[dev]' && pytest -n auto\n"]
    program = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    function = re.search(r"^readme_line\(\) .*$", program, re.MULTILINE)
    assert function
    done = subprocess.run(
        ["bash", "-c", f"{function[0]}\nreadme_line 1; readme_line 2"],
        cwd=ROOT,
        text=True,
        capture_output=True,
        check=True,
    )
    assert done.stdout == "".join(blocks[:2])
    assert re.findall(r"^follow_readme (\d)$", program, re.MULTILINE) == ["1", "2"]


def test_which_command_when() -> None:
    rows = section("Which command when").strip().splitlines()[2:7]
    named = {each.removeprefix("mlebench ").split()[0] for row in rows for each in re.findall(r"`([^`]+)`", row)}
    assert len(named) > 15
    assert named <= set(cli.commands)


def test_what_is_ready_today() -> None:
    text = section("What is ready today")
    everything = registry.all_competitions()
    published = [each for each in everything if each.declaration.group != "practice"]
    boards = [each.human_leaderboard() for each in published]
    assert f"{len(published)} of {len(published)} ({len(registry.split('all'))} of the benchmark" in text
    assert f"{len(registry.split('dev'))} for development) and {len(everything) - len(published)} for practice" in text
    assert f"{sum(each.declaration.differs('v2') for each in published)} competitions repaired" in text
    assert f"distributions for {sum(bool(board and board.quantiles) for board in boards)}" in text
    assert f"{len(list_agents())} built in" in text


def test_the_citation_is_in_the_form_that_readers_of_it_expect() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["license"] == "MIT"
    assert all("name" in author or "family-names" in author for author in citation["authors"])
    paper = citation["preferred-citation"]
    assert {"type", "title", "authors"} <= paper.keys()
    assert paper["title"] in " ".join(README.split())
