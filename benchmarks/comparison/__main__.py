"""How often does `mlebench compare` find a difference between two agents that are equal?

    python -m benchmarks.comparison [--batches N] [--times N] [--others | --intervals | --power]

At a level of 5 % a verdict should reject about 5 % of the times. Every setting is simulated in batches, so that the
range of batches can be seen beside the pooled rate: of 1,000 times, chance alone moves it by 0.7 points (one standard
deviation). `--others` also simulates the tests that decide no verdict, once per setting; `--intervals` how often the
95 % interval misses the truth, and `--power` which difference is shown four times out of five.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

import numpy as np

from benchmarks.comparison.simulation import KINDS, VERDICTS, coverage, power, rejections, unlike

SIZES = (22, 75)  # competitions of lite and of the benchmark
SEEDS = (1, 3)


def main() -> None:
    parser = argparse.ArgumentParser(description="How often equal agents are told apart.")
    parser.add_argument("--batches", type=int, default=20)
    parser.add_argument("--times", type=int, default=1000)
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--intervals", action="store_true", help="how often the interval misses the truth")
    parser.add_argument("--power", action="store_true", help="what difference is shown four times out of five")
    arguments = parser.parse_args()
    if arguments.intervals or arguments.power:
        _intervals(arguments.times) if arguments.intervals else _power(arguments.times)
        return
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


def _intervals(times: int) -> None:
    for kind in KINDS:
        for competitions in (5, 7, 10, 22, 75):
            held = coverage(unlike(kind, 8.0), times, competitions, 1, np.random.default_rng(2026))
            rounded = {name: round(value, 1) for name, value in asdict(held).items()}
            print(json.dumps({"agents": kind, "competitions": competitions} | rounded), flush=True)


def _power(times: int) -> None:
    for kind in KINDS:
        for competitions, seeds in ((22, 1), (22, 3), (75, 3)):
            shown = power(kind, times, competitions, seeds, np.random.default_rng(2026))
            setting = {"agents": kind, "competitions": competitions, "seeds": seeds}
            print(json.dumps(setting | {"difference": round(shown, 1)}), flush=True)


if __name__ == "__main__":
    main()
