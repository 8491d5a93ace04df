"""The Lite score of a run group: per seed over the requested competitions, then mean and standard error over seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean, stdev
from typing import Any

from mlebench.base import progress
from mlebench.base.showing import Showable, Table
from mlebench.base.wording import agreeing, part_of
from mlebench.base.wording import counted as counted_words
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.results.groups import WORDS, CountedRuns, RunGroup
from mlebench.results.model_usage import ModelUsage, summed_usage
from mlebench.results.runs import Run
from mlebench.results.sources import declaration_of
from mlebench.score.config import Budgets, ScoreConfig
from mlebench.score.lite import WEIGHTS, Dimension, RunScore, band, rounded, score_run
from mlebench.score.synthetic import place_on_twin

NAMES = ("overall", *WEIGHTS, "artifact_validity")


@dataclass(frozen=True)
class SeedScore:
    """Means over the requested competitions for one seed; None where one of them cannot be told."""

    seed: int
    values: dict[str, float | None]
    missing: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class GroupScore(Showable):
    """The score of a group, or of one run."""

    name: str
    agent: str
    requested: tuple[str, ...]
    seeds: tuple[SeedScore, ...]
    runs: tuple[RunScore, ...]
    strict: bool
    notes: tuple[str, ...]

    def mean(self, name: str) -> float | None:
        """The mean of a dimension over seeds."""
        known = [seed.values[name] for seed in self.seeds]
        return None if None in known else mean(value or 0.0 for value in known)

    def standard_error(self, name: str) -> float | None:
        """The standard error of that mean; 0 for one seed."""
        known = [value for seed in self.seeds if (value := seed.values[name]) is not None]
        if len(known) < len(self.seeds):
            return None
        return stdev(known) / math.sqrt(len(known)) if len(known) > 1 else 0.0

    @property
    def model_usage(self) -> ModelUsage | None:
        """What all runs used of models, as it was counted; None where none had a gateway."""
        return summed_usage(run.model_usage for run in self.runs if run.model_usage is not None)

    def table(self) -> Table:
        """One row per run, and the mean over seeds below them."""
        names = [name for name in NAMES if name != "artifact_validity"]
        runs = [run.to_dict() for run in self.runs]
        rows = [[run["competition_id"], run["seed"], *(run[name] for name in names)] for run in runs]
        rows.append(["mean", None, *(rounded(self.mean(name)) for name in names)])
        overall = rounded(self.mean("overall"))
        shown = "not known" if overall is None else f"{overall:.2f}, {band(self.mean('overall'))}"
        if any(run.synthetic for run in self.runs):
            shown += ", on synthetic data"
        columns = ("competition", "seed", *(name.replace("_", " ") for name in names))
        return Table(f"{self.agent}: Lite score {shown}", columns, rows, right=columns[1:], notes=self.notes)

    def to_dict(self) -> dict[str, Any]:
        """The score as plain values, rounded once."""
        return {
            "run_group": self.name,
            "agent": self.agent,
            **{name: rounded(self.mean(name)) for name in NAMES},
            "band": band(self.mean("overall")),
            "standard_error": {name: rounded(self.standard_error(name)) for name in NAMES},
            "strict": self.strict,
            "synthetic": any(run.synthetic for run in self.runs),
            "model_usage": None if (usage := self.model_usage) is None else usage.to_dict(),
            "num_seeds": len(self.seeds),
            "competition_ids": list(self.requested),
            "seeds": [
                {
                    "seed": seed.seed,
                    **{name: rounded(seed.values[name]) for name in NAMES},
                    "missing": list(seed.missing),
                }
                for seed in self.seeds
            ],
            "runs": [run.to_dict() for run in self.runs],
            "notes": list(self.notes),
        }


def score_group(
    counted: CountedRuns,
    registry: Registry,
    config: ScoreConfig | None = None,
    *,
    strict: bool = False,
    synthetic: bool = False,
    known: Mapping[str, RunScore] | None = None,
) -> GroupScore:
    """Score the runs of a run group that count, or a run.

    A requested competition without a run counts as 0, one whose run does not count yet not at all. Without a
    configuration the planned competitions are requested, and the budgets are those the runs were made under. Runs on
    twins are left out where others are on real data, unless `synthetic` gives them a place of their own. Runs whose
    scores are `known` already, by their ids, are not read again.
    """
    group = counted.group
    counted = counted if synthetic else counted.without_twins()
    planned = tuple(dict.fromkeys(run.record.competition_id for run in group.runs))
    requested = planned if config is None or group.record is None else config.requested(registry)
    notes = []
    extra = [competition_id for competition_id in planned if competition_id not in requested]
    if extra:
        verbs = agreeing(len(extra), "is not requested and does not count.", "are not requested and do not count.")
        notes.append(f"{counted_words(len(extra), 'competition')} of the group {verbs}")
    for reason, runs in counted.left_out.items():
        notes.append(f"{part_of(len(runs), len(group.runs), 'run')} {agreeing(len(runs), *WORDS[reason])}")
    known = known or {}
    scores = tuple(
        known.get(run.record.run_id) or _scored(run, group, registry, config, strict=strict, synthetic=synthetic)
        for run in progress.each(counted.runs, "score", group.name, unit="runs")
        if run.record.competition_id in requested
    )
    if not scores:
        raise MlebenchError(f"{group.folder} has no run on a requested competition.")
    weights = {competition_id: config.weight_of(competition_id) if config else 1.0 for competition_id in requested}
    waiting = {(run.record.competition_id, run.record.seed) for runs in counted.left_out.values() for run in runs}
    seeds = tuple(
        _seed_score(seed, [run for run in scores if run.seed == seed], weights, waiting)
        for seed in sorted({run.seed for run in scores})
    )
    return GroupScore(group.name, group.agent, requested, seeds, scores, strict, tuple(notes))


def _scored(
    run: Run,
    group: RunGroup,
    registry: Registry,
    config: ScoreConfig | None,
    *,
    strict: bool,
    synthetic: bool,
) -> RunScore:
    competition_id = run.record.competition_id
    budgets = config.budgets_of(competition_id) if config else _own_budgets(run)
    declaration = declaration_of(registry, competition_id, run.folder)
    place = partial(place_on_twin, registry=registry, data_dir=group.data_dir) if synthetic else None
    return score_run(run, declaration, budgets, strict=strict, synthetic=place)


def score_under_own_budgets(run: Run, registry: Registry) -> RunScore:
    """The score of one run that counts, as `score_group` gives it without a configuration."""
    declaration = declaration_of(registry, run.record.competition_id, run.folder)
    return score_run(run, declaration, _own_budgets(run))


def _own_budgets(run: Run) -> Budgets:
    default, limits = Budgets(), run.record.limits
    seconds, memory = limits.get("seconds"), limits.get("memory_bytes")
    return Budgets(float(seconds) if seconds else default.seconds, memory / (1 << 20) if memory else default.memory_mb)


def _seed_score(
    seed: int, runs: Sequence[RunScore], weights: dict[str, float], waiting: set[tuple[str, int]]
) -> SeedScore:
    """Weighted means over the requested competitions.

    One without a run counts as 0, one that does not count yet not at all.
    """
    by_id = {name: [run for run in runs if run.competition_id == name] for name in weights}
    by_id = {name: found for name, found in by_id.items() if found or (name, seed) not in waiting}
    values = {
        name: _weighted([([_value(run, name) for run in found], weights[of]) for of, found in by_id.items()])
        for name in NAMES
    }
    return SeedScore(seed, values, tuple(name for name, found in by_id.items() if not found))


def _value(run: RunScore, name: str) -> float | None:
    found = getattr(run, name)
    return found.value if isinstance(found, Dimension) else found


def _weighted(entries: Sequence[tuple[list[float | None], float]]) -> float | None:
    if any(None in values for values, _ in entries):
        return None
    total = sum(weight for _, weight in entries)
    means = [(_mean([value or 0.0 for value in values]), weight) for values, weight in entries]
    return sum(weight * value for value, weight in means) / total


def _mean(values: Sequence[float]) -> float:
    """The mean, 0 of none; of one value, as mostly, without the long way that exact means take."""
    return values[0] if len(values) == 1 else mean(values) if values else 0.0
