"""What the tests of sandboxes share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sandbox.running import run

from mlebench.sandbox import SANDBOXES, Ending, Job, Sandbox


@pytest.fixture(params=SANDBOXES)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each sandbox that works here."""
    sandbox = SANDBOXES[request.param]
    found = sandbox.availability()
    if not found.works:
        pytest.skip(found.why)
    return sandbox


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job that does nothing, in folders of its own."""
    for name in ("home/data", "data"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "data" / "train.csv").write_text("public")
    return Job(["true"], tmp_path / "home", tmp_path / "data", tmp_path / "agent.log")


@pytest.fixture
def run_python(sandbox: Sandbox, job: Job) -> Callable[..., tuple[Ending, str]]:
    """Run Python code in the sandbox; how it ended, and what it printed."""

    def run_code(code: str, **changes: Any) -> tuple[Ending, str]:
        ending = run(sandbox, replace(job, command=["python3", "-c", code], **changes))
        return ending, job.log.read_text(errors="replace")

    return run_code
