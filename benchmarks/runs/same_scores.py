"""One group through every executor: are the scores the same?

    python -m benchmarks.runs.same_scores [--agent baseline] [--seeds 3] [--executors local,slurm,ray] [-c ID …]

On practice data, graded, with a Slurm and a Ray cluster of our own on this machine (slurm needs root). Prints a table
with the score of every run by each executor; where two differ the command fails.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from benchmarks.runs.measuring import scratch
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.runs.group import load_group


def scores(folder: Path, executor: str, arguments: list[str]) -> dict[tuple[str, int], str]:
    """The score, or else the status, of each run of a group that is executed and graded."""
    runs_dir = folder / executor
    command = [sys.executable, "-m", "mlebench", "run", *arguments, "--executor", executor, "--grade"]
    subprocess.run([*command, "--runs-dir", str(runs_dir)], stdout=subprocess.DEVNULL, check=False)
    group = load_group(next(runs_dir.glob("*_run-group_*")))
    (report,) = group.folder.glob("*grading_report.json")
    graded = {}
    for line in json.loads(report.read_text())["competition_reports"]:
        graded[Path(line["submission_path"]).parents[1].name] = line["score"]
    return {
        (planned.competition_id, planned.seed): str(graded.get(planned.folder, group.run_record(planned).status))
        for planned in group.record.plan
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", default="baseline")
    parser.add_argument("--seeds", default="3")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--executors", default="local,slurm,ray")
    parser.add_argument("-c", "--competition", action="append", help="instead of all practice competitions")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))  # which start clusters, too
    with scratch() as folder, ExitStack() as stack:
        registry = Registry(folder / "data")
        chosen = options.competition or sorted(registry.split("practice"))
        for competition_id in chosen:
            prepare(registry.get_competition(competition_id))
        arguments = ["--agent", options.agent, "--seeds", options.seeds, "--workers", str(options.workers)]
        arguments += ["--memory-limit", "2G", "--sandbox", "process", "--data-dir", str(folder / "data")]
        arguments += ["--time-limit", "30m", *(part for name in chosen for part in ("-c", name))]
        found = {}
        for executor in options.executors.split(","):
            extra: list[str] = []
            if executor == "slurm":
                from slurm_cluster import slurm

                (folder / "cluster").mkdir()
                cluster = stack.enter_context(slurm(folder / "cluster", cpus=options.workers))
                os.environ["SLURM_CONF"] = str(cluster.conf)
            if executor == "ray":
                from ray_cluster import ray_cluster

                extra = ["--address", stack.enter_context(ray_cluster(cpus=options.workers)).address]
            found[executor] = scores(folder, executor, [*arguments, *extra])
        print("| competition | seed |", *(f"{executor} |" for executor in found))
        print("|---|---|" + "---|" * len(found))
        runs = list(next(iter(found.values())))
        for competition_id, seed in runs:
            print(f"| {competition_id} | {seed} |", *(f"{of[competition_id, seed]} |" for of in found.values()))
        return int(any(len({of[run] for of in found.values()}) > 1 for run in runs))


if __name__ == "__main__":
    sys.exit(main())
