"""The folder that a submission to the published leaderboard wants."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlebench.agents.disclosure import FIELDS
from mlebench.analysis.aggregate import Aggregation
from mlebench.analysis.leaderboards import Row, as_markdown
from mlebench.base.wording import cell_text
from mlebench.errors import MlebenchError
from mlebench.files.regular import is_regular, open_regular
from mlebench.files.writing import write_atomically, write_json
from mlebench.results.names import DISCLOSURE_JSON, EXPERIMENTS_FILE, GROUP_FILE, RUN_FILE
from mlebench.results.sources import Reports


def export(
    folder: Path, experiment_id: str, source: Reports, row: Row, result: Aggregation, disclosed: dict[str, Any]
) -> list[Path]:
    """Write the folder: grading reports, the list of the experiment's groups, the row, the disclosure, the numbers."""
    if row.missing:
        raise MlebenchError(f"The row is not complete. It lacks: {'; '.join(row.missing)}.")
    if folder.exists() and any(folder.iterdir()):
        raise MlebenchError(f"The folder {folder} is not empty.", hint="Choose another one with --output-dir.")
    written = _reports(folder / "runs", source)
    rows = [(experiment_id, path.parent.name) for path in written]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        [("experiment_id", "run_group"), *((cell_text(name), cell_text(group)) for name, group in dict.fromkeys(rows))]
    )
    texts = {
        folder / "runs" / EXPERIMENTS_FILE: text.getvalue(),
        folder / "row.md": as_markdown([row]),
        folder / "README.md": _readme(experiment_id, row, disclosed),
    }
    for path, content in texts.items():
        write_atomically(path, content)
    values = {DISCLOSURE_JSON: disclosed, "aggregate.json": result.to_dict()}
    for name, value in values.items():
        write_json(folder / name, value)
    return [*written, *texts, *(folder / name for name in values)]


def _reports(runs: Path, source: Reports) -> list[Path]:
    """Copy the grading reports, each into the folder of its run group."""
    written = []
    for group in source.groups:
        graded = group.reports.path
        if graded is None:
            raise MlebenchError(f"{group.folder} has no grading report.")
        written.append(_copied(graded, runs / group.name))
        if group.record is not None:
            _copied(group.folder / GROUP_FILE, runs / group.name)
        for run in group.runs:
            if is_regular(run.folder / RUN_FILE):  # the published runner writes none
                _copied(run.folder / RUN_FILE, runs / group.name / run.folder.resolve().name)
    of_groups = {run.report.path for run in source.runs if run.report}
    others: Sequence[Path] = sorted({report.path for report in source.reports} - of_groups)
    digits = len(str(len(others)))  # names in the order of the reports, which decides about seeds
    for number, path in enumerate(others, start=1):
        written.append(_copied(path, runs / f"run-group-{number:0{digits}d}"))
    return written


def _copied(path: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / path.name
    with open_regular(path) as file, copy.open("wb") as target:
        shutil.copyfileobj(file, target)
    return copy


def _readme(experiment_id: str, row: Row, disclosed: dict[str, Any]) -> str:
    lines = [f"# {row.agent}: {experiment_id}", "", as_markdown([row])]
    lines += [f"- {name}: {disclosed[name]} ({FIELDS[name][1]})" for name in FIELDS if name in disclosed]
    lines += [
        "",
        "`runs/` has the grading reports of the run groups, `runs/run_group_experiments.csv` lists these groups, and",
        "`aggregate.json` has the numbers behind the row.",
        "",
    ]
    return "\n".join(lines)
