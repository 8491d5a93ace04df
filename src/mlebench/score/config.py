"""The configuration of a Lite score, as JSON or TOML: which competitions, which budgets, which weights."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlebench.base.wording import syntax_place
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError

DEFAULT_SPLIT = "lite"
_MOST = 1e9  # seconds, MB and weights; sums and conversions of what is larger would not stay exact


@dataclass(frozen=True)
class Budgets:
    """What a run may use; a run that uses more has failed."""

    seconds: float = 86_400.0
    memory_mb: float = 450_560.0


@dataclass(frozen=True)
class ScoreConfig:
    """What is scored; `competition_ids` is None for the split lite."""

    competition_ids: tuple[str, ...] | None = None
    budgets: Budgets = field(default_factory=Budgets)
    competition_budgets: Mapping[str, Budgets] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)

    def requested(self, registry: Registry) -> tuple[str, ...]:
        """The competitions that count; an unknown one is an error."""
        self.check(registry)
        if self.competition_ids is None:
            split = tuple(registry.split(DEFAULT_SPLIT))
            outside = [name for name in (*self.competition_budgets, *self.weights) if name not in split]
            if outside:
                raise MlebenchError(
                    f"The configuration has an entry for {outside[0]}, which is not in the split {DEFAULT_SPLIT}.",
                    hint="Name the competitions in competitionIds.",
                )
            return split
        return tuple(registry.get_competition(competition_id).id for competition_id in self.competition_ids)

    def check(self, registry: Registry) -> None:
        """Budgets and weights of a competition that is unknown, such as a misspelt one, are an error."""
        for competition_id in (*self.competition_budgets, *self.weights):
            registry.get_competition(competition_id)

    def budgets_of(self, competition_id: str) -> Budgets:
        """The budgets of a run on one competition."""
        return self.competition_budgets.get(competition_id, self.budgets)

    def weight_of(self, competition_id: str) -> float:
        """How much a competition counts."""
        return self.weights.get(competition_id, 1.0)


def load_config(path: Path) -> ScoreConfig:
    """Read a configuration from a .toml or .json file; unknown keys are refused."""
    is_toml = path.suffix.lower() == ".toml"
    try:
        text = path.read_text(encoding="utf-8-sig")
        values = tomllib.loads(text) if is_toml else json.loads(text)
    except OSError as error:
        raise MlebenchError(f"The configuration {path} cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        place = syntax_place(path, error)
        raise MlebenchError(f"The configuration {place} is not valid {'TOML' if is_toml else 'JSON'}.") from error
    try:
        return parse_config(values)
    except MlebenchError as error:
        raise MlebenchError(f"The configuration {path} is wrong: {error.sentence}", hint=error.hint) from error


def parse_config(values: Any) -> ScoreConfig:
    """A configuration from plain values."""
    _check_keys(values, "it", ("competitionIds", "resourceBudgets", "competitions"))
    ids = values.get("competitionIds")
    if ids is not None and (not isinstance(ids, list) or not ids or not all(isinstance(name, str) for name in ids)):
        raise MlebenchError("competitionIds must be a list of ids.")
    if ids is not None and len(set(ids)) < len(ids):
        raise MlebenchError("competitionIds has an id twice.")
    budgets = _budgets(values.get("resourceBudgets", {}), "resourceBudgets", Budgets())
    own = values.get("competitions", {})
    if not isinstance(own, Mapping):
        raise MlebenchError("competitions must be an object with an entry per id.")
    own_budgets, weights = {}, {}
    for name, entry in own.items():
        _check_keys(entry, f"competitions.{name}", ("resourceBudgets", "weight"))
        if ids is not None and name not in ids:
            raise MlebenchError(f"competitions has {name!r}, which is not in competitionIds.")
        if "resourceBudgets" in entry:
            own_budgets[name] = _budgets(entry["resourceBudgets"], f"competitions.{name}.resourceBudgets", budgets)
        if "weight" in entry:
            weights[name] = _positive(entry["weight"], f"competitions.{name}.weight")
    return ScoreConfig(None if ids is None else tuple(ids), budgets, own_budgets, weights)


def _budgets(values: Any, where: str, default: Budgets) -> Budgets:
    _check_keys(values, where, ("maxRuntimeSeconds", "maxPeakMemoryMb"))
    seconds, memory = values.get("maxRuntimeSeconds"), values.get("maxPeakMemoryMb")
    return Budgets(
        default.seconds if seconds is None else _positive(seconds, f"{where}.maxRuntimeSeconds"),
        default.memory_mb if memory is None else _positive(memory, f"{where}.maxPeakMemoryMb"),
    )


def _check_keys(values: Any, where: str, known: tuple[str, ...]) -> None:
    if not isinstance(values, Mapping):
        raise MlebenchError(f"{where} must be an object.")
    unknown = [key for key in values if key not in known]
    if unknown:
        raise MlebenchError(f"{where} has the unknown key {unknown[0]!r}.", hint=f"It may have {', '.join(known)}.")


def _positive(value: Any, where: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value <= _MOST:
        raise MlebenchError(f"{where} must be a positive number, at most {_MOST:,.0f}.")
    return float(value)
