"""Many competitions at once: how preparation scales with the number of processes, and what memory it takes.

    python -m benchmarks.prepare.many [--scale N] [--split NAME] [--work DIR]

The twins of a split are prepared through a mirror folder with one process and with one per core. Memory is the largest
sum, over all processes of the command, of what each holds, looked at ten times a second.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mlebench.competition.registry import Registry
from mlebench.data.prepare_many import GIGABYTES_PER_WORKER
from mlebench.twins import write_twin


def children(process: int) -> list[int]:
    """A process and all its descendants."""
    found = [process]
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in task.read_text().split():
            found += children(int(child))
    return found


def memory(process: int) -> int:
    """Bytes that a process and its descendants hold, shared libraries counted once per process."""
    total = 0
    for each in children(process):
        try:
            pages = int(Path(f"/proc/{each}/statm").read_text().split()[1])
        except (FileNotFoundError, ProcessLookupError):  # it has just ended
            continue
        total += pages * os.sysconf("SC_PAGE_SIZE")
    return total


def run(split: str, mirror: Path, workers: int) -> tuple[float, int]:
    """(seconds, peak memory in bytes) of preparing a split."""
    data = tempfile.mkdtemp(prefix=f"workers-{workers}-", dir=mirror.parent)
    options = ["--split", split, "--source", str(mirror), "--data-dir", data, "--workers", str(workers)]
    start = time.monotonic()
    process = subprocess.Popen([sys.executable, "-m", "mlebench", "prepare", *options], stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, memory(process.pid))
        time.sleep(0.1)
    if process.returncode != 0:
        raise SystemExit(f"preparing with {workers} workers failed")
    return time.monotonic() - start, peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=30)
    parser.add_argument("--split", default="lite")
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    work = options.work or Path(tempfile.mkdtemp(prefix="mlebench-benchmark-"))
    mirror = work / f"mirror-{options.scale}"
    registry = Registry()
    for competition_id in registry.split(options.split):
        if not (mirror / f"{competition_id}.zip").exists():
            write_twin(registry.get_competition(competition_id), mirror, scale=options.scale)
    alone, alone_memory = run(options.split, mirror, 1)
    cores = os.cpu_count() or 1
    together, peak = run(options.split, mirror, cores)
    result = {
        "split": options.split,
        "scale": options.scale,
        "one_worker_seconds": round(alone, 2),
        "one_worker_mb": alone_memory >> 20,
        "workers": cores,
        "seconds": round(together, 2),
        "mb": peak >> 20,
        "times_faster": round(alone / together, 2),
        "bound_mb": cores * GIGABYTES_PER_WORKER * 1024,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
