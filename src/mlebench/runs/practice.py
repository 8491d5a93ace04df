"""The quickstart: a run group of the built-in agent on the practice competitions, graded."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mlebench.base.capacity import available_cores
from mlebench.base.progress import Step, listener
from mlebench.base.versions import versions
from mlebench.competition.registry import Registry
from mlebench.files.writing import write_json
from mlebench.grade.report import CompetitionReport
from mlebench.results.events import RunState
from mlebench.results.records import RunRecord
from mlebench.runs.grading import grade_group
from mlebench.runs.group import PlannedGroup
from mlebench.runs.hardware import hardware
from mlebench.runs.options import RunOptions
from mlebench.runs.planning import plan_group, prepare_missing
from mlebench.runs.running import run_group

AGENT = "baseline"
TIME_LIMIT = 300.0  # seconds
MEMORY_LIMIT = 8 << 30  # bytes


@dataclass(frozen=True)
class PracticeRun:
    """One competition of the quickstart: its run and its report, or why there is none."""

    record: RunRecord
    report: CompetitionReport | None
    name: str
    metric: str
    folder: Path
    not_graded: str | None = None

    @property
    def is_valid(self) -> bool:
        """Whether it left a submission that could be graded."""
        return self.report is not None and self.report.valid_submission

    @property
    def has_medal(self) -> bool:
        """Whether it earned a medal."""
        return self.report is not None and self.report.any_medal

    @property
    def seconds(self) -> float:
        """How long the agent worked."""
        return float(self.record.usage.get("seconds", 0.0))

    @property
    def problem(self) -> str | None:
        """What went wrong, if anything did."""
        return self.not_graded or (self.report.refusal if self.report else None) or self.record.error

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, with how long the agent worked and what went wrong."""
        report = {"competition_id": self.record.competition_id} if self.report is None else self.report.to_dict()
        return report | {"seconds": round(self.seconds, 2), "problem": self.problem}


@dataclass(frozen=True)
class PracticeResult:
    """All of the quickstart."""

    runs: list[PracticeRun]
    group: PlannedGroup
    seed: int
    seconds: float
    complete: bool

    @property
    def is_graded(self) -> bool:
        """Whether there is a report of every run that has ended, and of one at least."""
        return bool(self.runs) and all(run.report is not None for run in self.runs)

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
            "time_limit": TIME_LIMIT,
            "hardware": hardware(),
            "versions": versions(),
            "runs": [run.to_dict() for run in self.runs],
        }


def run_practice(
    folder: Path, *, seed: int = 0, sandbox: str = "auto", progress: Callable[[int, int], None] | None = None
) -> PracticeResult:
    """Prepare the practice competitions below a folder, run the agent on each, grade, and save results.json."""
    start = time.monotonic()
    registry = Registry((folder / "data").absolute())
    competitions = [registry.get_competition(competition_id) for competition_id in registry.split("practice")]
    workers = max(1, min(available_cores(), len(competitions)))
    options = RunOptions(
        agent=AGENT, seed=seed, workers=workers, sandbox=sandbox, time_limit=TIME_LIMIT, memory_limit=MEMORY_LIMIT
    )
    plan = plan_group(options, registry, competitions)
    plan = replace(plan, settings=replace(plan.settings, grace=5.0, threads=1))  # several agents on few cores
    prepare_missing(plan)
    group = plan.create(folder / "runs")
    done, listen = 0, listener() or (lambda _: None)

    def count(state: RunState) -> None:
        nonlocal done
        is_over = state.status != "running"
        listen(Step(state.planned.competition_id, None if is_over else "run", f"the agent {AGENT}"))
        if is_over:
            done += 1
            if progress is not None:
                progress(done, len(competitions))

    if progress is not None:
        progress(0, len(competitions))
    complete = run_group(group, workers=workers, on_state=count)
    ended = [planned for planned in group.record.plan if group.run_record(planned).has_ended]
    graded = (
        grade_group(group.results(), named=group.settings.places)
        if ended
        else {"competition_reports": [], "errors": []}
    )
    reports = {values["run_id"]: CompetitionReport.from_dict(values) for values in graded["competition_reports"]}
    errors = {ended[error["line"] - 1].run_id: error["reason"] for error in graded["errors"]}
    runs = []
    for planned in ended:
        competition = registry.get_competition(planned.competition_id)
        runs.append(
            PracticeRun(
                record=group.run_record(planned),
                report=reports.get(planned.run_id),
                name=competition.name,
                metric=competition.metric,
                folder=group.folder_of(planned),
                not_graded=errors.get(planned.run_id),
            )
        )
    result = PracticeResult(runs, group, seed, time.monotonic() - start, complete)
    write_json(folder / "results.json", result.to_dict())
    return result
