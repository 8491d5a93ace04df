"""A node is killed in the middle of a group, and then the process that runs it: what is lost, what is doubled.

    python -m benchmarks.runs.losses [--executor slurm|ray] [--runs 60] [--workers 8] [--seconds 8]

On a cluster of two nodes on this machine. Every run must end as a success, with a record, a submission and a result in
the record of the group; the number of attempts that were begun, by the event logs, must be that of the records.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.runs.measuring import COMPETITION, HAND_IN, scratch
from mlebench.results.events import read_events
from mlebench.results.records import GroupRecord
from mlebench.runs.group import PlannedGroup, load_group


def wait_until(group: PlannedGroup, count: int) -> None:
    """Wait until so many runs have ended."""
    while sum(record.has_ended for record in group.run_records()) < count:
        time.sleep(0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executor", default="slurm", choices=["slurm", "ray"])
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=8.0)
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))  # which start clusters, too
    with scratch() as folder, ExitStack() as stack:
        command = [sys.executable, "-m", "mlebench", "run", "--runs-dir", str(folder / "runs"), "--json"]
        chosen = ["--agent", "command", "--command", f"{HAND_IN}; sleep {options.seconds}", "-c", COMPETITION]
        chosen += ["--seeds", str(options.runs), "--workers", str(options.workers), "--retries", "3"]
        chosen += ["--executor", options.executor, "--memory-limit", "1G", "--time-limit", "10m"]
        chosen += ["--sandbox", "process", "--data-dir", str(folder / "data")]
        cluster: Any
        if options.executor == "slurm":
            from slurm_cluster import slurm

            (folder / "slurm").mkdir()
            cluster = stack.enter_context(slurm(folder / "slurm", cpus=options.workers // 2))
            os.environ["SLURM_CONF"] = str(cluster.conf)
        else:
            from ray_cluster import ray_cluster

            cluster = stack.enter_context(ray_cluster(cpus=options.workers // 2))
            chosen += ["--address", cluster.address]
        start = time.monotonic()
        driver = subprocess.Popen([*command, *chosen], stdout=subprocess.DEVNULL)
        while not (found := list(folder.glob("runs/*run-group*"))):
            time.sleep(0.5)
        group = load_group(found[0])
        wait_until(group, options.runs // 4)
        under_way = [record.node for record in group.run_records() if record.status == "running"]
        if options.executor == "slurm":
            cluster.lose_node("n2")
        else:
            cluster.remove_node(cluster.worker, allow_graceful=False)
        wait_until(group, options.runs // 2)
        driver.kill()
        driver.wait()
        workers = ["--workers", str(options.workers)]
        resumed = subprocess.run([*command, "--resume", str(group.folder), *workers], stdout=subprocess.DEVNULL)
        records = group.run_records()
        folders = [group.folder_of(planned) for planned in group.record.plan]
        begun = [sum(event.values.get("status") == "preparing" for event in read_events(place)) for place in folders]
        noted = GroupRecord.load(group.folder).runs.values()
        print(
            json.dumps(
                {
                    "executor": options.executor,
                    "runs": options.runs,
                    "seconds": round(time.monotonic() - start, 1),
                    "exit_code": resumed.returncode,
                    "succeeded": sum(record.status == "success" for record in records),
                    "noted": sum(result["status"] == "success" for result in noted),
                    "submissions": sum((place / "submission" / "submission.csv").is_file() for place in folders),
                    "under_way_when_a_node_was_lost": dict(Counter(map(str, under_way))),
                    "repeated": sum(record.attempt > 1 for record in records),
                    "attempts": sum(record.attempt for record in records),
                    "attempts_begun": sum(begun),
                }
            )
        )


if __name__ == "__main__":
    main()
