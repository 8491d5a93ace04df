"""What a run leaves behind: submission.csv, metrics.json and report.md."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .features import Features
    from .metrics import Metric
    from .modelling import Candidate, Solution
    from .task import Task

CODE_FOLDER = "baseline"  # below CODE_DIR; a folder named code would hide the module of that name
_LIBRARIES = ("numpy", "pandas", "pillow", "scikit-learn", "scipy")


@dataclass
class Run:
    """The state of a run, filled in as it goes.

    `failure` says why no model was trained, and `stand_in` what the submission then is.
    """

    seed: int
    time_limit: float
    cores: int = 1
    metric: Metric | None = None
    rows_test: int | None = None
    task: Task | None = None
    features: Features | None = None
    outcome: Solution | None = None
    failure: str | None = None
    stand_in: str = ""
    seconds: float = 0.0
    versions: dict[str, str] = field(default_factory=lambda: _versions())


def _versions() -> dict[str, str]:
    return {"python": platform.python_version()} | {name: version(name) for name in _LIBRARIES}


def write_metrics(path: Path, run: Run) -> None:
    """Write metrics.json: what was measured, for programs."""
    task, features, outcome, metric = run.task, run.features, run.outcome, run.metric
    values: dict[str, Any] = {
        "metric": metric.name if metric else None,
        "direction": ("lower" if metric.lower_is_better else "higher") if metric else None,
        "validation_score": outcome.chosen.score if outcome else None,
        "validation_method": outcome.method if outcome else None,
        "chosen_model": outcome.chosen.model if outcome else None,
        "candidates": [_candidate(candidate) for candidate in outcome.candidates] if outcome else [],
        "rows_train": len(task.train) if task else None,
        "rows_fitted": outcome.rows if outcome else None,
        "rows_test": run.rows_test,
        "features": features.train.shape[1] if features else None,
        "fallback": run.failure,
        "cores": run.cores,
        "seed": run.seed,
        "time_limit": run.time_limit,
        "seconds": round(run.seconds, 3),
        "versions": run.versions,
    }
    path.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "model": candidate.model,
        "validation_score": candidate.score,
        "spread": candidate.spread,
        "standard_error": candidate.error,
        "seconds": round(candidate.seconds, 3),
        "note": candidate.note,
    }


def result_line(run: Run, competition_id: str, folder: Path) -> str:
    """The last line of output: what a program that reads the log needs to know."""
    metric, outcome = run.metric, run.outcome
    left = [path for name in ("submission.csv", "metrics.json", "report.md") if (path := folder / name).is_file()]
    values = {
        "seed": run.seed,
        "runtime_seconds": round(run.seconds, 3),
        "peak_memory_mb": round(_peak_memory() / 2**20, 1),
        "artifacts": [
            {"path": path.name, "sha256": sha256(path.read_bytes()).hexdigest(), "bytes": path.stat().st_size}
            for path in left
        ],
        "tasks": [
            {
                "competition_id": competition_id or "unknown",
                "metric": metric.name if metric else "unknown",
                "score": outcome.chosen.score if outcome else None,
            }
        ],
        "replay": {"command": f"python3 {CODE_FOLDER}", "seed": run.seed},
        "fallback": run.failure,
    }
    return f"MLE_BENCH_LITE_RESULT={json.dumps(values)}"


def _peak_memory() -> int:
    """The most memory that this process has had, in bytes; 0 where that is not known."""
    try:
        import resource
    except ImportError:  # on Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def write_report(path: Path, run: Run) -> None:
    """Write report.md: what was done and why, for people."""
    parts = ["# Report of the baseline agent", *_result(run)]
    if run.task is not None:
        parts += ["## Task", *_task(run.task)]
    if run.features is not None:
        parts += ["## Preprocessing", *_features(run.features)]
    if run.metric is not None and run.outcome is not None:
        parts += ["## Model", *_models(run.metric, run.outcome), "## Decisions", _decisions(run.outcome)]
    names = ", ".join(f"{name} {number}" for name, number in run.versions.items())
    parts += ["## Reproduction", f"Seed {run.seed}; {run.seconds:.1f} seconds, {run.cores} cores; {names}."]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _result(run: Run) -> list[str]:
    if run.outcome is not None and run.metric is not None:
        chosen = run.outcome.chosen
        scored = f"{run.metric.name} {chosen.score:.5f} ± {chosen.spread:.5f}"
        return [f"The submission comes from this model: {chosen.model}. It reached {scored} by {run.outcome.method}."]
    fate = run.stand_in or "there is no submission, not even a copy of a sample"
    return [f"**Fallback.** {fate[:1].upper()}{fate[1:]}, because the task could not be solved: {run.failure}"]


def _task(task: Task) -> list[str]:
    better = "lower" if task.metric.lower_is_better else "higher"
    source = "named in the description" if task.metric_is_stated else "assumed, as the description names none I know"
    found = [
        f"The metric is {task.metric.name} ({source}); {better} is better.",
        f"{task.train_file} has {len(task.train)} rows, and {len(task.sample)} rows are to be predicted"
        + (f" from {task.test_file}." if task.test_file else ", for which there is no table."),
        f"Rows are identified by {', '.join(task.ids)}.",
    ]
    shown = [
        f"- `{problem.target}`: {problem.kind}"
        + (f", written as the probabilities {', '.join(problem.outputs[:10])}" if len(problem.outputs) > 1 else "")
        for problem in task.problems[:20]
    ]
    return [" ".join([*found, *task.notes]), "To predict:", "\n".join(shown)]


def _features(features: Features) -> list[str]:
    kept = features.train.shape[1]
    built = "\n".join(f"- {note}" for note in features.notes)
    return [built, f"{kept} features vary within the training rows and were used."]


def _models(metric: Metric, outcome: Solution) -> list[str]:
    rows = ["| model | score | spread over folds | seconds |", "|---|---|---|---|"]
    for candidate in outcome.candidates:
        score = (
            f"{candidate.score:.5f} | {candidate.spread:.5f}" if candidate.score is not None else f"{candidate.note} | "
        )
        rows.append(f"| {candidate.model} | {score} | {candidate.seconds:.1f} |")
    return [
        f"Each candidate was judged by its {metric.name} on rows that it had not seen ({outcome.method}), the same "
        f"for all; there are {outcome.rows} rows to learn from.",
        "\n".join(rows),
        f"Chosen: {outcome.chosen.model}." + "".join(f" {note}." for note in outcome.notes),
    ]


def _decisions(outcome: Solution) -> str:
    return (
        f"The {outcome.chosen.model} was chosen because of its score on rows held out: of the candidates within one "
        "standard error of the best score, it is the simplest. "
        "Having been chosen by this score, it may do slightly worse on new data. Models are small and were not tuned."
    )
