"""Grading a run group: the collected submissions of its runs, and the snapshots that they left on the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mlebench.errors import MlebenchError
from mlebench.files.writing import write_json, write_whole
from mlebench.grade.batch import SubmissionLine, grade_lines
from mlebench.results.records import PlannedRun
from mlebench.runs.group import RunGroup

SNAPSHOTS_REPORT = "snapshots.json"


def grade_group(
    group: RunGroup, *, workers: int | None = None, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Grade all runs of a group that have ended; the grading report is written into the group's folder.

    A run without a submission gets a report that says so. Snapshots are graded too: `snapshots.json` has, for each run,
    the score after so many seconds.
    """
    ended = [planned for planned in group.record.plan if group.run_record(planned).has_ended]
    if not ended:
        raise MlebenchError(
            f"No run of {group.folder} has ended yet.", hint="`mlebench runs show` tells how they stand."
        )
    lines = [_line(group, number, planned) for number, planned in enumerate(ended, start=1)]
    registry = group.settings.registry
    report = grade_lines(lines, [], group.folder, registry, workers=workers, progress=progress)
    snapshots = [(planned, path) for planned in ended for path in _snapshots(group.folder_of(planned))]
    if snapshots:
        _grade_snapshots(group, snapshots)
    return report | {"not_ended": len(group.record.plan) - len(ended)}


def _line(group: RunGroup, number: int, planned: PlannedRun) -> SubmissionLine:
    path = group.folder_of(planned) / "submission" / "submission.csv"
    return SubmissionLine(number, planned.competition_id, path, planned.run_id, planned.seed)


def _snapshots(folder: Path) -> list[Path]:
    return sorted((folder / "snapshots").glob("*s/submission.csv"))


def _grade_snapshots(group: RunGroup, snapshots: list[tuple[PlannedRun, Path]]) -> None:
    from mlebench.grade.grading import grade_csv

    registry = group.settings.registry
    over_time: dict[str, list[dict[str, Any]]] = {}
    for planned, path in snapshots:
        report = grade_csv(path, registry.get_competition(planned.competition_id))
        entry = {"seconds": int(path.parent.name.rstrip("s")), "score": report.score, "medal": report.medal}
        over_time.setdefault(planned.run_id, []).append(entry)
    write_json(group.folder / SNAPSHOTS_REPORT, over_time)


def write_submission_list(group: RunGroup, path: Path) -> int:
    """Write the JSON lines that `mlebench grade --submission` takes, one per run that has ended; how many there are."""
    lines = []
    for planned in group.record.plan:
        if not group.run_record(planned).has_ended:
            continue
        folder = group.folder_of(planned).absolute()
        lines.append(
            {
                "competition_id": planned.competition_id,
                "submission_path": str(folder / "submission" / "submission.csv"),
                "logs_path": str(folder / "logs"),
                "code_path": str(folder / "code"),
                "run_id": planned.run_id,
                "seed": planned.seed,
            }
        )
    write_whole(path, "".join(json.dumps(line) + "\n" for line in lines))
    return len(lines)
