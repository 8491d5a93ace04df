"""What other packages register by entry points is found beside what is built in, in one file each."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PARTS = {
    "mlebench.sandboxes": "cabin = contributed:SANDBOX",
    "mlebench.executors": "cluster = contributed:Cluster",
    "mlebench.services": "echo = contributed:ECHO",
    "mlebench.agents": "agents = contributed_agents",
}
MODULE = """
from contextlib import contextmanager
from dataclasses import dataclass
from mlebench.runs.executors.local import LocalExecutor
from mlebench.sandbox import ProcessSandbox
from mlebench.services.interface import Service

@dataclass(frozen=True)
class Cabin(ProcessSandbox):
    name: str = "cabin"

class Cluster(LocalExecutor):
    name = "cluster"

class Echo:
    port, problems = 4999, ()
    def environment(self, url):
        return {"ECHO_URL": url}
    def record(self):
        return {"asked": 0}

@contextmanager
def opened(context):
    yield Echo()

SANDBOX, ECHO = Cabin(), Service("echo", 5001, opened)
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with a package that registers one of each, as pip would install it."""
    site = tmp_path / "site"
    info = site / "contributed-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: contributed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("".join(f"[{group}]\n{line}\n" for group, line in PARTS.items()))
    (site / "contributed.py").write_text(MODULE)
    agent = site / "contributed_agents" / "visitor"
    agent.mkdir(parents=True)
    (site / "contributed_agents" / "__init__.py").touch()
    (agent / "config.yaml").write_text("visitor:\n  start: visitor/start.sh\n")
    (agent / "start.sh").write_text('cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"\n')
    return site


def python(site: Path, code: str) -> str:
    code = f"import sys; sys.path.insert(0, {str(site)!r})\n" + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=site)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_one_of_each_is_listed_and_works_together(installed: Path, tmp_path: Path) -> None:
    code = f"""
    from pathlib import Path
    from mlebench.agents import list_agents
    from mlebench.competition.registry import Registry
    from mlebench.data.prepare import prepare
    from mlebench.runs.executors import EXECUTORS
    from mlebench.runs.group import create_group
    from mlebench.runs.running import run_group
    from mlebench.runs.settings import RunSettings
    from mlebench.sandbox import SANDBOXES
    from mlebench.services.opening import SERVICES

    print(list(SANDBOXES), list(EXECUTORS), list(SERVICES), "visitor" in [agent.id for agent in list_agents()])
    folder = Path({str(tmp_path)!r})
    prepare(Registry(folder / "data").get_competition("practice-wine"))
    settings = RunSettings(agent="visitor", data_dir=folder / "data", sandbox="cabin", executor="cluster",
                           services={{"echo": {{}}}})
    group = create_group(folder / "runs", ["practice-wine"], [0], settings)
    run_group(group, workers=1)
    record = group.run_records()[0]
    print(record.status, record.error, record.sandbox, record.executor, record.services)
    """
    assert python(installed, code).splitlines() == [
        "['bubblewrap', 'docker', 'process', 'cabin'] ['local', 'ray', 'slurm', 'cluster'] "
        "['validation', 'gateway', 'echo'] True",
        "success None cabin cluster {'echo': {'asked': 0}}",
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("import nowhere", "contributed:SANDBOX, which is registered as cabin in mlebench.sandboxes, cannot be loaded"),
        ("SANDBOX = Cabin(name='hut')", "is registered as cabin in mlebench.sandboxes, but has another name"),
    ],
)
def test_one_that_is_broken_is_named(installed: Path, change: str, problem: str) -> None:
    (installed / "contributed.py").write_text(MODULE + change + "\n")
    code = """
    from mlebench.errors import MlebenchError
    from mlebench.sandbox import SANDBOXES
    print(SANDBOXES["process"].name)
    try:
        list(SANDBOXES)
    except MlebenchError as error:
        print(error)
    """
    first, second = python(installed, code).splitlines()
    assert first == "process", "what is built in needs no other package"
    assert problem in second


def test_a_built_in_one_keeps_its_name(installed: Path) -> None:
    (installed / "contributed-1.0.dist-info" / "entry_points.txt").write_text(
        "[mlebench.executors]\nlocal = contributed:Cluster\n"
    )
    code = 'from mlebench.runs.executors import EXECUTORS; print(EXECUTORS["local"].__module__, list(EXECUTORS))'
    assert python(installed, code) == "mlebench.runs.executors.local ['local', 'ray', 'slurm']\n"


@pytest.mark.parametrize(
    ("group", "command"),
    [
        ("mlebench.competitions", ["list"]),
        ("mlebench.agents", ["agents"]),
        ("mlebench.checks", ["check", "--list"]),
        ("mlebench.sandboxes", ["doctor"]),
        ("mlebench.executors", ["run", "-c", "practice-wine", "--agent", "sample", "--executor", "broken"]),
        ("mlebench.services", ["run", "-c", "practice-wine", "--agent", "sample", "--service", "broken"]),
    ],
)
def test_a_broken_package_is_one_sentence_in_every_command(
    installed: Path, tmp_path: Path, group: str, command: list[str]
) -> None:
    (installed / "contributed.py").write_text("import nowhere\n")
    (installed / "contributed-1.0.dist-info" / "entry_points.txt").write_text(f"[{group}]\nbroken = contributed:X\n")
    path = os.pathsep.join([str(installed), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "mlebench", *command],
        env={**os.environ, "PYTHONPATH": path, "MLEBENCH_DATA_DIR": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode != 0, done.stdout
    assert "Traceback" not in done.stderr
    assert f"in {group}, cannot be loaded: ModuleNotFoundError: No module named 'nowhere'." in " ".join(
        done.stderr.split()
    )
