"""How fast the live view is on a group of 1,000 runs: its first page, an update, and its memory over an hour.

    PYTHONPATH=tests python -m benchmarks.view [--runs N] [--updates N]

The first page is timed as a browser asks for it, from a server that has not seen the group before; the baseline is
reading the group as `mlebench runs show` does, in the same process. An update follows events of ten runs; `update_ms`
is CPU time of the whole process. Memory is the growth of the process from the first hundred updates to the last.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

import psutil
from view.groups import end, say, write_plan
from view.server import serving

from mlebench.results.groups import open_group
from mlebench.view import watching
from mlebench.view.watching import Groups, changed_rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--updates", type=int, default=3600)
    options = parser.parse_args()
    watching._FRESH = 0.0  # every question is an update
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "group"
        plan = write_plan(folder, ["spaceship-titanic"], options.runs)
        for place, planned in enumerate(plan):
            if place < options.runs // 2:
                end(folder, planned, "success")
            elif place < options.runs // 2 + 32:
                say(folder, planned, "state", status="running")
        running = plan[options.runs // 2 : options.runs // 2 + 32]
        with serving(Path(scratch)) as view:
            view.let_in()
            began, cpu = time.perf_counter(), time.process_time()
            size = len(view.ask("/g/group").text)
            first, first_cpu = time.perf_counter() - began, time.process_time() - cpu
        began = time.perf_counter()
        open_group(folder)
        baseline = time.perf_counter() - began
        watched = Groups(Path(scratch)).watched("group")
        before, process, memory, used = watched.standing(), psutil.Process(), 0, 0.0
        for number in range(options.updates):
            for planned in running[number % 3 :: 3]:
                say(folder, planned, "usage", seconds=float(number), memory=1 << 30)
            began = time.process_time()
            now = watched.standing()
            assert changed_rows(before, now)
            used, before = used + time.process_time() - began, now
            if number == min(100, options.updates - 1):
                memory = process.memory_info().rss
        result = {
            "runs": options.runs,
            "first_view_seconds": round(first, 3),
            "first_view_cpu_seconds": round(first_cpu, 3),
            "page_bytes": size,
            "baseline_seconds": round(baseline, 3),
            "update_ms": round(1000 * used / options.updates, 2),
            "updates": options.updates,
            "memory_growth_mb": round((process.memory_info().rss - memory) / (1 << 20), 1),
            "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        }
        print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
