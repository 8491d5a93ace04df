"""`mlebench new`, and a user's own competitions from a folder, a variable and an installed package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Run


@pytest.fixture
def mine(run: Run, tmp_path: Path) -> Path:
    """A folder with one new competition."""
    assert run("new", "my-contest", "--into", "mine").code == 0
    return tmp_path / "mine"


def test_skeleton_works(run: Run, mine: Path, tmp_path: Path) -> None:
    own = ("--competitions-dir", mine)
    assert run("twin", "my-contest", "twins", "--submissions", "examples", *own).code == 0
    assert run("prepare", "-c", "my-contest", "--source", "twins", "--force", *own).code == 0
    ran = run("grade-sample", "examples/perfect.csv", "my-contest", *own)
    assert ran.code == 0, ran.err
    report = json.loads(ran.out)
    assert report["score"] == 1.0
    assert report["gold_threshold"] is None, "there is no leaderboard"
    assert run("validate", "examples/nan.csv", "my-contest", *own).code == 1


def test_own_leaderboard_gives_medals(run: Run, mine: Path, tmp_path: Path) -> None:
    scores = "".join(f"{score / 100}\n" for score in range(90, 50, -1))
    (mine / "my_contest" / "leaderboard.csv").write_text(f"score\n{scores}")
    facts = json.loads(run("info", "my-contest", "--competitions-dir", mine, "--json").out)
    assert (facts["gold"], facts["silver"], facts["bronze"], facts["teams"]) == (0.87, 0.83, 0.75, 40)


def test_found_by_variable(run: Run, mine: Path) -> None:
    ran = run("list", MLEBENCH_COMPETITIONS_DIR=str(mine))
    assert "my-contest" in ran.out


def test_found_by_entry_point(run: Run, mine: Path, tmp_path: Path) -> None:
    (mine / "__init__.py").touch()
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[mlebench.competitions]\nmine = mine\n")
    ran = run("list", "--json", PYTHONPATH=str(tmp_path))
    assert "my-contest" in [each["id"] for each in json.loads(ran.out)]


def test_broken_module_is_one_sentence(run: Run, mine: Path) -> None:
    (mine / "my_contest" / "competition.py").write_text("import nonsense_that_is_not_there\n")
    ran = run("list", "--competitions-dir", mine)
    assert ran.code == 1
    assert "fails on import" in ran.err


def test_nothing_is_overwritten(run: Run, mine: Path) -> None:
    ran = run("new", "my-contest", "--into", "mine")
    assert ran.code == 1
    assert "exists already" in ran.err
    assert run("new", "spaceship-titanic", "--into", "mine").code == 1
    assert run("new", "no good", "--into", "mine").code == 1


def test_metrics_are_listed_with_their_direction(run: Run) -> None:
    ran = run("new", "--list-metrics")
    assert ran.code == 0
    assert {"lower   mean absolute error", "higher  accuracy"} <= set(ran.out.splitlines())
