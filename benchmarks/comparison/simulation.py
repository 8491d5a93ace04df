"""Two agents that are equally good, compared many times by the tests of `mlebench compare`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlebench.analysis.statistics import LEVEL, POWER, flip_interval, mcnemar, sign_flip, sign_test

Percentiles: TypeAlias = NDArray[np.float64]  # of one agent: competitions times seeds
Agents: TypeAlias = Callable[[int, int, np.random.Generator], tuple[Percentiles, Percentiles]]
VERDICTS = ("sign flips", "sign test")  # that of the percentiles, and that of twins, which have none


def plain(competitions: int, seeds: int, rng: np.random.Generator) -> tuple[Percentiles, Percentiles]:
    """Skill differs between competitions; every run is a little better or worse."""
    skill = rng.uniform(5, 95, (competitions, 1))
    first, second = (np.clip(skill + rng.normal(0, 15, (competitions, seeds)), 0, 100) for _ in range(2))
    return first, second


def failing(competitions: int, seeds: int, rng: np.random.Generator) -> tuple[Percentiles, Percentiles]:
    """Both fail often, in some competitions nearly always: percentiles of 0 that are draws."""
    chance = rng.uniform(0.2, 1, (competitions, 1))
    first, second = plain(competitions, seeds, rng)
    fails = [rng.random((competitions, seeds)) < chance for _ in range(2)]
    return np.where(fails[0], 0.0, first), np.where(fails[1], 0.0, second)


def drawing(competitions: int, seeds: int, rng: np.random.Generator) -> tuple[Percentiles, Percentiles]:
    """In seven of ten competitions both hand in the same."""
    first, second = plain(competitions, seeds, rng)
    return first, np.where(rng.random((competitions, 1)) < 0.7, first, second)


def medals_only(competitions: int, seeds: int, rng: np.random.Generator) -> tuple[Percentiles, Percentiles]:
    """Nothing but a medal or none counts: few values, many draws."""
    chance = rng.uniform(0.05, 0.9, (competitions, 1))
    first, second = (np.where(rng.random((competitions, seeds)) < chance, 100.0, 0.0) for _ in range(2))
    return first, second


KINDS: dict[str, Agents] = {"plain": plain, "failing": failing, "drawing": drawing, "medals only": medals_only}


def rejections(
    agents: Agents, times: int, competitions: int, seeds: int, rng: np.random.Generator, *, others: bool = False
) -> dict[str, float]:
    """In how many per cent of the times each test rejects; `others` are those that decide no verdict."""
    counts: dict[str, int] = {}
    for _ in range(times):
        first, second = agents(competitions, seeds, rng)
        differences = (first - second).mean(axis=1)
        found = {
            "sign flips": sign_flip(differences) < LEVEL,
            "sign test": sign_test(int((differences > 0).sum()), int((differences < 0).sum())) < LEVEL,
        }
        if others:
            bars = rng.uniform(60, 90, (competitions, 1))  # the percentile that earns a medal
            medals = first > bars, second > bars
            shares = 100.0 * (medals[0].astype(float) - medals[1]).mean(axis=1)
            only = int((medals[0] & ~medals[1]).sum()), int((medals[1] & ~medals[0]).sum())
            found |= {
                "exact McNemar": mcnemar(*only) < LEVEL,
                "interval, medals": flip_interval(shares).excludes_zero,
                "interval, percentiles": flip_interval(differences).excludes_zero,
            }
        for name, rejected in found.items():
            counts[name] = counts.get(name, 0) + int(rejected)
    return {name: 100.0 * count / times for name, count in counts.items()}


def unlike(kind: str, difference: float) -> Agents:
    """Agents of which the first is better by so many points on average, in some competitions more than in others."""

    def agents(competitions: int, seeds: int, rng: np.random.Generator) -> tuple[Percentiles, Percentiles]:
        if kind == "medals only":  # a percentile earns a medal or does not
            bars = rng.uniform(60, 90, (competitions, 1))
            first, second = unlike("plain", difference)(competitions, seeds, rng)
            return np.where(first > bars, 100.0, 0.0), np.where(second > bars, 100.0, 0.0)
        first, second = KINDS[kind](competitions, seeds, rng)
        effect = rng.normal(difference, 15, (competitions, 1))
        differs = (first != second) | (rng.random((competitions, 1)) < 0.5)  # what is drawn may stay drawn
        return np.where(differs & (first > 0), np.clip(first + effect, 0, 100), first), second

    return agents


@dataclass(frozen=True)
class Held:
    """What became of many intervals: in how many per cent there is one, and how many of those miss the truth."""

    given: float
    missed: float
    width: float


def coverage(agents: Agents, times: int, competitions: int, seeds: int, rng: np.random.Generator) -> Held:
    """How often the interval of the mean difference misses the mean over all competitions there could be."""
    truth = float(np.mean([np.subtract(*agents(5000, seeds, rng)).mean() for _ in range(40)]))
    found = [flip_interval(np.subtract(*agents(competitions, seeds, rng)).mean(axis=1)) for _ in range(times)]
    bounds = [(each.lower, each.upper) for each in found if each.lower is not None and each.upper is not None]
    missed = sum(not lower <= truth <= upper for lower, upper in bounds)
    width = float(np.mean([upper - lower for lower, upper in bounds])) if bounds else float("nan")
    return Held(100.0 * len(bounds) / times, 100.0 * missed / max(1, len(bounds)), width)


def power(kind: str, times: int, competitions: int, seeds: int, rng: np.random.Generator) -> float:
    """The smallest mean difference, in steps of a point, that the verdict shows four times out of five."""
    for effect in range(1, 60):
        agents = unlike(kind, float(effect))
        pairs = [np.subtract(*agents(competitions, seeds, rng)).mean(axis=1) for _ in range(times)]
        if np.mean([sign_flip(each) < LEVEL for each in pairs]) >= POWER:
            return float(np.mean([each.mean() for each in pairs]))
    return float("nan")
