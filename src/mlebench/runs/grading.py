"""Grading a run group: the collected submissions of its runs, and the snapshots that they left on the way."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from mlebench.competition.registry import Registry
from mlebench.data.changes import note_on_answers
from mlebench.data.record import DatasetRecord
from mlebench.errors import MlebenchError
from mlebench.files.writing import write_atomically, write_json
from mlebench.grade.batch import SubmissionLine, grade_lines
from mlebench.renaming.mapping import RenamingError
from mlebench.results.groups import RunGroup
from mlebench.results.names import SNAPSHOTS_FILE
from mlebench.results.runs import Run
from mlebench.results.trust import NOTHING_NAMED, Named, choose_data


def grade_group(
    group: RunGroup,
    *,
    named: Named = NOTHING_NAMED,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Grade all runs of a group that have ended; the grading report is written into the group's folder.

    A run without a submission gets a report that says so. Snapshots are graded too: `snapshots.json` has, for each run,
    the score after so many seconds. The answers are those of the data folder that the user has `named`, else of the
    one that the group was planned with, if it was planned here. `notes` of the result tell where that differs from what
    the runs were made on.
    """
    if group.record is None:
        raise MlebenchError(f"{group.folder} is one run.", hint="Give the folder of its run group.")
    ended = [run for run in group.runs if run.record.has_ended]
    if not ended:
        raise MlebenchError(
            f"No run of {group.folder} has ended yet.", hint="`mlebench runs show` tells how they stand."
        )
    chosen = choose_data(group.record, named)
    lines = [_line(group, number, run) for number, run in enumerate(ended, start=1)]
    report = grade_lines(lines, [], group.folder, chosen.registry, workers=workers, progress=progress)
    snapshots = [(run, seconds, path) for run in ended for seconds, path in run.snapshot_files]
    if snapshots:
        _grade_snapshots(group, snapshots, chosen.registry)
    notes = [*chosen.notes, *_other_data(ended, chosen.registry), *_older_answers(ended, chosen.registry)]
    return report | {"not_ended": len(group.runs) - len(ended), "notes": notes}


def _older_answers(runs: list[Run], registry: Registry) -> list[str]:
    """A sentence about each competition that its author has changed since its answers were made."""
    notes = []
    for competition_id in dict.fromkeys(run.record.competition_id for run in runs):
        with suppress(MlebenchError):  # grading has told what is wrong
            notes.append(note_on_answers(registry.get_competition(competition_id)))
    return [note for note in notes if note is not None]


def _other_data(runs: list[Run], registry: Registry) -> list[str]:
    """One sentence about the competitions whose public data is not what the agents of the runs were given."""
    given = {(run.record.competition_id, run.record.inputs.get("public")) for run in runs}
    other = set()
    for competition_id, fingerprint in given:
        with suppress(MlebenchError):  # grading has told what is wrong
            data = DatasetRecord.load(registry.get_competition(competition_id).prepared_dir)
            if data is not None and fingerprint and data.public_fingerprint not in (None, fingerprint):
                other.add(competition_id)
    if not other:
        return []
    listed = ", ".join(sorted(other)[:3]) + (f" and {len(other) - 3} more" if len(other) > 3 else "")
    return [f"The data in {registry.data_dir} is not what the agents were given, for {listed}."]


def _line(group: RunGroup, number: int, run: Run) -> SubmissionLine:
    record = run.record
    seed = None if group.is_published else record.seed  # the published runner records none
    # A link could lead to the answers: whatever is not a file that was collected is no submission.
    is_link = os.path.lexists(run.submission) and not run.has_submission
    path = Path() if is_link else run.submission.absolute()
    return SubmissionLine(
        number,
        record.competition_id,
        path,
        record.run_id,
        seed,
        renaming=None if record.renaming is None else run.renaming_file.absolute(),
        renaming_sha256=record.renaming,
    )


def _grade_snapshots(group: RunGroup, snapshots: list[tuple[Run, int, Path]], registry: Registry) -> None:
    from mlebench.grade.grading import grade_csv

    over_time: dict[str, list[dict[str, Any]]] = {}
    for run, seconds, path in snapshots:
        try:
            renaming = run.renaming
        except RenamingError:  # grading the run has said so
            continue
        report = grade_csv(path, registry.get_competition(run.record.competition_id), renaming=renaming)
        entry = {"seconds": seconds, "score": report.score, "medal": report.medal}
        over_time.setdefault(run.record.run_id, []).append(entry)
    write_json(group.folder / SNAPSHOTS_FILE, over_time)


def write_submission_list(group: RunGroup, path: Path) -> int:
    """Write the JSON lines that `mlebench grade --submission` takes, one per run that has ended; how many there are."""
    lines: list[dict[str, Any]] = []
    for run in group.runs:
        if not run.record.has_ended:
            continue
        lines.append(
            {
                "competition_id": run.record.competition_id,
                "submission_path": str(run.submission.absolute()),
                "logs_path": str(run.logs.absolute()),
                "code_path": str(run.code.absolute()),
                "run_id": run.record.run_id,
                **({} if group.is_published else {"seed": run.record.seed}),
                **({} if run.record.renaming is None else {"renaming_path": str(run.renaming_file.absolute())}),
            }
        )
    write_atomically(path, "".join(json.dumps(line) + "\n" for line in lines))
    return len(lines)
