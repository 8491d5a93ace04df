"""Plant leaks at random in clean competitions, audit them, and count.

    PYTHONPATH=tests/audit python -m benchmarks.audit [--planted 200] [--clean 60] [--seed 0] [--kinds NAME…]
        [--processes 2]

Prints what was missed and what was a false alarm, the time and the largest memory.
"""

from __future__ import annotations

import resource
import tempfile
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from clean_worlds import FAMILIES, VARIANTS, make
from planted_leaks import PLANTS

from benchmarks.audit import planting_options


def planted(kind: str, family: str, variant: str, seed: int) -> tuple[str, str, str, list[str], float]:
    """(kind, family, variant, the leaks that were found, seconds)."""
    from mlebench.audit.auditing import audit

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        world = make(Path(folder), family, seed, variant)
        if kind:
            PLANTS[kind][0](world)
        found = audit(world.write())
    lines = [f"{entry.severity} {entry.kind} {entry.where}: {entry.evidence}" for entry in found.findings]
    lines += [f"note: {note}" for note in found.notes]
    return kind, family, variant, lines, found.seconds


def main() -> None:
    """Run the benchmark."""
    parser = planting_options()
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    rng = np.random.default_rng(chosen.seed)
    kinds = chosen.kinds if chosen.kinds is not None else list(PLANTS)
    jobs = []
    for number in range(chosen.planted):
        kind = kinds[number % len(kinds)]
        family = str(rng.choice(PLANTS[kind][1]))
        jobs.append((kind, family, str(rng.choice(VARIANTS)), chosen.seed * 1000 + number))
    for number in range(chosen.clean):
        family, variant = FAMILIES[number % len(FAMILIES)], VARIANTS[number % len(VARIANTS)]
        jobs.append(("", family, variant, chosen.seed * 1000 + 500 + number))
    started = time.monotonic()
    missed, alarms, suspicions, done = Counter[str](), 0, 0, 0
    seconds = []
    with ProcessPoolExecutor(chosen.processes) as pool:
        for (kind, family, variant, lines, took), job in zip(
            pool.map(planted, *zip(*jobs, strict=True)), jobs, strict=True
        ):
            seconds.append(took)
            done += 1
            leaks = [line for line in lines if line.startswith("leak")]
            if kind and not leaks:
                missed[kind] += 1
                print(f"MISSED {kind} in {family}, {variant} (seed {job[3]}): {lines}", flush=True)
            if not kind:
                alarms += bool(leaks)
                suspicions += any(line.startswith(("leak", "suspicious")) for line in lines)
                if any(line.startswith(("leak", "suspicious", "note: the search")) for line in lines):
                    print(f"CLEAN {family}, {variant} (seed {job[3]}): {lines}", flush=True)
            if done % 20 == 0:
                print(f"{done} of {len(jobs)} done", flush=True)
    print(f"planted {chosen.planted}: {chosen.planted - sum(missed.values())} found; missed {dict(missed)}")
    print(f"clean {chosen.clean}: {alarms} with a leak, {suspicions} with a suspicion")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"{time.monotonic() - started:.0f} s in all, {np.mean(seconds):.1f} "
        f"s each, {max(seconds):.1f} s at most; {peak:.0f} MB"
    )


if __name__ == "__main__":
    main()
