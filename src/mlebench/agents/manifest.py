"""Reading an agent's manifest: config.yaml in the form of the published benchmark, with a few keys of our own.

A file may describe several agents, by their ids (`aide`, `aide/dev`), and share parts by YAML anchors:

    defaults: &defaults
      start: aide/start.sh              # below the folder of agents, or below the agent's own
      dockerfile: aide/Dockerfile
      kwargs_type: omegaconf            # key=value; or argparse: --key value
    aide:
      <<: *defaults
      kwargs: {agent.steps: 500}
      env_vars: {OPENAI_API_KEY: "${{ secrets.OPENAI_API_KEY }}"}

Our own keys, all optional: `summary`, `needs_home`, `network`, `gpus`, `requirements`,
`disclosure`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from mlebench.agents.agent import Agent, AgentError
from mlebench.agents.disclosure import checked
from mlebench.errors import MlebenchError
from mlebench.files.small_yaml import load_small_yaml

FILE = "config.yaml"
PUBLISHED_KEYS = ("start", "dockerfile", "kwargs_type", "kwargs", "env_vars", "privileged")
OWN_KEYS = ("summary", "needs_home", "network", "gpus", "requirements", "disclosure")
# Parts of a file that others refer to; they are no agents, though they may look like one.
_SHARED = ("defaults", "vars", "kwargs", "env_vars")
_ENDPOINT = re.compile(r"[A-Za-z0-9._-]+:\d{1,5}")
_HOME = re.compile(r"(?<![\w./])/home(/|\b)")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")


def read_entries(path: Path) -> dict[str, dict[str, Any]]:
    """What a manifest says about each of its agents, unchecked."""
    import yaml

    try:
        content = load_small_yaml(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1}: {getattr(error, 'problem', '')})" if mark else ""
        if type(error) is yaml.YAMLError:  # a bound that we set
            place = f": {error}"
        raise AgentError(f"{path} is not valid YAML{place}.") from error
    if not isinstance(content, dict):
        raise AgentError(f"{path} describes no agent.", hint="It needs the id of an agent and, below it, `start: …`.")
    entries = {
        str(name): entry for name, entry in content.items() if isinstance(entry, dict) and str(name) not in _SHARED
    }
    if not entries:
        raise AgentError(f"{path} describes no agent.", hint="It needs the id of an agent and, below it, `start: …`.")
    return entries


def agent_of(name: str, entry: Mapping[str, Any], path: Path) -> Agent:
    """The agent that one entry of a manifest describes; an AgentError says what is wrong with it."""
    folder = path.parent
    where = f"{name} in {path}"
    if not _ID.fullmatch(name):
        raise AgentError(f"{name!r} in {path} is not a valid id.", hint="Use letters, digits, hyphens and slashes.")
    start = _file_in(folder, entry.get("start", "start.sh"), "start", where)
    dockerfile = entry.get("dockerfile")
    requirements = entry.get("requirements")
    arguments = _arguments(entry, where)
    variables = _variables(entry.get("env_vars"), where)
    if any("\0" in text for text in (*arguments, *variables.values())):
        raise AgentError(f"{where}: `kwargs` or `env_vars` has a null character, which no program can be given.")
    script = (folder / start).read_text(encoding="utf-8", errors="replace")
    needs_home = _typed(entry, "needs_home", bool, None, where)
    if needs_home is None:  # an agent of the published benchmark does not say; paths below /home tell
        needs_home = any(_HOME.search(text) for text in (script, *arguments, *variables.values()))
    gpus = _typed(entry, "gpus", int, 0, where)
    if isinstance(gpus, bool) or gpus < 0:
        raise AgentError(f"{where}: `gpus` must be a whole number.")
    return Agent(
        id=name,
        folder=folder,
        start=start,
        arguments=arguments,
        variables=variables,
        dockerfile=None if dockerfile is None else folder / _file_in(folder, dockerfile, "dockerfile", where),
        privileged=_typed(entry, "privileged", bool, False, where),
        needs_home=needs_home,
        network=_network(entry.get("network"), where),
        gpus=gpus,
        requirements=None if requirements is None else folder / _file_in(folder, requirements, "requirements", where),
        summary=_typed(entry, "summary", str, "", where),
        disclosure=_disclosure(entry.get("disclosure"), where),
    )


def _typed(entry: Mapping[str, Any], key: str, kind: type, default: Any, where: str) -> Any:
    value = entry.get(key, default)
    if value is not default and not isinstance(value, kind):
        raise AgentError(f"{where}: `{key}` must be {_KINDS[kind]}, not {value!r}.")
    return value


_KINDS = {bool: "true or false", int: "a whole number", str: "a text"}


def _file_in(folder: Path, value: Any, key: str, where: str) -> str:
    """A file of the agent's folder, named below that folder or below the folder of all agents, as published."""
    if not isinstance(value, str) or not value:
        raise AgentError(f"{where}: `{key}` must be the name of a file, not {value!r}.")
    parts = PurePosixPath(value).parts
    if PurePosixPath(value).is_absolute() or ".." in parts:
        raise AgentError(f"{where}: `{key}` must name a file in the agent's folder, not {value}.")
    below = [PurePosixPath(*parts[1:])] if len(parts) > 1 and parts[0] == folder.resolve().name else []
    for candidate in (*below, PurePosixPath(value)):
        if (folder / candidate).is_file():
            return candidate.as_posix()
    raise AgentError(f"{where}: `{key}` names {value}, but there is no such file.")


def _arguments(entry: Mapping[str, Any], where: str) -> tuple[str, ...]:
    kwargs = entry.get("kwargs")
    if not kwargs:
        return ()
    if not isinstance(kwargs, dict):
        raise AgentError(f"{where}: `kwargs` must be a list of `key: value` lines.")
    match entry.get("kwargs_type"):
        case "argparse":
            return tuple(part for key, value in kwargs.items() for part in (f"--{key}", str(value)))
        case "omegaconf":
            return tuple(f"{key}={value}" for key, value in kwargs.items())
        case other:
            raise AgentError(f"{where}: `kwargs_type` must be argparse or omegaconf, not {other!r}.")


def _variables(values: Any, where: str) -> dict[str, str]:
    if not values:
        return {}
    if not isinstance(values, dict):
        raise AgentError(f"{where}: `env_vars` must be a list of `NAME: value` lines.")
    wrong = [str(name) for name in values if not re.fullmatch(r"[A-Za-z_]\w*", str(name))]
    if wrong:
        raise AgentError(f"{where}: {wrong[0]!r} in `env_vars` is not the name of a variable.")
    return {str(name): str(value) for name, value in values.items() if value is not None}


def _disclosure(value: Any, where: str) -> dict[str, Any]:
    if value is None:
        return {}
    try:
        return checked(value, f"`disclosure` of {where}")
    except MlebenchError as error:
        raise AgentError(error.sentence, hint=error.hint) from error


def _network(value: Any, where: str) -> tuple[str, ...]:
    if value in (None, "none"):
        return ()
    if value == "full":
        return ("full",)
    if isinstance(value, list) and all(isinstance(item, str) and _ENDPOINT.fullmatch(item) for item in value):
        return tuple(value)
    raise AgentError(f"{where}: `network` must be none, full, or a list of host:port, not {value!r}.")
