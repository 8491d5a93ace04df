"""`--debug` shows how errors came about that a command collects one by one; without it nobody sees a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from graded import write_group
from waiting import PATIENCE

from mlebench.runs.group import create_group
from mlebench.runs.settings import RunSettings

WINE = "practice-wine"


def a_run_without_data(folder: Path) -> list[str]:
    group = create_group(folder / "runs", [WINE], [0], RunSettings(agent="sample", data_dir=folder / "data"))
    return ["run", "--resume", str(group.folder)]


def replays_without_a_command(folder: Path) -> list[str]:
    return ["replay", str(write_group(folder / "group", [WINE], (0, 1)))]


def leaderboards_without_an_account(folder: Path) -> list[str]:
    return ["dev", "download-leaderboard", "--all", "--force", "--data-dir", str(folder / "data")]


@pytest.mark.parametrize(
    ("make", "raised"),
    [
        (a_run_without_data, "the run "),
        (replays_without_a_command, "replaying "),
        (leaderboards_without_an_account, "the leaderboard of spaceship-titanic "),
    ],
)
def test_errors_that_are_collected(make: Callable[[Path], list[str]], raised: str, tmp_path: Path) -> None:
    account = {"HOME": str(tmp_path), "KAGGLE_CONFIG_DIR": str(tmp_path)}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KAGGLE_")} | account
    shown = []
    for options in ([], ["--debug"]):
        command = [sys.executable, "-m", "mlebench", *options, *make(tmp_path / f"{len(options)}")]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PATIENCE, cwd=tmp_path, check=False
        )
        assert done.returncode == 1, done.stderr
        shown.append(done.stderr)
    plain, debugged = shown
    assert "Traceback" not in plain
    assert raised in debugged
    assert " raised\nTraceback (most recent call last)" in debugged
