"""Which Python of this machine an agent's environment is made from, and what makes it: uv, or venv and pip."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mlebench.agents.agent import Agent, AgentError

_ASK = "import sys; print('%d.%d' % sys.version_info[:2], sys.version.split()[0], sys.base_prefix, sep='\\n')"


def find_uv() -> str | None:
    """The program uv: on the PATH, or beside this Python."""
    beside = Path(sys.executable).with_name("uv")
    return shutil.which("uv") or (str(beside) if os.access(beside, os.X_OK) else None)


def base_python(agent: Agent) -> Path:
    """The interpreter that the environment of an agent is made from; one that is not there is an AgentError."""
    if agent.python is None or satisfies(".".join(map(str, sys.version_info[:2])), agent.python):
        return Path(sys.executable)
    for path in _candidates(agent.python.removeprefix(">=")):
        known = _version(path)
        if known is not None and satisfies(known, agent.python):
            return path
    version = agent.python.removeprefix(">=")
    raise AgentError(
        f"The agent {agent.id} needs Python {agent.python.replace('>=', 'from ')}, which is not on this machine.",
        hint=f"Install it, for example with: uv python install {version}",
    )


def satisfies(version: str, wanted: str) -> bool:
    """Whether a version such as 3.12 is the one that is wanted, or as new as `>=` asks for.

    >>> satisfies("3.13", ">=3.12"), satisfies("3.13", "3.12"), satisfies("3.9", ">=3.11")
    (True, False, False)
    """
    found, least = _numbers(version), _numbers(wanted.removeprefix(">="))
    return found >= least if wanted.startswith(">=") else found == least


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _candidates(version: str) -> Iterator[Path]:
    """Where a Python of this version may be: on the PATH, in pyenv's folders, among those of uv; then newer ones."""
    home = Path(os.environ.get("PYENV_ROOT") or Path("~/.pyenv").expanduser())
    minor = int(version.partition(".")[2])
    for number in range(minor, minor + 10):
        name = f"3.{number}"
        if found := shutil.which(f"python{name}"):
            yield Path(found)
        yield from sorted(home.glob(f"versions/{name}.*/bin/python{name}"))
    if uv := find_uv():
        command = [uv, "python", "find", "--no-project", "--no-python-downloads", version]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip():
            yield Path(done.stdout.strip())


@cache
def _version(path: Path) -> str | None:
    """The version of an interpreter such as 3.12; None for what is none, such as a shim without a version behind it."""
    try:
        done = subprocess.run([str(path), "-I", "-c", _ASK], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = done.stdout.splitlines()
    return found[0] if done.returncode == 0 and found and re.fullmatch(r"\d+\.\d+", found[0]) else None


def full_version(path: Path) -> str:
    """The version of an interpreter with its last part, and where it is installed: what an environment depends on."""
    if path == Path(sys.executable):
        return f"{sys.version}\n{sys.base_prefix}"
    done = subprocess.run([str(path), "-I", "-c", _ASK], capture_output=True, text=True, check=True)
    return done.stdout
