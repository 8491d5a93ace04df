"""Finding agents: the built-in ones, those in a user's own folders, and those of installed packages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from mlebench.agents.agent import COMMAND_SUMMARY, Agent, AgentError
from mlebench.agents.manifest import FILE, agent_of, read_entries
from mlebench.base.registered import entry_point_folders

BUILT_IN = Path(__file__).parent
ENTRY_POINT_GROUP = "mlebench.agents"


def find_agent(agent_id: str, agents_dirs: Sequence[Path] = ()) -> Agent:
    """The agent with this id; one of the user's own takes the place of a built-in one of the same id.

    Only its own entry must be right: a mistake in another manifest of the folder does not matter.
    """
    places = _manifests_with(agent_id, agents_dirs) or _manifests_with(agent_id, _installed_beside(agent_id))
    if len(places) > 1:
        raise AgentError(f"There are two agents {agent_id}: in {places[0].parent} and in {places[1].parent}.")
    if places:
        return agent_of(agent_id, read_entries(places[0])[agent_id], places[0])
    if agent_id == "command":
        return Agent("command", start=None, built_in=True, summary=COMMAND_SUMMARY)
    name = _built_in_aliases().get(agent_id, agent_id)
    if name in _built_in():
        path, entry = _built_in()[name]
        return replace(agent_of(name, entry, path), built_in=True)
    known = [*_all_ids(agents_dirs), *_built_in(), "command", *_all_ids(installed_agents_dirs())]
    near = difflib.get_close_matches(agent_id, known, n=3, cutoff=0.5)
    broken = [problem for _, problem in broken_manifests(agents_dirs)]
    hint = f"Did you mean {' or '.join(near)}?" if near else "`mlebench agents` shows all."
    raise AgentError(f"There is no agent {agent_id!r}.", hint=" ".join([hint, *broken]))


@cache
def _built_in() -> dict[str, tuple[Path, dict[str, Any]]]:
    """The manifest of every built-in agent and what it says of it; unlike those of users they never change."""
    return {name: (path, entry) for path in manifests([BUILT_IN]) for name, entry in read_entries(path).items()}


def _built_in_aliases() -> dict[str, str]:
    """The built-in agent that each of their other names stands for."""
    return {str(alias): name for name, (_, entry) in _built_in().items() for alias in entry.get("aliases") or []}


def _manifests_with(agent_id: str, agents_dirs: Sequence[Path]) -> list[Path]:
    return [path for path in manifests(agents_dirs) if agent_id in _ids(path)]


def _installed_beside(agent_id: str) -> list[Path]:
    """The folders of installed packages, unless the agent is built in: a package takes no built-in one's place."""
    return [] if agent_id in {*_built_in(), *_built_in_aliases(), "command"} else installed_agents_dirs()


@cache
def installed_agents_dirs() -> list[Path]:
    """Folders with agents that installed packages register: an entry point is a package or module beside its agents."""
    return entry_point_folders(ENTRY_POINT_GROUP, error=AgentError)


def list_agents(agents_dirs: Sequence[Path] = ()) -> list[Agent]:
    """All agents whose manifests can be read, the user's own first."""
    own = [find_agent(agent_id, agents_dirs) for agent_id in _all_ids(agents_dirs) if _is_sound(agent_id, agents_dirs)]
    taken = {agent.id for agent in own}
    built_in = sorted({*_built_in(), "command"} - taken)
    installed = [
        agent_id
        for agent_id in _all_ids(installed_agents_dirs())
        if agent_id not in {*taken, *built_in} and _is_sound(agent_id, ())
    ]
    return own + [find_agent(agent_id) for agent_id in (*built_in, *installed)]


def broken_manifests(agents_dirs: Sequence[Path]) -> list[tuple[Path, str]]:
    """(manifest, what is wrong) for those of the user's folders that cannot be used."""
    problems: list[tuple[Path, str]] = []
    for path in manifests(agents_dirs):
        try:
            for name, entry in read_entries(path).items():
                agent_of(name, entry, path)
        except AgentError as error:
            problems.append((path, str(error)))
    return problems


def _is_sound(agent_id: str, agents_dirs: Sequence[Path]) -> bool:
    try:
        find_agent(agent_id, agents_dirs)
    except AgentError:
        return False
    return True


def manifests(agents_dirs: Iterable[Path]) -> Iterator[Path]:
    """The manifests in folders of agents, or in a folder that is one agent."""
    seen = set()
    for folder in agents_dirs:
        if not folder.is_dir():
            raise AgentError(f"The agents folder {folder} does not exist.")
        for path in (folder / FILE, *sorted(folder.glob(f"*/{FILE}"))):
            if path.is_file() and path.resolve() not in seen:
                seen.add(path.resolve())
                yield path


def _ids(path: Path) -> list[str]:
    try:
        return list(read_entries(path))
    except AgentError:
        return []


def _all_ids(agents_dirs: Iterable[Path]) -> list[str]:
    return list(dict.fromkeys(agent_id for path in manifests(agents_dirs) for agent_id in _ids(path)))
