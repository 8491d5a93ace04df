"""How often do the tests of `mlebench compare` find a difference between two agents that are equal?

    python scripts/simulate_equal_agents.py --times 1000

Each time, two agents with the same skill in every competition (which differs between competitions) are run on 75
competitions with 3 seeds. At a level of 5 %, a test should reject about 5 % of the times; the exact McNemar test,
whose p-values take few different values, somewhat less.
"""

from __future__ import annotations

import argparse

import numpy as np

from mlebench.analysis.statistics import clustered_bootstrap, mcnemar, sign_flip

NAMES = ("exact McNemar", "sign flips", "bootstrap, medals", "bootstrap, percentiles")


def rejections(times: int, competitions: int, seeds: int, rng: np.random.Generator) -> dict[str, float]:
    """The share of simulations in which each test rejects at 5 %."""
    counts = np.zeros(len(NAMES))
    for number in range(times):
        skill = rng.uniform(5, 95, (competitions, 1))
        outcomes = [np.clip(skill + rng.normal(0, 15, (competitions, seeds)), 0, 100) for _ in range(2)]
        bars = rng.uniform(60, 90, (competitions, 1))  # the percentile that earns a medal
        medals = [each > bars for each in outcomes]
        only = [int((medals[0] & ~medals[1]).sum()), int((medals[1] & ~medals[0]).sum())]
        percentiles = (outcomes[0] - outcomes[1]).mean(axis=1)
        shares = 100.0 * (medals[0].astype(float) - medals[1]).mean(axis=1)
        counts += [
            mcnemar(*only) < 0.05,
            sign_flip(percentiles, seed=number) < 0.05,
            clustered_bootstrap(shares, seed=number).excludes_zero,
            clustered_bootstrap(percentiles, seed=number).excludes_zero,
        ]
    return dict(zip(NAMES, (counts / times).tolist(), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description="Rejections of equal agents by the tests of mlebench compare.")
    parser.add_argument("--times", type=int, default=1000)
    parser.add_argument("--competitions", type=int, default=75)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    found = rejections(arguments.times, arguments.competitions, arguments.seeds, np.random.default_rng(arguments.seed))
    for name, share in found.items():
        print(f"{name:24}{100 * share:6.1f} %")


if __name__ == "__main__":
    main()
