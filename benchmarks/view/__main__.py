"""How fast the live view is on a group of 1,000 runs: its first page, its updates, and its memory over an hour.

    PYTHONPATH=tests python -m benchmarks.view [--runs N] [--updates N]

The first page is timed as a browser asks for it, from a server that has not seen the group before but has drawn another
one, as `mlebench view` does when it starts; half of the runs have ended and are graded. The baseline is reading the
group as `mlebench runs show` does, in the same process. An update follows events of a third of the 32 runs that are
under way; every hundredth one also follows a run that ends. The 3,600 updates of an hour come one after the other,
without the seconds between them. All `_cpu_` numbers are CPU time of the whole process, which a busy machine does not
stretch as much as it does the clock. Memory is the growth of the process from the first hundred updates to the last.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path
from statistics import mean
from typing import Any

import psutil
from graded import report, write_grading_report
from view.groups import end, say, write_plan
from view.server import serving

from mlebench.competition.registry import registry
from mlebench.results.groups import open_group
from mlebench.results.records import PlannedRun
from mlebench.view import watching
from mlebench.view.watching import Groups, Watched

_COMPETITIONS = 25


def group_under_way(folder: Path, runs: int) -> list[PlannedRun]:
    """A group of which half has ended and was graded, and 32 runs are under way; these."""
    plan = write_plan(folder, registry.split("all")[:_COMPETITIONS], -(-runs // _COMPETITIONS))[:runs]
    ended = plan[: runs // 2]
    for planned in ended:
        end(folder, planned, "success", submission="submission/submission.csv")
    reports = [report(planned.competition_id, run_id=planned.run_id, seed=planned.seed) for planned in ended]
    write_grading_report(folder / "2026-01-01_grading_report.json", reports)
    running = plan[runs // 2 : runs // 2 + 32]
    for planned in running:
        say(folder, planned, "state", status="running")
    return running


def first_page(folder: Path) -> dict[str, Any]:
    """What the first page of a group costs."""
    with serving(folder.parent) as view:
        view.let_in()
        view.ask("/g/other")
        began, cpu = time.perf_counter(), time.process_time()
        size = len(view.ask(f"/g/{folder.name}").text)
        return {
            "first_page_seconds": round(time.perf_counter() - began, 3),
            "first_page_cpu_seconds": round(time.process_time() - cpu, 3),
            "page_bytes": size,
        }


def updates(folder: Path, watched: Watched, running: list[PlannedRun], count: int) -> dict[str, Any]:
    """What updates cost: those in which runs go on, and those in which one ends."""
    process, memory = psutil.Process(), 0
    usual: list[float] = []
    at_ends: list[float] = []
    standing, _ = watched.results()
    for number in range(count):
        going_on = running[number % 3 :: 3]
        for planned in going_on:
            say(folder, planned, "usage", seconds=float(number), memory=1 << 30)
        if is_end := number % 100 == 99 and len(running) > 4:
            end(folder, running.pop(), "failed", code="exit-code", error="exit code 1")
        began = time.process_time()
        now, results = watched.results()
        news = {"rows": [row.to_dict() for row in now.rows_since(standing.version)]} | results.since(standing.version)
        sent = json.dumps(news)
        (at_ends if is_end else usual).append(time.process_time() - began)
        assert len(news["rows"]) >= len(going_on) - 1
        assert len(sent) < 100_000 or number < 100
        standing = now
        if number == min(100, count - 1):
            memory = process.memory_info().rss
    return {
        "updates": count,
        "update_cpu_ms": round(1000 * mean(usual), 1),
        "update_cpu_ms_at_end_of_run": round(1000 * mean(at_ends), 1) if at_ends else None,
        "memory_growth_mb": round((process.memory_info().rss - memory) / (1 << 20), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--updates", type=int, default=3600)
    options = parser.parse_args()
    watching._FRESH = 0.0  # every question is an update
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "group"
        running = group_under_way(folder, options.runs)
        group_under_way(Path(scratch) / "other", 100)
        result = {"runs": options.runs, **first_page(folder)}
        began = time.process_time()
        open_group(folder)
        result["baseline_cpu_seconds"] = round(time.process_time() - began, 3)
        result |= updates(folder, Groups(Path(scratch)).watched("group"), running, options.updates)
        result["peak_memory_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
