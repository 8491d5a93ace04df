"""Adding a built-in competition is one folder: in a copy of the package it is found, made, prepared and graded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command import run_command

import mlebench
from mlebench.competition.skeleton import write_skeleton

PACKAGE = Path(mlebench.__file__).parent


@pytest.mark.once
def test_a_built_in_competition_is_one_folder(tmp_path: Path) -> None:
    package = tmp_path / "package" / "mlebench"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    write_skeleton("river-levels", package / "competitions")

    def run(*arguments: object) -> str:
        ran = run_command(*arguments, cwd=tmp_path, PYTHONPATH=str(package.parent))
        assert ran.code == 0, ran.err
        return ran.out

    listed = {each["id"] for each in json.loads(run("list", "--json"))}
    assert {"river-levels", "spaceship-titanic"} <= listed
    run("twin", "river-levels", "twins", "--submissions", "examples")
    assert (tmp_path / "data" / "river-levels" / "prepared" / "private" / "test.csv").is_file()
    report = json.loads(run("grade-sample", "examples/perfect.csv", "river-levels"))
    assert report["valid_submission"]
    assert report["score"] == 1.0
    assert not json.loads(run("grade-sample", "examples/missing_row.csv", "river-levels"))["valid_submission"]
