"""What the people behind an agent disclose about it: what a row of a leaderboard needs beside its numbers."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlebench.errors import MlebenchError
from mlebench.wording import syntax_place

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
FILE_NAMES = ("disclosure.toml", "disclosure.json")


def read_disclosure(folder: Path) -> dict[str, Any]:
    """What the folder of a run group discloses; nothing where it has no such file."""
    path = next((folder / name for name in FILE_NAMES if (folder / name).is_file()), None)
    return load_disclosure(path) if path else {}


def load_disclosure(path: Path) -> dict[str, Any]:
    """A disclosure from a TOML or JSON file; unknown fields and wrong types are refused."""
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise MlebenchError(f"{path} cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        form = "TOML" if path.suffix == ".toml" else "JSON"
        raise MlebenchError(f"{syntax_place(path, error)} is not valid {form}.") from error
    if not isinstance(values, Mapping):
        raise MlebenchError(f"{path} is not an object with the fields {', '.join(FIELDS)}.")
    for name, value in values.items():
        if name not in FIELDS:
            raise MlebenchError(f"{path} has the unknown field {name!r}.", hint=f"It may have {', '.join(FIELDS)}.")
        kind = FIELDS[name][0]
        allowed = (int, float) if kind is float else (kind,)
        if not isinstance(value, allowed) or (kind is not bool and isinstance(value, bool)):
            words = {str: "a text", bool: "true or false", float: "a number"}
            raise MlebenchError(f"{name} in {path} must be {words[kind]}: {FIELDS[name][1]}.")
    return dict(values)
