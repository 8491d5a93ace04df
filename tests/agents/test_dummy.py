"""The agent that checks promises: unconfined, every promise that it can check is found broken."""

from __future__ import annotations

import ast
import json
import os
import runpy
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mlebench.agents import find_agent
from mlebench.competition.local import LocalCompetition
from mlebench.grade.grading import validate_submission
from mlebench.runs.contract import Home, make_home, tell_promises
from mlebench.runs.instructions import AgentPaths
from mlebench.sandbox.interface import Promise

Prepared = Callable[[str], LocalCompetition]
FOLDER = find_agent("dummy").folder or Path()
PROGRAM = runpy.run_path(str(FOLDER / "check_promises.py"))
ALL = [*PROGRAM["CHECKS"], *PROGRAM["OUTSIDE"]]
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the attempts are written for Linux")


@pytest.fixture
def home(prepared_practice: Prepared, tmp_path: Path) -> Home:
    # A data folder of its own: unconfined, the attempts touch it.
    original = prepared_practice("practice-wine")
    shutil.copytree(original.data_dir / original.id, tmp_path / "data" / original.id)
    competition = LocalCompetition(original.declaration, tmp_path / "data")
    folder = tmp_path / "runs" / "one" / "home"
    paths = AgentPaths(str(folder), str(competition.public_dir))
    return make_home(folder, competition, find_agent("dummy"), paths=paths, python=Path(sys.executable))


def told(home: Home, promised: list[str], tmp_path: Path, **more: Any) -> None:
    (tmp_path / "precious.txt").write_text("x")
    private = Path(home.environment["DATA_DIR"]).parent / "private"
    tell_promises(home, promised, private=private, host_file=tmp_path / "precious.txt", runs=tmp_path / "runs", **more)


def run(home: Home, python: str | None = None) -> tuple[int, dict[str, dict[str, str]], str]:
    """(exit code, outcomes by promise, output)"""
    variables = {**home.environment, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    if python:
        variables["PATH"] = f"{Path(python).parent}{os.pathsep}{variables['PATH']}"
    done = subprocess.run(home.command, cwd=home.folder, env=variables, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    found = json.loads((home.folder / "logs" / "promises.json").read_text())
    return done.returncode, {each["promise"]: each for each in found}, done.stdout


@pytest.fixture
def exposed() -> Iterator[None]:
    """Things of the host that an agent could get at: a TCP port, an abstract socket, a file in shared memory."""
    shared = Path(f"/dev/shm/mlebench-test-{os.getpid()}")
    shared.write_text("x")
    with socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0mlebench-test-{os.getpid()}")
        abstract.listen()
        yield
    shared.unlink()


def test_unconfined_all_promises_are_broken(home: Home, tmp_path: Path, exposed: None) -> None:
    told(home, ALL, tmp_path)
    code, found, output = run(home)
    assert code == 1
    visible = {name: each for name, each in found.items() if each["status"] != "not visible"}
    # Whether there is a GPU, a service or a network, and who we are, depends on the machine.
    depends = {"NO_GPU", "NO_HOST_SOCKETS", "NO_PRIVILEGES"}
    kept = {name: each for name, each in visible.items() if each["status"] != "failed"}
    assert kept.keys() <= depends, kept
    assert not [each for each in found.values() if "could not be checked" in each["note"]]
    assert "failed        ANSWERS_HIDDEN (read " in output
    assert output.splitlines()[-1].startswith("0 passed" if not kept else f"{len(kept)} passed")


def test_what_is_not_promised_does_not_fail(home: Home, tmp_path: Path, exposed: None) -> None:
    told(home, [], tmp_path)
    code, found, output = run(home)
    assert code == 0
    assert {each["status"] for each in found.values()} == {"not promised"}
    assert "not promised  DATA_READ_ONLY (made " in output


def test_it_hands_in_the_sample_and_changes_nothing(home: Home, tmp_path: Path) -> None:
    data = Path(home.environment["DATA_DIR"])
    told(home, ALL, tmp_path)
    before = {path: path.read_bytes() for path in sorted(tmp_path.glob("**/*")) if path.is_file()}
    run(home)
    after = {path: path.read_bytes() for path in sorted(tmp_path.glob("**/*")) if path.is_file()}
    new = {path.relative_to(home.folder).as_posix() for path in after.keys() - before.keys()}
    assert new == {"submission/submission.csv", "logs/promises.json"}
    assert {path: after[path] for path in before} == before
    assert (home.folder / "submission" / "submission.csv").read_bytes() == (data / "sample_submission.csv").read_bytes()


def test_granted_ports_and_network_are_no_breach(home: Home, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)):
        told(home, ["NO_TCP", "NO_NETWORK"], tmp_path, network="full")
        assert run(home)[0] == 0


def test_every_promise_is_known() -> None:
    """Each promise is checked, or it is said that it is only seen from outside."""
    assert {promise.name for promise in Promise} <= set(ALL)
    assert not PROGRAM["CHECKS"].keys() & set(PROGRAM["OUTSIDE"])


def old_python() -> str | None:
    folders = [Path.home() / ".pyenv" / "versions"]
    found = [path for folder in folders for path in sorted(folder.glob("3.8.*/bin/python3"))]
    return str(found[0]) if found else None


@pytest.mark.skipif(old_python() is None, reason="there is no Python 3.8 here")
def test_it_runs_on_an_old_python(home: Home, tmp_path: Path) -> None:
    told(home, ["ANSWERS_HIDDEN"], tmp_path)
    code, found, _ = run(home, old_python())
    assert (code, found["ANSWERS_HIDDEN"]["status"]) == (1, "failed")
    assert not [each for each in found.values() if "could not be checked" in each["note"]]


def test_agents_know_nothing_of_mlebench() -> None:
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "mlebench" for name in names), path.name


@pytest.mark.parametrize("competition_id", ["spaceship-titanic", "random-acts-of-pizza", "leaf-classification"])
def test_the_sample_agent_finds_the_sample(competition_id: str, prepared_twin: Prepared, tmp_path: Path) -> None:
    competition = prepared_twin(competition_id)
    folder = tmp_path / "home"
    paths = AgentPaths(str(folder), str(competition.public_dir))
    home = make_home(folder, competition, find_agent("sample"), paths=paths, python=Path(sys.executable))
    done = subprocess.run(home.command, env=dict(home.environment), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert validate_submission(folder / "submission" / "submission.csv", competition)[0]


def test_the_sample_agent_without_a_sample(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("x\n")
    done = subprocess.run(
        [sys.executable, str(FOLDER / "hand_in_sample.py")],
        env={"DATA_DIR": str(tmp_path), "SUBMISSION_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, f"There is no sample submission in {tmp_path}.\n")
