"""The quickstart: the built-in agent on the practice competitions, graded."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlebench.data.prepare import prepare
from mlebench.files.writing import write_json
from mlebench.grade.batch import writable_folder
from mlebench.grade.grading import grade_csv
from mlebench.grade.report import CompetitionReport
from mlebench.local import LocalCompetition
from mlebench.registry import Registry
from mlebench.sandbox.process import run_confined
from mlebench.versions import versions

AGENT = "baseline"
TIME_LIMIT = 300.0
# Each agent gets one thread, so that two agents on two cores do not get in each other's way.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class QuickstartRun:
    """One competition of the quickstart."""

    report: CompetitionReport
    name: str
    metric: str
    leaderboard: list[float]
    seconds: float
    problem: str | None
    folder: Path


@dataclass(frozen=True)
class QuickstartResult:
    """All of the quickstart."""

    runs: list[QuickstartRun]
    seed: int
    seconds: float
    isolation: str
    folder: Path

    def to_dict(self) -> dict[str, Any]:
        """The results as plain values, with what made them."""
        return {
            "agent": AGENT,
            "seed": self.seed,
            "seconds": round(self.seconds, 2),
            "isolation": self.isolation,
            "time_limit": TIME_LIMIT,
            "hardware": {"cores": os.cpu_count(), "machine": platform.machine(), "system": platform.system()},
            "versions": versions(),
            "runs": [
                run.report.to_dict() | {"seconds": round(run.seconds, 2), "problem": run.problem} for run in self.runs
            ],
        }


def run_quickstart(
    folder: Path, *, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> QuickstartResult:
    """Prepare the practice competitions below a folder, run the agent on each, grade, and save results.json."""
    start = time.monotonic()
    folder = writable_folder(folder)
    registry = Registry(folder / "data")
    competitions = [registry.get_competition(each) for each in registry.split("practice")]
    for competition in competitions:
        prepare(competition)
    done = 0

    def run(competition: LocalCompetition) -> tuple[QuickstartRun, str]:
        nonlocal done
        outcome = _run_one(competition, folder / "runs" / competition.id, seed)
        done += 1
        if progress is not None:
            progress(done, len(competitions))
        return outcome

    with ThreadPoolExecutor(max(1, min(os.cpu_count() or 1, len(competitions)))) as pool:
        outcomes = list(pool.map(run, competitions))
    runs = [run for run, _ in outcomes]
    result = QuickstartResult(runs, seed, time.monotonic() - start, outcomes[0][1], folder)
    write_json(folder / "results.json", result.to_dict())
    return result


def _run_one(competition: LocalCompetition, folder: Path, seed: int) -> tuple[QuickstartRun, str]:
    output = folder / "output"
    output.mkdir(parents=True, exist_ok=True)
    submission = output / "submission.csv"
    submission.unlink(missing_ok=True)  # a submission of an earlier run must not pass for this one's
    outcome = run_confined(
        [sys.executable, "-m", "mlebench.agents.baseline"],
        folder=folder,
        data=competition.public_dir,
        hidden=competition.private_dir,
        log=folder / "agent.log",
        environment={
            "COMPETITION_ID": competition.id,
            "DATA_DIR": str(competition.public_dir.resolve()),
            "SUBMISSION_DIR": str(output.resolve()),
            "CODE_DIR": str((folder / "code").resolve()),
            "SEED": str(seed),
            "TIME_LIMIT_SECS": str(int(TIME_LIMIT)),
            **_ONE_THREAD,
        },
        time_limit=TIME_LIMIT,
    )
    report = grade_csv(submission, competition)
    write_json(folder / "report.json", report.to_dict())
    standings = competition.human_leaderboard()
    run = QuickstartRun(
        report=report,
        name=competition.name,
        metric=competition.declaration.metric,
        leaderboard=list(standings.quantiles or ()) if standings else [],
        seconds=outcome.seconds,
        problem=outcome.problem,
        folder=folder,
    )
    return run, outcome.isolation
