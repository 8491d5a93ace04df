"""Reports and graded run groups as other programs and mlebench leave them, written by tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mlebench.results.records import GroupRecord, PlannedRun, RunRecord, hashes_below

TIME = "2026-01-01T00:00:00+00:00"
MEDALS = {"gold": "gold_medal", "silver": "silver_medal", "bronze": "bronze_medal"}


def report(
    competition_id: str, medal: str | None = None, *, score: float | str | None = 0.5, **more: Any
) -> dict[str, Any]:
    """The 16 published fields; a score of None is an invalid submission."""
    values = {
        "competition_id": competition_id,
        "score": score,
        "gold_threshold": 0.9,
        "silver_threshold": 0.8,
        "bronze_threshold": 0.7,
        "median_threshold": 0.4,
        "any_medal": medal is not None,
        "gold_medal": medal == "gold",
        "silver_medal": medal == "silver",
        "bronze_medal": medal == "bronze",
        "above_median": medal is not None,
        "submission_exists": True,
        "valid_submission": score is not None,
        "is_lower_better": False,
        "created_at": "2026-01-01T00:00:00",
        "submission_path": f"/somewhere/{competition_id}/submission.csv",
    }
    return values | more


def write_grading_report(path: Path, reports: Iterable[Mapping[str, Any]]) -> Path:
    """A grading report as the published benchmark writes it, NaN tokens included."""
    listed = list(reports)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"total_runs": len(listed), "competition_reports": listed}), encoding="utf-8")
    return path


def medals(competition_ids: Sequence[str], chosen: str, **more: Any) -> list[dict[str, Any]]:
    """One report per competition; a letter each: g, s, b, or - for a valid submission, x for an invalid one."""
    colours = {"g": "gold", "s": "silver", "b": "bronze"}
    return [
        report(each, colours.get(letter), score=None if letter == "x" else 0.5, **more)
        for each, letter in zip(competition_ids, chosen, strict=True)
    ]


Left = Callable[[Path, RunRecord], Mapping[str, Any] | None]


def write_group(
    folder: Path,
    competition_ids: Sequence[str],
    seeds: Sequence[int] = (0,),
    *,
    agent: str = "tester",
    left: Left | None = None,
    report_of: Callable[[str, int], Mapping[str, Any]] | None = None,
    graded: bool = True,
    settings: Mapping[str, Any] | None = None,
    **more: Any,
) -> Path:
    """A run group that has ended.

    `left` writes what a run left and may change fields of its record; `report_of` gives fields of its report.
    """
    plan = tuple(
        PlannedRun(f"00000000-0000-4000-8000-{100 * seed + place:012d}-{folder.name}", each, seed)
        for seed in seeds
        for place, each in enumerate(competition_ids)
    )
    reports = []
    for planned in plan:
        place = folder / planned.folder
        for part in ("submission", "code", "logs"):
            (place / part).mkdir(parents=True)
        values: dict[str, Any] = {
            "status": "success",
            "exit_code": 0,
            "limits": {"seconds": 86400.0, "memory_bytes": 440 << 30},
            "usage": {"seconds": 8640.0, "peak_memory_bytes": 44 << 30, "measured_by": "sampling"},
            "hardware": {"cpus": 36, "machine": "x86_64", "gpus": []},
        }
        record = RunRecord(planned.run_id, folder.name, planned.competition_id, agent, planned.seed, **values | more)
        (place / "submission" / "submission.csv").write_text("id,target\n1,0\n", encoding="utf-8")
        changed = left(place, record) if left else None
        outputs = {
            f"{part}/{name}": each
            for part in ("submission", "code", "logs")
            for name, each in hashes_below(place / part).items()
        }
        has_submission = "submission/submission.csv" in outputs
        fields = {
            "outputs": outputs,
            "submission": "submission/submission.csv" if has_submission else None,
            **values,
            **more,
            **(changed or {}),
        }
        RunRecord(planned.run_id, folder.name, planned.competition_id, agent, planned.seed, **fields).save(place)
        entry = report(planned.competition_id, run_id=planned.run_id, seed=planned.seed)
        if not has_submission:
            entry |= {"submission_exists": False, "valid_submission": False, "score": None}
        reports.append(entry | dict(report_of(planned.competition_id, planned.seed) if report_of else {}))
    runs = {planned.folder: {"success": True} for planned in plan}
    GroupRecord(folder.name, TIME, agent, plan, dict(settings or {}), runs).save(folder)
    if graded:
        write_grading_report(folder / "2026-01-01T00-00-00-UTC_grading_report.json", reports)
    return folder
