"""An experiment of three arms: in turns, killed twice and resumed, against the same groups one after the other.

    python -m benchmarks.experiments [--seeds N] [--seconds S] [--workers N]

Figures: how long all runs take; how far apart in time the runs of the same competition and seed are in different arms,
which is what taking turns is for; and of the killed one, how many runs had ended at each kill, and how many of those
were executed again, which must be none.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import datetime
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.experiments.definition import load_experiment
from mlebench.experiments.planning import PlannedArm, open_experiment
from mlebench.experiments.running import run_arms
from mlebench.results.records import RunRecord
from mlebench.runs.running import run_group

COMPETITIONS = ("practice-wine", "practice-diabetes")
ARMS = ("a", "b", "c")
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'


def experiment_file(folder: Path, name: str, seeds: int, seconds: float) -> Path:
    """The file of an experiment whose arms differ in a limit that does not matter."""
    arms = "".join(f'[[arms]]\nname = "{arm}"\ntime_limit = {600 + place}\n' for place, arm in enumerate(ARMS))
    path = folder / f"{name}.toml"
    path.write_text(
        f"competitions = {json.dumps(COMPETITIONS)}\nseeds = {seeds}\n[defaults]\nagent = 'command'\n"
        f"command = '''{HAND_IN}; sleep {seconds}'''\nsandbox = 'process'\nmemory_limit = '1G'\n{arms}"
    )
    return path


def records_of(arms: Sequence[PlannedArm]) -> dict[str, list[RunRecord]]:
    """The records of the runs of all arms."""
    return {arm.name: arm.group.run_records() for arm in arms}


def gap(records: dict[str, list[RunRecord]]) -> float:
    """The mean distance in seconds between the starts of paired runs of two arms."""

    def start(record: RunRecord) -> float:
        return datetime.fromisoformat(str(record.started_at)).timestamp()

    pairs = [
        abs(start(mine) - start(theirs))
        for first, second in combinations(records.values(), 2)
        for mine, theirs in zip(first, second, strict=True)
    ]
    return mean(pairs)


def figures(seconds: float, arms: Sequence[PlannedArm]) -> dict[str, Any]:
    """The figures of arms that this process has run; its peak memory only grows."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": round(seconds, 1), "gap_seconds": round(gap(records_of(arms)), 2), "peak_mb": round(peak)}


def one_after_the_other(path: Path, data: Path, runs: Path, workers: int) -> dict[str, Any]:
    """The baseline: one group after the other."""
    _, arms = open_experiment(load_experiment(path), Registry(data), runs, workers=workers)
    start = time.monotonic()
    for arm in arms:
        run_group(arm.group, workers=workers)
    return figures(time.monotonic() - start, arms)


def command(path: Path, data: Path, runs: Path, workers: int) -> list[str]:
    """The command that a user types."""
    options = ["--workers", str(workers), "--json", "--data-dir", str(data), "--runs-dir", str(runs)]
    return [sys.executable, "-m", "mlebench", "experiment", "run", str(path), *options]


def in_turns(path: Path, data: Path, runs: Path, workers: int) -> dict[str, Any]:
    """The same runs in turns, without a kill."""
    _, arms = open_experiment(load_experiment(path), Registry(data), runs, workers=workers)
    start = time.monotonic()
    run_arms(arms, workers=workers)
    return figures(time.monotonic() - start, arms)


def ended_runs(runs: Path) -> dict[str, str]:
    """When each run ended that has."""
    found = (json.loads(file.read_text()) for file in runs.glob("*/*/run.json"))
    return {record["run_id"]: record["ended_at"] for record in found if record["status"] not in ("planned", "running")}


def killed_twice(path: Path, data: Path, runs: Path, workers: int, total: int) -> dict[str, Any]:
    """The experiment, by the command, ended by SIGKILL after a third and after two thirds of its runs, and resumed.

    Its seconds include three starts of the command, and grading.
    """
    start, kills = time.monotonic(), []
    before: dict[str, str] = {}
    for least in (total // 3, 2 * total // 3):
        process = subprocess.Popen(command(path, data, runs, workers), stdout=subprocess.DEVNULL)
        while len(ended_runs(runs)) < least:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        now = ended_runs(runs)
        again = sum(now.get(run) != ended for run, ended in before.items())
        kills.append({"ended": len(now), "executed_again": again})
        before = now
    subprocess.run(command(path, data, runs, workers), stdout=subprocess.DEVNULL, check=True)
    seconds = time.monotonic() - start
    _, arms = open_experiment(load_experiment(path), Registry(data), runs)
    records = records_of(arms)
    after = ended_runs(runs)
    return {
        "seconds": round(seconds, 1),
        "kills": kills,
        "executed_again": sum(after[run] != ended for run, ended in before.items()),
        "succeeded": {arm: sum(record.status == "success" for record in found) for arm, found in records.items()},
        "second_attempts": sum(record.attempt > 1 for found in records.values() for record in found),
        "groups": len(list(runs.glob("*_run-group_*"))),
        "gap_seconds": round(gap(records), 2),
    }


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    total = len(ARMS) * len(COMPETITIONS) * given.seeds
    with tempfile.TemporaryDirectory(prefix="mlebench-experiments-") as folder:
        place = Path(folder)
        data = place / "data"
        for competition_id in COMPETITIONS:
            prepare(Registry(data).get_competition(competition_id))
        files = {
            name: experiment_file(place, name, given.seeds, given.seconds) for name in ("baseline", "turns", "killed")
        }
        baseline = one_after_the_other(files["baseline"], data, place / "baseline", given.workers)
        turns = in_turns(files["turns"], data, place / "turns", given.workers)
        killed = killed_twice(files["killed"], data, place / "killed", given.workers, total)
    print(json.dumps({"runs": total, "one_after_the_other": baseline, "in_turns": turns, "killed_twice": killed}))


if __name__ == "__main__":
    main()
