"""The agent `baseline` on the twins of the 22 lite and 7 dev competitions: does it beat the sample submission?

    python -m benchmarks.baseline [ID …] [--data-dir DIR] [--seconds S] [--agent FOLDER] [--scale N]

Twins are made and prepared where they are not there yet. A line per competition: seconds, seconds of CPU, peak memory,
the score of the agent and of the sample submission, which of them is better, the model that was chosen, and why it fell
back. The ratio is that of competitions with a better score than the sample from a trained model.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import mlebench.agents.baseline
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.errors import MlebenchError
from mlebench.grade.grading import score_file
from mlebench.twins import write_twin

SPLITS = ("low", "dev")


@dataclass(frozen=True)
class Measured:
    """What a run of the agent gave."""

    competition_id: str
    seconds: float
    cpu_seconds: float
    megabytes: float
    score: float | None
    sample: float
    is_better: bool
    model: str
    fallback: str


def prepared(registry: Registry, competition_id: str, scale: int) -> LocalCompetition:
    """The competition with the prepared data of its twin."""
    competition = registry.get_competition(competition_id)
    if not competition.prepared_dir.is_dir():
        write_twin(competition, competition.home, scale=scale)
        prepare(competition)
    return competition


def measure(competition: LocalCompetition, agent: Path, seconds: float) -> Measured:
    """Run the agent on the public data and grade what it leaves."""
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "out"
        variables = {"DATA_DIR": str(competition.public_dir), "SUBMISSION_DIR": str(output), "SEED": "0"}
        start, cpu_before = time.monotonic(), _cpu_of_children()
        finished = subprocess.run(
            [sys.executable, str(agent)],
            env={**os.environ, **variables, "TIME_LIMIT_SECS": str(seconds)},
            capture_output=True,
            text=True,
            check=False,
        )
        taken, cpu = time.monotonic() - start, _cpu_of_children() - cpu_before
        if finished.returncode != 0:
            print(finished.stderr, file=sys.stderr)
        # The last line of its output is the result.
        result = json.loads(finished.stdout.splitlines()[-1].partition("=")[2])
        found = json.loads((output / "metrics.json").read_text(encoding="utf-8"))
        sample = score_file(competition.sample_submission, competition)
        try:
            score: float | None = score_file(output / "submission.csv", competition)
        except MlebenchError as error:
            print(f"{competition.id}: {error}", file=sys.stderr)
            score = None
    gained = 0.0 if score is None else score - sample
    if competition.declaration.better == "lower":
        gained = -gained
    is_better = score is not None and (gained > 0 or (math.isinf(sample) and math.isfinite(score)))
    model, fallback = found["chosen_model"] or "", found["fallback"] or ""
    return Measured(
        competition_id=competition.id,
        seconds=taken,
        cpu_seconds=cpu,
        megabytes=result["peak_memory_mb"],
        score=score,
        sample=sample,
        is_better=is_better and not fallback,
        model=model,
        fallback=fallback,
    )


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--seconds", type=float, default=3600.0, help="the time limit that the agent is given")
    parser.add_argument("--scale", type=int, default=1, help="of twins that are made now")
    parser.add_argument("--agent", type=Path, default=Path(mlebench.agents.baseline.__file__).parent)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        registry = Registry(given.data_dir or Path(scratch))
        ids = given.ids or [name for split in SPLITS for name in registry.split(split)]
        better = valid = 0
        print("| competition | seconds | CPU s | MB | score | sample | better | model, or why it fell back |")
        print("|---|---|---|---|---|---|---|---|")
        for competition_id in ids:
            run = measure(prepared(registry, competition_id, given.scale), given.agent, given.seconds)
            better, valid = better + run.is_better, valid + (run.score is not None)
            score = "invalid" if run.score is None else f"{run.score:.4f}"
            words = f"fell back: {run.fallback}" if run.fallback else run.model
            print(
                f"| {run.competition_id} | {run.seconds:.1f} | {run.cpu_seconds:.1f} | {run.megabytes:.0f} "
                f"| {score} | {run.sample:.4f} "
                f"| {'yes' if run.is_better else 'no'} | {words} |",
                flush=True,
            )
        print(f"\nValid: {valid} of {len(ids)}. Better than the sample from a trained model: {better} of {len(ids)}.")


if __name__ == "__main__":
    main()
