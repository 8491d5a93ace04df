"""What a sandbox costs, and how exact its measurements and limits are.

    python -m benchmarks.sandbox [--runs 20] [--sandbox NAME …]

Overhead: a command that does nothing, in the sandbox and supervised, against the same command started directly, in
turns. Memory: the peak of a tree of known size, shared and private pages. Time: how late a run ends that exceeds its
limit.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from mlebench.sandbox import SANDBOXES, Ending, Job, Limits, Sandbox, measured_by, supervise

ALLOWED_OVERHEAD = {"process": 0.15, "bubblewrap": 0.3, "docker": 1.5}
_MIB = 1 << 20
_SHARED, _PRIVATE, _CHILDREN = 200, 150, 3
# The interpreters are measured, too: the tree says itself how large it was before it took its blocks.
_TREE = f"""
import os, time
def kilobytes():
    return int(next(line for line in open('/proc/self/smaps_rollup') if line.startswith('Pss:')).split()[1])
base = kilobytes()
shared = bytearray(b'x') * ({_SHARED} << 20)
for _ in range({_CHILDREN}):
    if os.fork() == 0:
        own = bytearray(b'y') * ({_PRIVATE} << 20)
        time.sleep(2)
        os._exit(0)
print(base, flush=True)
for _ in range({_CHILDREN}): os.wait()
"""


def run(sandbox: Sandbox, job: Job) -> Ending:
    running = sandbox.start(job)
    try:
        return supervise(running, job.limits, grace=1.0)
    finally:
        running.close()


def make_job(folder: Path) -> Job:
    for name in ("home/data", "data"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return Job(["true"], folder / "home", folder / "data", folder / "agent.log")


def overhead(sandbox: Sandbox, job: Job, runs: int) -> tuple[float, float]:
    """Median seconds of the command alone and in the sandbox."""
    bare, confined = [], []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(job.command, check=True)
        middle = time.perf_counter()
        assert run(sandbox, job).exit_code == 0
        bare.append(middle - start)
        confined.append(time.perf_counter() - middle)
    return statistics.median(bare), statistics.median(confined)


def memory_error(sandbox: Sandbox, job: Job) -> float:
    """How far the measured peak of a tree is from what the tree took."""
    ending = run(sandbox, replace(job, command=["python3", "-c", _TREE]))
    expected = int(job.log.read_text().split()[-1]) * 1024 + (_SHARED + _CHILDREN * _PRIVATE) * _MIB
    assert ending.exit_code == 0 and ending.usage.peak_memory_bytes is not None, job.log.read_text()
    return ending.usage.peak_memory_bytes / expected - 1


def lateness(sandbox: Sandbox, job: Job) -> float:
    """Seconds after its limit that a run has ended which heeds SIGTERM."""
    limits = Limits(seconds=2.0)
    ending = run(sandbox, replace(job, command=["sleep", "60"], limits=limits))
    assert ending.reason == "timeout"
    return ending.usage.seconds - 2.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--sandbox", choices=list(SANDBOXES), action="append")
    options = parser.parse_args()
    print(f"Use is measured by {measured_by()} (in docker by Docker).")
    print(f"{'sandbox':12}{'bare s':>8}{'in it s':>9}{'overhead':>10}{'allowed':>9}{'memory':>9}{'late s':>8}")
    failed = False
    for name in options.sandbox or SANDBOXES:
        sandbox = SANDBOXES[name]
        found = sandbox.availability()
        if not found.works:
            print(f"{name:12}not measured: {found.why}")
            continue
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            job = make_job(Path(folder))
            run(sandbox, job)  # the first one reads programs from disk
            bare, confined = overhead(sandbox, job, options.runs)
            error, late = memory_error(sandbox, job), lateness(sandbox, job)
        cost = confined - bare
        failed |= cost > ALLOWED_OVERHEAD[name] or abs(error) > 0.05 or late > 2.0
        allowed = ALLOWED_OVERHEAD[name]
        print(f"{name:12}{bare:8.3f}{confined:9.3f}{cost:10.3f}{allowed:9.2f}{error:+9.1%}{late:8.2f}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
