"""What a run group costs beside the work of its agents.

    python -m benchmarks.runs [--runs N] [--workers N] [--seconds S]

Overhead: a do-nothing agent, one run after the other, against the bare command. Throughput: so many runs of an agent
that sleeps, in so many workers, against the sum of the sleeping over the workers; with the peak memory of the
orchestrator.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from dataclasses import asdict
from pathlib import Path

from benchmarks.runs.measuring import COMPETITION, HAND_IN, run_measured, scratch
from mlebench.runs.group import create_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import SANDBOXES, Limits

LIMITS = Limits(seconds=600, memory_bytes=1 << 30)


def overhead(data: Path, runs: Path, sandbox: str, count: int = 20) -> dict[str, object]:
    """Seconds that a run takes beyond its command."""
    settings = RunSettings(
        agent="command", data_dir=data, sandbox=sandbox, limits=LIMITS, agent_options={"command": HAND_IN}
    )
    group = create_group(runs, [COMPETITION], range(count), settings)
    start = time.monotonic()
    run_group(group, workers=1)
    taken = (time.monotonic() - start) / count
    start = time.monotonic()
    for _ in range(count):
        subprocess.run(["bash", "-c", "true"], check=True)
    bare = (time.monotonic() - start) / count
    succeeded = sum(record.status == "success" for record in group.run_records())
    return {"sandbox": sandbox, "runs": count, "succeeded": succeeded, "overhead_seconds": round(taken - bare, 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=4.0, help="how long each of the many agents sleeps")
    options = parser.parse_args()
    with scratch() as folder:
        for name, sandbox in SANDBOXES.items():
            if sandbox.availability().works:
                print(json.dumps(overhead(folder / "data", folder / name, name)), flush=True)
        many = run_measured(folder, runs=options.runs, workers=options.workers, seconds=options.seconds)
        times_the_work = many.seconds / (many.runs * options.seconds / many.workers)
        print(json.dumps({**asdict(many), "times_the_work": round(times_the_work, 2)}), flush=True)


if __name__ == "__main__":
    main()
