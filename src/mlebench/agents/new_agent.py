"""The skeletons that `mlebench agents new` writes: small agents that work, to change step by step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from mlebench.agents.agent import AgentError
from mlebench.agents.discovery import list_agents

_NAME = "MY-AGENT"
_FIRST = ("config.yaml", "start.sh", "solve.py")
_REACT = ("react/start.sh", "react/react.py", "workshop/chat.py", "workshop/workshop.py")


def _first_files() -> Mapping[str, str]:
    """A program that predicts one value for all rows."""
    folder = files("mlebench.templates").joinpath("agent")
    return {name: folder.joinpath(f"{name}.txt").read_text(encoding="utf-8") for name in _FIRST}


def _react_files() -> Mapping[str, str]:
    """The built-in agent react as it is, with a manifest to change."""
    manifest = files("mlebench.templates").joinpath("react", "config.yaml.txt").read_text(encoding="utf-8")
    texts = {Path(name).name: files("mlebench.agents").joinpath(*name.split("/")) for name in _REACT}
    return {"config.yaml": manifest} | {name: file.read_text(encoding="utf-8") for name, file in texts.items()}


TEMPLATES = {"first": _first_files, "react": _react_files}


def write_agent(name: str, into: Path, template: str = "first") -> Path:
    """Write a skeleton below a folder of agents and return the new folder; nothing is ever overwritten."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name):
        raise AgentError(f"{name!r} is not a valid name.", hint="Use letters, digits and hyphens.")
    if template not in TEMPLATES:
        raise AgentError(f"There is no template {template!r}.", hint=f"There are {', '.join(TEMPLATES)}.")
    if any(agent.id == name for agent in list_agents()):
        raise AgentError(f"There is already an agent {name}.", hint="Choose another name.")
    folder = into / name
    if folder.exists():
        raise AgentError(f"{folder} exists already.", hint="Choose another name, or remove the folder.")
    folder.mkdir(parents=True)
    for file, text in TEMPLATES[template]().items():
        (folder / file).write_text(text.replace(_NAME, name), encoding="utf-8")
    (folder / "start.sh").chmod(0o755)
    return folder
