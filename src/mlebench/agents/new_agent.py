"""The skeleton that `mlebench agents new` writes: a small agent that works, to change step by step."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from mlebench.agents.agent import AgentError
from mlebench.agents.discovery import list_agents

_FILES = ("config.yaml", "start.sh", "solve.py")


def write_agent(name: str, into: Path) -> Path:
    """Write the skeleton below a folder of agents and return the new folder; nothing is ever overwritten."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name):
        raise AgentError(f"{name!r} is not a valid name.", hint="Use letters, digits and hyphens.")
    if any(agent.id == name for agent in list_agents()):
        raise AgentError(f"There is already an agent {name}.", hint="Choose another name.")
    folder = into / name
    if folder.exists():
        raise AgentError(f"{folder} exists already.", hint="Choose another name, or remove the folder.")
    folder.mkdir(parents=True)
    for file in _FILES:
        text = files("mlebench.templates").joinpath("agent", f"{file}.txt").read_text(encoding="utf-8")
        (folder / file).write_text(text.replace("MY-AGENT", name), encoding="utf-8")
    (folder / "start.sh").chmod(0o755)
    return folder
