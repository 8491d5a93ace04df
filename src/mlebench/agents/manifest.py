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

Our own keys, all optional: `summary`, `aliases`, `needs_home`, `network`, `gpus`, `calls_model`, `protocols`,
`disclosure`, and what an environment is made of: `python`, `requirements`, `without_dependencies`, `npm`, `programs`,
`size`; `includes` is for built-in agents alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from mlebench.agents.agent import Agent, AgentError
from mlebench.agents.disclosure import checked
from mlebench.base.amounts import parse_bytes
from mlebench.errors import MlebenchError
from mlebench.files.small_yaml import load_small_yaml

FILE = "config.yaml"
PUBLISHED_KEYS = ("start", "dockerfile", "kwargs_type", "kwargs", "env_vars", "privileged")
OWN_KEYS = (
    *("summary", "aliases", "needs_home", "network", "gpus", "calls_model", "protocols", "disclosure", "includes"),
    *("python", "requirements", "without_dependencies", "npm", "programs", "size"),
)
# Names of parts of a file that others refer to; they are no agents, though they may look like one.
_SHARED = re.compile(r"(defaults|vars|kwargs|env_vars)([_-].*)?")
_BUILT_IN = Path(__file__).parent
_PYTHON = re.compile(r"(>=)?3\.\d{1,2}")
_PROGRAM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_PROTOCOL = re.compile(r"openai|anthropic")
_ENDPOINT = re.compile(r"[A-Za-z0-9._-]+:\d{1,5}")
_HOME = re.compile(r"(?<![\w./])/home(/|\b)")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")


def read_entries(path: Path) -> dict[str, dict[str, Any]]:
    """What a manifest says about each of its agents, unchecked."""
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        content = load_small_yaml(text)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1}: {getattr(error, 'problem', '')})" if mark else ""
        if type(error) is yaml.YAMLError:  # a bound that we set
            place = f": {error}"
        raise AgentError(f"{path} is not valid YAML{place}.") from error
    if not isinstance(content, dict):
        raise AgentError(f"{path} describes no agent.", hint="It needs the id of an agent and, below it, `start: …`.")
    anchored = _anchored(text)
    entries = {
        str(name): entry
        for name, entry in content.items()
        if isinstance(entry, dict) and not _is_shared_part(str(name), entry, anchored)
    }
    if not entries:
        raise AgentError(f"{path} describes no agent.", hint="It needs the id of an agent and, below it, `start: …`.")
    return entries


def _is_shared_part(name: str, entry: Mapping[str, Any], anchored: frozenset[str]) -> bool:
    """Whether an entry is there for others to refer to: by its name, or with an anchor and no key of an agent."""
    if _SHARED.fullmatch(name):
        return True
    return bool(entry) and name in anchored and not any(key in entry for key in (*PUBLISHED_KEYS, *OWN_KEYS))


def _anchored(text: str) -> frozenset[str]:
    """The entries of a manifest that have an anchor."""
    import yaml

    if "&" not in text:  # most have none, and need not be parsed a second time
        return frozenset()

    found, depth, key = set(), 0, None
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.NodeEvent) and depth == 1:
            if key is None:
                key = getattr(event, "value", "")
            else:
                if event.anchor is not None and not isinstance(event, yaml.AliasEvent):
                    found.add(key)
                key = None
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
    return frozenset(found)


def agent_of(name: str, entry: Mapping[str, Any], path: Path) -> Agent:
    """The agent that one entry of a manifest describes; an AgentError says what is wrong with it."""
    folder = path.parent
    where = f"{name} in {path}"
    if not _ID.fullmatch(name):
        raise AgentError(f"{name!r} in {path} is not a valid id.", hint="Use letters, digits, hyphens and slashes.")
    start = _file_in(folder, entry.get("start", "start.sh"), "start", where)

    def named_file(key: str) -> Path | None:
        return None if entry.get(key) is None else folder / _file_in(folder, entry[key], key, where)

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
        dockerfile=named_file("dockerfile"),
        privileged=_typed(entry, "privileged", bool, False, where),
        needs_home=needs_home,
        network=_network(entry.get("network"), where),
        gpus=gpus,
        requirements=named_file("requirements"),
        without_dependencies=named_file("without_dependencies"),
        npm=_package_json(named_file("npm"), where),
        python=_python(entry.get("python"), where),
        programs=_names(entry, "programs", _PROGRAM, where),
        size=_size(entry.get("size"), where),
        includes=_includes(entry, folder, where),
        aliases=_names(entry, "aliases", _ID, where),
        calls_model=_typed(entry, "calls_model", bool, False, where),
        protocols=_names(entry, "protocols", _PROTOCOL, where),
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


def _python(value: Any, where: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not _PYTHON.fullmatch(value):
        raise AgentError(f'{where}: `python` must be a version such as "3.12" or ">=3.12", in quotes, not {value!r}.')
    return value


def _package_json(path: Path | None, where: str) -> Path | None:
    if path is None:
        return None
    if path.name != "package.json" or not path.with_name("package-lock.json").is_file():
        raise AgentError(
            f"{where}: `npm` must name a package.json that has its package-lock.json beside it.",
            hint="Run: npm install --package-lock-only --omit-lockfile-registry-resolved",
        )
    return path


def _size(value: Any, where: str) -> int | None:
    if value is None:
        return None
    try:
        return parse_bytes(value)
    except (MlebenchError, ValueError, TypeError) as error:
        raise AgentError(f"{where}: `size` must be a size such as 800M, not {value!r}.") from error


def _names(entry: Mapping[str, Any], key: str, form: re.Pattern[str], where: str) -> tuple[str, ...]:
    values = entry.get(key) or []
    if not isinstance(values, list) or not all(isinstance(name, str) and form.fullmatch(name) for name in values):
        raise AgentError(f"{where}: `{key}` must be a list of names, not {values!r}.")
    return tuple(values)


def _includes(entry: Mapping[str, Any], folder: Path, where: str) -> tuple[Path, ...]:
    """Folders beside the agent's own; only what we ship may name one, since a run would copy whatever it is."""
    names = _names(entry, "includes", _ID, where)
    if names and folder.resolve().parent != _BUILT_IN:
        raise AgentError(f"{where}: `includes` is for built-in agents.", hint="Copy the files into the agent's folder.")
    return tuple(_BUILT_IN / name for name in names)


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
