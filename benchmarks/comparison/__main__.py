"""How often does `mlebench compare` find a difference between two agents that are equal?

    python -m benchmarks.comparison [--batches N] [--times N] [--others]

At a level of 5 % a verdict should reject about 5 % of the times. Every setting is simulated in batches, so that the
range of batches can be seen beside the pooled rate: of 1,000 times, chance alone moves it by 0.7 points (one standard
deviation). `--others` also simulates the tests that decide no verdict, once per setting.
"""

from __future__ import annotations

import argparse
import json

import numpy as np

from benchmarks.comparison.simulation import KINDS, VERDICTS, rejections

SIZES = (22, 75)  # competitions of lite and of the benchmark
SEEDS = (1, 3)


def main() -> None:
    parser = argparse.ArgumentParser(description="How often equal agents are told apart.")
    parser.add_argument("--batches", type=int, default=20)
    parser.add_argument("--times", type=int, default=1000)
    parser.add_argument("--others", action="store_true")
    arguments = parser.parse_args()
    for kind, agents in KINDS.items():
        for competitions in SIZES:
            for seeds in SEEDS:
                rng = np.random.default_rng(2026)
                setting = {"agents": kind, "competitions": competitions, "seeds": seeds}
                if arguments.others:
                    found = rejections(agents, arguments.times, competitions, seeds, rng, others=True)
                    print(json.dumps(setting | {name: round(share, 1) for name, share in found.items()}), flush=True)
                    continue
                batches = [
                    rejections(agents, arguments.times, competitions, seeds, rng) for _ in range(arguments.batches)
                ]
                for name in VERDICTS:
                    shares = [each[name] for each in batches]
                    figures = {"pooled": sum(shares) / len(shares), "least": min(shares), "most": max(shares)}
                    rounded = {key: round(value, 2) for key, value in figures.items()}
                    print(json.dumps(setting | {"verdict": name} | rounded), flush=True)


if __name__ == "__main__":
    main()
