"""The quickstart: a run group of the built-in agent on the practice competitions, graded."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlebench.base import progress as told
from mlebench.base.versions import versions
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.files.writing import write_json
from mlebench.grade.report import CompetitionReport
from mlebench.results.events import RunState
from mlebench.results.records import RunRecord
from mlebench.results.trust import Named
from mlebench.runs.grading import grade_group
from mlebench.runs.group import PlannedGroup, create_group
from mlebench.runs.hardware import hardware
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Limits, choose_sandbox

AGENT = "baseline"
LIMITS = Limits(seconds=300.0, memory_bytes=8 << 30)


@dataclass(frozen=True)
class PracticeRun:
    """One competition of the quickstart: its run and its report."""

    record: RunRecord
    report: CompetitionReport
    name: str
    metric: str
    folder: Path

    @property
    def seconds(self) -> float:
        """How long the agent worked."""
        return float(self.record.usage.get("seconds", 0.0))

    @property
    def problem(self) -> str | None:
        """What went wrong, if anything did."""
        return self.report.refusal or self.record.error


@dataclass(frozen=True)
class PracticeResult:
    """All of the quickstart."""

    runs: list[PracticeRun]
    group: PlannedGroup
    seed: int
    seconds: float
    complete: bool

    @property
    def sandbox(self) -> str:
        """The sandbox that the agent ran in."""
        return self.group.settings.sandbox

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What that sandbox did not promise."""
        return self.runs[0].record.not_promised if self.runs else ()

    def to_dict(self) -> dict[str, Any]:
        """The results as plain values, with what made them."""
        return {
            "agent": AGENT,
            "seed": self.seed,
            "seconds": round(self.seconds, 2),
            "run_group": str(self.group.folder),
            "sandbox": self.sandbox,
            "not_promised": list(self.not_promised),
            "time_limit": LIMITS.seconds,
            "hardware": hardware(),
            "versions": versions(),
            "runs": [
                run.report.to_dict() | {"seconds": round(run.seconds, 2), "problem": run.problem} for run in self.runs
            ],
        }


def run_practice(
    folder: Path, *, seed: int = 0, sandbox: str = "auto", progress: Callable[[int, int], None] | None = None
) -> PracticeResult:
    """Prepare the practice competitions below a folder, run the agent on each, grade, and save results.json."""
    start = time.monotonic()
    registry = Registry((folder / "data").absolute())
    competitions = [registry.get_competition(each) for each in registry.split("practice")]
    for competition in competitions:
        prepare(competition)
    workers = max(1, min(os.cpu_count() or 1, len(competitions)))
    settings = RunSettings(
        agent=AGENT,
        data_dir=registry.data_dir,
        sandbox=choose_sandbox(sandbox).sandbox.name,
        limits=LIMITS,
        grace=5.0,
        threads=1,  # agents side by side do not get in each other's way
    )
    group = create_group(folder / "runs", [each.id for each in competitions], [seed], settings)
    done, listen = 0, told.listener() or (lambda _: None)

    def count(state: RunState) -> None:
        nonlocal done
        is_over = state.status != "running"
        listen(told.Step(state.planned.competition_id, None if is_over else "run", f"the agent {AGENT}"))
        if is_over:
            done += 1
            if progress is not None:
                progress(done, len(competitions))

    if progress is not None:
        progress(0, len(competitions))
    complete = run_group(group, workers=workers, on_state=count)
    ended = [planned for planned in group.record.plan if group.run_record(planned).has_ended]
    data = Named(data_dir=registry.data_dir)
    reports = grade_group(group.results(), named=data)["competition_reports"] if ended else []
    runs = []
    for planned, values in zip(ended, reports, strict=True):
        competition = registry.get_competition(planned.competition_id)
        runs.append(
            PracticeRun(
                record=group.run_record(planned),
                report=CompetitionReport.from_dict(values),
                name=competition.name,
                metric=competition.declaration.metric,
                folder=group.folder_of(planned),
            )
        )
    result = PracticeResult(runs, group, seed, time.monotonic() - start, complete)
    write_json(folder / "results.json", result.to_dict())
    return result
