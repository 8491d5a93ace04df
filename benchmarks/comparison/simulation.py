"""Two agents that are equally good, compared many times by the tests of `mlebench compare`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlebench.analysis.compare import LEVEL
from mlebench.analysis.statistics import clustered_bootstrap, mcnemar, sign_flip, sign_test

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
    for number in range(times):
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
                "bootstrap, medals": clustered_bootstrap(shares, seed=number).excludes_zero,
                "bootstrap, percentiles": clustered_bootstrap(differences, seed=number).excludes_zero,
            }
        for name, rejected in found.items():
            counts[name] = counts.get(name, 0) + int(rejected)
    return {name: 100.0 * count / times for name, count in counts.items()}
