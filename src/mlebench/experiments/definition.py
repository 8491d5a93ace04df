"""The file of an experiment: arms, competitions and seeds, in TOML. Whatever is wrong with it is said before a run.

An arm has the options of `mlebench run` under their names there, with `_` for `-`; `[defaults]` are those that all arms
share. Paths are relative to the file.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from mlebench.base.wording import plain, quote, syntax_place
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import SPLITS, Registry
from mlebench.competition.vocabulary import DEFAULT_EDITION, EDITIONS, Edition
from mlebench.errors import MlebenchError
from mlebench.files.regular import read_regular
from mlebench.runs.options import OptionError, parse_seeds

_LARGEST = 1 << 20  # bytes of a file
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,59}")
_KEYS = ("name", "description", "split", "competitions", "seeds", "edition", "defaults", "arms")
_TEXT, _TEXTS, _PATH, _PATHS, _AMOUNT = "a text", "a text or a list of texts", "a path", "a path or a list of paths", ""
_NUMBER, _INTEGER, _TRUTH, _TABLE = "a number", "a whole number", "true or false", "a table"
# The options of an arm, and what each one is; an amount is a number or a text such as "24h" and "16G".
OPTIONS: dict[str, str] = {
    "agent": _TEXT,
    "agents_dir": _PATHS,
    "command": _TEXT,
    "code": _PATH,
    "model": _TEXTS,
    "model_endpoint": _TEXTS,
    "model_prices": _PATH,
    "max_tokens": _INTEGER,
    "max_usd": _NUMBER,
    "max_requests": _INTEGER,
    "allow_provider_tools": _TRUTH,
    "record_prompts": _TRUTH,
    "time_limit": _AMOUNT,
    "memory_limit": _AMOUNT,
    "disk_limit": _AMOUNT,
    "output_limit": _AMOUNT,
    "cpus": _NUMBER,
    "gpus": _INTEGER,
    "step_limit": _INTEGER,
    "variant": _TEXT,
    "obfuscate": _TRUTH,
    "rename": _TRUTH,
    "rename_seed": _INTEGER,
    "instructions": _PATH,
    "material": _PATH,
    "snapshot_every": _AMOUNT,
    "retries": _INTEGER,
    "sandbox": _TEXT,
    "container_config": _PATH,
    "allow_privileged": _TRUTH,
    "retain": _TRUTH,
    "network": _TEXT,
    "service": _TEXTS,
    "executor": _TEXT,
    "slurm_option": _TABLE,
    "address": _TEXT,
    "disclose": _TABLE,
    "disclosure": _PATH,
}


class ExperimentError(MlebenchError):
    """An experiment that cannot be run as it is written, or as it was left."""


@dataclass(frozen=True)
class Arm:
    """One arm: its name and its options, those of all arms included, as they are written."""

    name: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Experiment:
    """An experiment as a file describes it; `split` or `competitions` says which competitions."""

    path: Path
    name: str
    description: str
    split: str | None
    competitions: tuple[str, ...]
    seeds: tuple[int, ...]
    edition: Edition
    arms: tuple[Arm, ...]
    split_sha256: str | None = None

    @property
    def varied(self) -> list[str]:
        """The options that differ between arms, in the order of the options."""
        return [name for name in OPTIONS if len({repr(arm.options.get(name)) for arm in self.arms}) > 1]

    def resolved(self, arm: Arm) -> dict[str, Any]:
        """The options of an arm as `RunOptions` takes them: paths are absolute."""
        folder = self.path.absolute().parent
        found = dict(arm.options)
        for name, value in found.items():
            kind = OPTIONS[name]
            if kind is _PATH:
                found[name] = folder / value
            elif kind is _PATHS:
                found[name] = [folder / entry for entry in _listed(value)]
            elif kind is _TEXTS:
                found[name] = tuple(_listed(value))
        if "material" in found:
            found["material"] = str(found["material"])  # with {competition} in it, it is not a path yet
        return found

    def chosen(self, registry: Registry) -> list[LocalCompetition]:
        """The competitions of all arms."""
        if self.split is None:
            ids = list(self.competitions)
        else:
            ids = registry.split(self.split if self.split in SPLITS else str(self._split_file))
        if not ids:
            raise ExperimentError(f"The split {self.split} of {self.path} names no competition.")
        return [registry.get_competition(competition_id) for competition_id in dict.fromkeys(ids)]

    @property
    def _split_file(self) -> Path:
        return self.path.parent / str(self.split)

    def to_dict(self) -> dict[str, Any]:
        """What decides about the runs, as plain values; `changes` compares them."""
        return {
            "name": self.name,
            "split": self.split,
            "split_sha256": self.split_sha256,
            "competitions": list(self.competitions),
            "seeds": list(self.seeds),
            "edition": self.edition,
            "arms": {arm.name: dict(arm.options) for arm in self.arms},
        }


def load_experiment(path: Path) -> Experiment:
    """The experiment in a file; an error names the first thing that is wrong with it."""
    try:
        values = tomllib.loads(read_regular(path, _LARGEST, follow=True).decode("utf-8-sig"))
    except FileNotFoundError as error:
        raise ExperimentError(
            f"There is no file {path}.", hint="`mlebench experiment list` shows those that are ready to use."
        ) from error
    except OSError as error:
        raise ExperimentError(f"The experiment {path} cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        raise ExperimentError(f"The experiment {syntax_place(path, error)} is not valid TOML.") from error
    try:
        return _parsed(path, values)
    except ExperimentError as error:
        raise ExperimentError(f"The experiment {path} is wrong: {error.sentence}", hint=error.hint) from error


def _parsed(path: Path, values: Mapping[str, Any]) -> Experiment:
    _require_known(values, "it", _KEYS)
    split, competitions = values.get("split"), values.get("competitions", [])
    if (split is None) == (not competitions):
        raise ExperimentError("it needs a split or competitions, and not both.")
    if split is not None and not isinstance(split, str):
        raise ExperimentError("split must be a text.", hint=f"Splits are {', '.join(SPLITS)}, or a file of ids.")
    if split is not None and split not in SPLITS and not (path.parent / split).is_file():
        raise ExperimentError(
            f"there is no split {quote(split)}, and no file of that name beside it.",
            hint=f"Splits are {', '.join(SPLITS)}.",
        )
    if not isinstance(competitions, list) or not all(isinstance(name, str) for name in competitions):
        raise ExperimentError("competitions must be a list of ids.")
    edition = values.get("edition", DEFAULT_EDITION)
    if edition not in EDITIONS:
        raise ExperimentError(f"there is no edition {quote(edition)}.", hint=f"There are {' and '.join(EDITIONS)}.")
    defaults = _options(values.get("defaults", {}), "defaults")
    return Experiment(
        path=path,
        name=_name(values.get("name", path.stem), "its name"),
        description=_text(values.get("description", ""), "description"),
        split=split,
        competitions=tuple(competitions),
        seeds=_seeds(values.get("seeds", 1)),
        edition=edition,
        arms=_arms(values.get("arms"), defaults),
        split_sha256=_hash_of_split(path, split),
    )


def _hash_of_split(path: Path, split: str | None) -> str | None:
    """What tells whether a file of ids is still the same."""
    if split is None or split in SPLITS:
        return None
    return hashlib.sha256(read_regular(path.parent / split, _LARGEST, follow=True)).hexdigest()


def _arms(values: Any, defaults: Mapping[str, Any]) -> tuple[Arm, ...]:
    if not isinstance(values, list) or not values or not all(isinstance(entry, dict) for entry in values):
        raise ExperimentError("it has no arms.", hint="Write [[arms]], and below it name = and what is its own.")
    found: list[Arm] = []
    for number, entry in enumerate(values, start=1):
        if "name" not in entry:
            raise ExperimentError(f"arm {number} has no name.")
        name = _name(entry["name"], f"the name of arm {number}")
        if name in [arm.name for arm in found]:
            raise ExperimentError(f"two arms have the name {name}.")
        own = _options({key: value for key, value in entry.items() if key != "name"}, f"the arm {name}")
        options = {**defaults, **own}
        if not options.get("agent"):
            raise ExperimentError(f"the arm {name} has no agent.", hint="`mlebench agents` lists them.")
        same = next((arm.name for arm in found if arm.options == options), None)
        if same is not None:
            raise ExperimentError(f"the arms {same} and {name} are the same.")
        found.append(Arm(name, options))
    return tuple(found)


def _options(values: Any, where: str) -> dict[str, Any]:
    if not isinstance(values, Mapping):
        raise ExperimentError(f"{where} must be a table.")
    _require_known(values, where, OPTIONS)
    for name, value in values.items():
        if not _is(OPTIONS[name], value):
            words = OPTIONS[name] or "a number or a text such as 24h or 16G"
            raise ExperimentError(f"{name} of {where} must be {words}.")
    return dict(values)


def _is(kind: str, value: Any) -> bool:
    if kind in (_TEXT, _PATH):
        return isinstance(value, str) and bool(value)
    if kind in (_TEXTS, _PATHS):
        return bool(value) and all(isinstance(entry, str) and entry for entry in _listed(value))
    if kind is _TRUTH:
        return isinstance(value, bool)
    if kind is _TABLE:
        return isinstance(value, dict)
    if kind is _INTEGER:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind is _NUMBER:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, int | float | str) and not isinstance(value, bool) and value != ""


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _require_known(values: Mapping[str, Any], where: str, known: Collection[str]) -> None:
    for key in values:
        if key not in known:
            near = get_close_matches(key, known, n=1, cutoff=0.5)
            hint = f"Do you mean {near[0]}?" if near else f"It may have {', '.join(known)}."
            raise ExperimentError(f"{where} has the unknown key {quote(key)}.", hint=hint)


def _name(value: Any, what: str) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ExperimentError(f"{what} cannot be {quote(value)}: it has only letters, digits and . _ + -, at most 60.")
    return value


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ExperimentError(f"{what} must be a text.")
    return plain(value.strip(), 500)


def _seeds(value: Any) -> tuple[int, ...]:
    is_list = isinstance(value, list) and all(type(seed) is int for seed in value)
    if not is_list and type(value) is not int:
        raise ExperimentError("seeds must be a whole number or a list of them.")
    try:
        return parse_seeds(value)
    except OptionError as error:
        raise ExperimentError(f"its seeds cannot be used: {error.sentence}", hint=error.hint) from error


def changes(before: Mapping[str, Any], now: Mapping[str, Any], where: str = "") -> list[str]:
    """What differs between two experiments as `to_dict` gives them, one phrase each."""
    found = []
    for name in dict.fromkeys([*before, *now]):
        old, new, place = before.get(name), now.get(name), f"{where}{name}"
        if old == new:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            found += changes(old, new, f"{place}.")
        else:
            found.append(f"{place} was {quote(old)} and is {quote(new)}")
    return found
