"""What contributors set up works: the hooks of pre-commit are CI's own checks, and stop what CI would stop."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CONFIGURATION = ".pre-commit-config.yaml"
HOOKS = {
    hook["id"]: hook
    for repository in yaml.safe_load((ROOT / CONFIGURATION).read_text(encoding="utf-8"))["repos"]
    for hook in repository["hooks"]
}


def test_hooks_are_the_checks_of_ci_and_download_nothing() -> None:
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    for hook, step in (("ruff", "ruff check ."), ("ruff-format", "ruff format --check ."), ("mypy", "mypy")):
        assert HOOKS[hook]["language"] == "system"
        assert step in steps
        assert HOOKS[hook]["entry"].split()[:2] == step.split()[: len(HOOKS[hook]["entry"].split()[:2])]
    assert set(HOOKS) == {"ruff", "ruff-format", "mypy"}


@pytest.mark.once
@pytest.mark.parametrize(
    ("hook", "text", "told"),
    [
        ("ruff", "import os\n", "F401"),
        ("ruff-format", '"""A module."""\n\nx = [1,2]\n', "1 file reformatted"),
        ("mypy", '"""A module."""\n\nx: int = "1"\n', "Incompatible types in assignment"),
    ],
)
def test_a_hook_stops_a_commit(hook: str, text: str, told: str, tmp_path: Path) -> None:
    pytest.importorskip("pre_commit", reason="it comes with pip install -e '.[dev]'")
    shutil.copy(ROOT / CONFIGURATION, tmp_path)
    # The settings of the project, with a folder of one file for each that it names.
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    for folder in ("src", "tests", "scripts", "benchmarks", "examples"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"in_{folder}.py").write_text('"""Nothing."""\n', encoding="utf-8")
    (tmp_path / "src" / "in_src.py").write_text(text, encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(tmp_path / "cache"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    for line in (["git", "init", "--quiet"], ["git", "add", "src", "tests", "scripts", "benchmarks", "examples"]):
        subprocess.run(line, cwd=tmp_path, env=environment, check=True)
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", hook, "--all-files"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout
    assert told in done.stdout
