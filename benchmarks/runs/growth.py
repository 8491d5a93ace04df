"""What one more run costs whoever runs a group, and whether that grows with the group or with the workers.

    python -m benchmarks.runs.growth [--executor local] [--counts 100,300,1000] [--workers N] [--sandbox process]
    python -m benchmarks.runs.growth --scaling 1,16 [--runs 320] [--seconds S]

Runs of an agent that does nothing, on practice data, through `mlebench run` as a user types it. Growth: seconds per
run, and processor seconds per run and peak memory of the command that runs the group (of its runners, too, where it has
some), at each number of runs; the baseline is the smallest number. Scaling: runs per second at each number of workers,
against the first number; with fewer cores than workers, let the runs sleep. `rate` counts from the first start of an
agent to the last end, so the start of the command is not part of it. --executor slurm starts a Slurm of its own (root),
--executor ray a cluster of two nodes; both need what the tests need, and local nothing but the package. With --data
pandas, scikit-learn, SciPy and pyarrow may be missing, too.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from benchmarks.runs.measuring import Measured, run_measured, scratch

_COLUMNS = (
    *("executor", "runs", "workers", "succeeded", "seconds", "s/run", "rate", "x first"),
    *("CPU s/run", "runners", "MB", "runners"),
)


def row(found: Measured, first: Measured) -> list[str]:
    """A row of the table."""
    return [
        found.executor,
        str(found.runs),
        str(found.workers),
        str(found.succeeded),
        f"{found.seconds:.1f}",
        f"{found.seconds / found.runs:.3f}",
        f"{found.rate:.2f}",
        f"{found.rate / first.rate:.2f}",
        f"{found.cpu_seconds / found.runs:.4f}",
        f"{found.runners_cpu_seconds / found.runs:.4f}",
        str(found.megabytes),
        str(found.runners_megabytes),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executor", default="local", choices=["local", "slurm", "ray"])
    parser.add_argument("--counts", default="100,300,1000")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--sandbox", default="process")
    parser.add_argument("--scaling", help="numbers of workers to compare, such as 1,16")
    parser.add_argument("--runs", type=int, default=320, help="for --scaling")
    parser.add_argument("--seconds", type=float, default=0.0, help="how long each agent sleeps")
    parser.add_argument("--data", type=Path, help="a data folder with practice-wine, prepared elsewhere")
    parser.add_argument("--json", action="store_true", help="print JSON lines in place of the table")
    options = parser.parse_args()
    with scratch(options.data) as folder, ExitStack() as stack:
        extra: list[str] = []
        sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))  # which start clusters, too
        if options.executor == "slurm":
            from slurm_cluster import slurm

            (folder / "slurm").mkdir()
            os.environ["SLURM_CONF"] = str(stack.enter_context(slurm(folder / "slurm", cpus=options.workers)).conf)
        if options.executor == "ray":
            from ray_cluster import ray_cluster

            extra = ["--address", stack.enter_context(ray_cluster(cpus=options.workers)).address]
        if options.scaling:
            cases = [(options.runs, int(workers)) for workers in options.scaling.split(",")]
        else:
            cases = [(int(runs), options.workers) for runs in options.counts.split(",")]
        if not options.json:
            print("  ".join(f"{name:>9}" for name in _COLUMNS), flush=True)
        first: Measured | None = None
        for runs, workers in cases:
            found = run_measured(
                folder,
                executor=options.executor,
                sandbox=options.sandbox,
                runs=runs,
                workers=workers,
                seconds=options.seconds,
                extra=extra,
            )
            first = first or found
            values = {**asdict(found), "rate": found.rate, "rate_against_first": found.rate / first.rate}
            table = "  ".join(f"{value:>9}" for value in row(found, first))
            print(json.dumps(values) if options.json else table, flush=True)


if __name__ == "__main__":
    main()
