"""Real clients, installed from the registry of Python packages, run on this package unchanged."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from installing import SOURCE, installed

from mlebench.registry import Registry
from mlebench.twins import write_twin

PROGRAMS = Path(__file__).parent / "programs"
TITANIC = "spaceship-titanic"


def twin_in(folder: Path, competition_id: str) -> Path:
    """A data folder with the synthetic archive of a competition in its place, and nothing else."""
    competition = Registry(folder).get_competition(competition_id)
    write_twin(competition, competition.home)
    return folder


def run_program(python: Path, name: str, *arguments: object, cwd: Path) -> dict[str, object]:
    """What a program prints as its last line, which is JSON."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [str(python), str(PROGRAMS / name), *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    found: dict[str, object] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def beside_inspect_evals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The Python of an environment with this package and inspect_evals: a new one compiles pandas and all else anew."""
    folder = tmp_path_factory.mktemp("inspect_evals")
    yield installed(folder, "inspect_evals", str(SOURCE))
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.once
@pytest.mark.xdist_group("beside inspect_evals")
def test_inspect_evals_runs_its_task(beside_inspect_evals: Path, tmp_path: Path) -> None:
    """It makes the folders first, prepares into them, lets a model submit, and grades with private/ alone at hand."""
    data = twin_in(tmp_path / "data", TITANIC)
    found = run_program(beside_inspect_evals, "inspect_mle_bench.py", data, TITANIC, tmp_path / "work", cwd=tmp_path)
    assert found["value"] == {"valid_submission": 1, "above_median": 0, "any_medal": 0}
    report = found["report"]
    assert isinstance(report, dict)
    assert (report["score"], report["data"]) == (0.375, "twin (seed 0, scale 1)")
    assert "PassengerId" in str(found["tools"])


@pytest.mark.once
def test_a_project_with_hundreds_of_competitions(tmp_path: Path) -> None:
    """dslighting ships 360 folders in the published form, each with a prepare.py and a grade.py of its own.

    They are loaded, and some of them are prepared and graded as ours are: same files, same scores. Its other libraries
    are left out, among them some for GPUs; its competitions ask for pandas 2.
    """
    python = installed(tmp_path, "pandas<3", "scikit-learn<1.8", str(SOURCE), "tqdm")
    folder = installed(tmp_path / "theirs", "dslighting", no_deps=True).parents[1]
    (registry,) = folder.glob("lib/python*/site-packages/dslighting/registry")
    ids = ["aerial-cactus-identification", "leaf-classification", TITANIC, "spooky-author-identification"]
    for each in ids:
        twin_in(tmp_path / "data", each)
    found = run_program(python, "competitions_of_others.py", registry, tmp_path / "data", *ids, cwd=tmp_path)
    competitions = found["competitions"]
    assert isinstance(competitions, int)
    assert competitions > 300
    assert found["different_files"] == []
    assert found["different_scores"] == []
    grades = found["grades"]
    assert isinstance(grades, int)
    assert grades > 30


@pytest.mark.once
@pytest.mark.xdist_group("beside inspect_evals")
def test_an_agent_that_reads_the_log_of_the_command(beside_inspect_evals: Path, tmp_path: Path) -> None:
    """rdagent grades through the command and a pipe, takes the report out of what it printed, and checks submissions.

    Its own script and its own function do so; the one path in them that is fixed, of a container, is replaced.
    """
    folder = installed(tmp_path / "theirs", "rdagent", no_deps=True).parents[1]
    (package,) = folder.glob("lib/python*/site-packages/rdagent")
    data = twin_in(tmp_path / "data", TITANIC)
    found = run_program(beside_inspect_evals, "reader_of_logs.py", package, data, TITANIC, cwd=tmp_path)
    assert found == {"valid": "Submission is valid.", "score": 0.375, "gold_threshold": 0.82066, "refused": False}


@pytest.fixture(autouse=True)
def _only_once_in_a_while(tmp_path: Path) -> object:
    """Environments take hundreds of megabytes; none is kept."""
    yield
    for environment in tmp_path.rglob("environment"):
        shutil.rmtree(environment, ignore_errors=True)
