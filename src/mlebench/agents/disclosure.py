"""What the people behind an agent disclose about it: what a row of a leaderboard needs beside its numbers.

Nothing here is guessed. A field comes from the agent's manifest, from the options of `mlebench run`, from a file in the
folder of the run group, or from what was measured; else it is missing.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.base.versions import versions
from mlebench.base.wording import syntax_place
from mlebench.errors import MlebenchError
from mlebench.files.regular import read_regular
from mlebench.files.writing import write_json
from mlebench.results.names import DISCLOSURE_JSON, DISCLOSURE_TOML

if TYPE_CHECKING:
    from mlebench.agents.agent import Agent

# The fields, and what each one tells.
FIELDS: dict[str, tuple[type, str]] = {
    "agent": (str, "the name of the agent"),
    "models": (str, "the models it uses"),
    "scaffold": (str, "what drives the models: a name, a version, an address"),
    "internet": (bool, "whether the agent could reach the internet"),
    "hardware": (str, "what machine each run had"),
    "hours": (float, "the time limit of a run in hours"),
    "solutions_in_prompt": (bool, "whether solutions of these competitions were part of a prompt or of its tools"),
    "held_out_signal": (bool, "whether anything told the agent how it does on the test set"),
    "source_code": (str, "where its source code is, or no"),
}
OPTIONAL = frozenset({"source_code"})
_WORDS = {str: "a text on one line", bool: "true or false", float: "a number"}
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}
_MANIFEST = "config.yaml"
_MOST_HOURS = 1e6
_LARGEST = 1 << 20  # bytes of a disclosure that is read


def read_disclosure(folder: Path) -> dict[str, Any]:
    """What the files in the folder of a run group disclose; nothing where it has none."""
    known: dict[str, Any] = {}
    for name in (DISCLOSURE_TOML, DISCLOSURE_JSON):
        if os.path.lexists(folder / name):
            known |= load_disclosure(folder / name, follow=False)
    return known


def load_disclosure(path: Path, *, follow: bool = True) -> dict[str, Any]:
    """A disclosure from a TOML or JSON file; unknown fields and wrong types are refused.

    A file that the user names may be a link (`follow`), one in a run group may not.
    """
    try:
        text = read_regular(path, _LARGEST, follow=follow).decode("utf-8-sig").replace("\r\n", "\n")
        values = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise MlebenchError(f"{path} cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        form = "TOML" if path.suffix == ".toml" else "JSON"
        raise MlebenchError(f"{syntax_place(path, error)} is not valid {form}.") from error
    return checked(values, str(path))


def save_disclosure(folder: Path, values: Mapping[str, Any]) -> Path:
    """Add fields to the disclosure in the folder of a run group; what other fields it has stays."""
    path = folder / DISCLOSURE_JSON
    write_json(path, {**(load_disclosure(path, follow=False) if os.path.lexists(path) else {}), **values})
    return path


def checked(values: Any, where: str) -> dict[str, Any]:
    """The fields of a disclosure; an error names the first that is unknown or of the wrong type."""
    if not isinstance(values, Mapping):
        raise MlebenchError(f"{where} is not an object with the fields {', '.join(FIELDS)}.")
    for name, value in values.items():
        if name not in FIELDS:
            raise MlebenchError(f"{where} has the unknown field {name!r}.", hint=f"It may have {', '.join(FIELDS)}.")
        kind, meaning = FIELDS[name]
        allowed = (int, float) if kind is float else (kind,)
        is_wrong = not isinstance(value, allowed) or (kind is not bool and isinstance(value, bool))
        if not is_wrong and kind is str:
            is_wrong = not value.strip() or not value.isprintable()
        if is_wrong or (kind is float and not 0 < value <= _MOST_HOURS):
            raise MlebenchError(f"{name} in {where} must be {_WORDS[kind]}: {meaning}.")
    return dict(values)


def parsed(entries: Iterable[str]) -> dict[str, Any]:
    """The fields of texts such as `models=gpt-5` or `held_out_signal=no`."""
    found: dict[str, Any] = {}
    for entry in entries:
        name, separator, text = entry.partition("=")
        if not separator or name not in FIELDS:
            raise MlebenchError(f"{entry!r} is not FIELD=VALUE.", hint=f"The fields are {', '.join(FIELDS)}.")
        found[name] = parsed_value(name, text)
    return found


def parsed_value(name: str, text: str) -> Any:
    """The value of a field from a text."""
    kind = FIELDS[name][0]
    value: Any = text.strip()
    if kind is bool:
        value = _TRUTH.get(value.lower(), value)
    elif kind is float:
        with suppress(ValueError):
            value = float(value)
    return checked({name: value}, "the disclosure")[name]


def told_by_agent(agent: Agent) -> dict[str, Any]:
    """What an agent and its manifest tell; a command line has no manifest and tells nothing."""
    if agent.folder is None or not (agent.folder / _MANIFEST).is_file():
        return {}
    if agent.built_in:
        version = f"mlebench {versions()['mlebench']}"
    else:
        digest = hashlib.sha256((agent.folder / _MANIFEST).read_bytes()).hexdigest()
        version = f"{_MANIFEST} with sha256 {digest[:12]}"
    return {"agent": agent.id, "scaffold": f"{agent.id} ({version})", **agent.disclosure}
