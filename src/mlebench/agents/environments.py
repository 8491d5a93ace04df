"""The Python that an agent runs with where it has no image: ours, or an environment with what it requires."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from mlebench.agents.agent import Agent, AgentError
from mlebench.base.processes import run_apart

_READY = ".ready"  # written last: an environment without it is half made


def default_cache() -> Path:
    """Where environments of agents are kept."""
    from platformdirs import user_cache_path

    return user_cache_path("mlebench") / "agents"


def python_of(agent: Agent, cache: Path | None = None, should_stop: Callable[[], bool] = lambda: False) -> Path:
    """The interpreter for an agent; the packages it requires are installed once and kept for later runs.

    The environment depends on the text of the requirements and on the version of Python, nothing else. Installing ends
    with a StoppedError when `should_stop` says so.
    """
    if agent.requirements is None:
        return Path(sys.executable)
    wanted = agent.requirements.read_bytes()
    key = hashlib.sha256(wanted + sys.version.encode() + sys.prefix.encode()).hexdigest()[:16]
    folder = (cache or default_cache()).absolute() / key
    python = folder / "bin" / "python"
    if (folder / _READY).is_file() and python.exists():
        return python
    from mlebench.files.locks import exclusive

    with exclusive(folder.with_name(f"{key}.making")):
        if not (folder / _READY).is_file() or not python.exists():
            _make(agent, agent.requirements, folder, python, should_stop)
    return python


def _make(agent: Agent, requirements: Path, folder: Path, python: Path, should_stop: Callable[[], bool]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--quiet"]
    for command in ([sys.executable, "-m", "venv", str(folder)], [*pip, "-r", str(requirements.absolute())]):
        done = run_apart(command, should_stop=should_stop, folder=requirements.parent)
        if done.returncode != 0:
            shutil.rmtree(folder, ignore_errors=True)
            lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
            reason = next((line for line in lines if line.startswith("ERROR:")), (lines or ["no reason given"])[-1])
            raise AgentError(
                f"The packages that the agent {agent.id} requires cannot be installed: "
                f"{reason.removeprefix('ERROR:').strip().rstrip('.')[:300]}.",
                hint=f"They are listed in {requirements}.",
            )
    (folder / _READY).touch()
