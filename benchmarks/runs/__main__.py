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
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.runs.group import create_group, load_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import SANDBOXES, Limits

COMPETITION = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'
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


def throughput(data: Path, runs: Path, count: int, workers: int, seconds: float) -> dict[str, object]:
    """How long many runs take in several workers, and what the orchestrator needs for it."""
    arguments = ["--agent", "command", "--command", f"{HAND_IN}; sleep {seconds}", "-c", COMPETITION, "--json"]
    arguments += ["--seeds", str(count), "--workers", str(workers), "--sandbox", "process"]
    arguments += ["--runs-dir", str(runs), "--data-dir", str(data)]
    start, peak = time.monotonic(), 0
    process = subprocess.Popen([sys.executable, "-m", "mlebench", "run", *arguments], stdout=subprocess.PIPE)
    watched = psutil.Process(process.pid)
    reader = threading.Thread(target=process.stdout.read if process.stdout else lambda: b"")
    reader.start()
    while process.poll() is None:
        try:
            peak = max(peak, watched.memory_info().rss)
        except psutil.Error:
            break
        time.sleep(0.2)
    reader.join()
    taken = time.monotonic() - start
    group = load_group(next(runs.glob("*_run-group_command")))
    succeeded = sum(record.status == "success" for record in group.run_records())
    return {
        "runs": count,
        "workers": workers,
        "succeeded": succeeded,
        "seconds": round(taken, 1),
        "times_the_work": round(taken / (count * seconds / workers), 2),
        "orchestrator_mb": peak >> 20,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=4.0, help="how long each of the many agents sleeps")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mlebench-benchmark-") as name:
        folder = Path(name)
        prepare(Registry(folder / "data").get_competition(COMPETITION))
        for sandbox, each in SANDBOXES.items():
            if each.availability().works:
                print(json.dumps(overhead(folder / "data", folder / sandbox, sandbox)), flush=True)
        many = throughput(folder / "data", folder / "many", options.runs, options.workers, options.seconds)
        print(json.dumps(many), flush=True)


if __name__ == "__main__":
    main()
