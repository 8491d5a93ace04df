"""What one more run costs whoever runs a group, and whether that grows with the group or with the workers.

    python -m benchmarks.runs.growth [--executor local] [--counts 100,300,1000] [--workers N] [--sandbox process]
    python -m benchmarks.runs.growth --scaling 1,16 [--runs 320]

Runs of an agent that does nothing, on practice data, through `mlebench run` as a user types it. Growth: seconds, and
processor seconds and peak memory of the orchestrator (not of its children), per run, at each number of runs; the
baseline is the smallest number. Scaling: runs per second at each number of workers, against the first number.
--executor slurm starts a Slurm of its own (root), --executor ray a cluster of two nodes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil

from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.runs.group import load_group

COMPETITION = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'


def measured(folder: Path, executor: str, sandbox: str, runs: int, workers: int, extra: list[str]) -> dict[str, Any]:
    """One group: what it took, and what the orchestrator needed for it."""
    runs_dir = Path(tempfile.mkdtemp(dir=folder))
    arguments = ["--agent", "command", "--command", HAND_IN, "-c", COMPETITION, "--json", "--memory-limit", "1G"]
    arguments += ["--seeds", str(runs), "--workers", str(workers), "--sandbox", sandbox, "--executor", executor]
    arguments += ["--time-limit", "10m", "--runs-dir", str(runs_dir), "--data-dir", str(folder / "data"), *extra]
    start, peak, cpu = time.monotonic(), 0, 0.0
    process = subprocess.Popen([sys.executable, "-m", "mlebench", "run", *arguments], stdout=subprocess.PIPE)
    watched = psutil.Process(process.pid)
    reader = threading.Thread(target=process.stdout.read if process.stdout else lambda: b"")
    reader.start()
    while process.poll() is None:
        try:
            peak = max(peak, watched.memory_info().rss)
            spent = watched.cpu_times()
            cpu = spent.user + spent.system
        except psutil.Error:
            break
        time.sleep(0.1)
    reader.join()
    taken = time.monotonic() - start
    group = load_group(next(runs_dir.glob("*_run-group_command")))
    return {
        "executor": executor,
        "runs": runs,
        "workers": workers,
        "succeeded": sum(record.status == "success" for record in group.run_records()),
        "seconds_per_run": round(taken / runs, 4),
        "runs_per_second": round(runs / taken, 2),
        "orchestrator_cpu_seconds_per_run": round(cpu / runs, 4),
        "orchestrator_mb": peak >> 20,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executor", default="local", choices=["local", "slurm", "ray"])
    parser.add_argument("--counts", default="100,300,1000")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--sandbox", default="process")
    parser.add_argument("--scaling", help="numbers of workers to compare, such as 1,16")
    parser.add_argument("--runs", type=int, default=320, help="for --scaling")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mlebench-growth-") as name, ExitStack() as stack:
        folder = Path(name)
        os.environ["MLEBENCH_STATE_DIR"] = str(folder / "state")
        prepare(Registry(folder / "data").get_competition(COMPETITION))
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
        first: dict[str, Any] | None = None
        for runs, workers in cases:
            found = measured(folder, options.executor, options.sandbox, runs, workers, extra)
            first = first or found
            found["rate_against_first"] = round(found["runs_per_second"] / first["runs_per_second"], 2)
            found["cpu_against_first"] = round(
                found["orchestrator_cpu_seconds_per_run"] / first["orchestrator_cpu_seconds_per_run"], 2
            )
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
