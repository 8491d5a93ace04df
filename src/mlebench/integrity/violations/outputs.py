"""The files of a check: the published table and summary of the judge's answers, and violations.json."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlebench.base.wording import cell_text, plain
from mlebench.files.writing import get_timestamp, write_atomically, write_json
from mlebench.integrity.violations.check import Checked
from mlebench.integrity.violations.questions import PARTS, Question
from mlebench.integrity.violations.rules import Rule, Witness
from mlebench.results.names import VIOLATIONS_FILE


def write_outputs(folder: Path, checked: Sequence[Checked], questions: Sequence[Question]) -> dict[str, Path]:
    """Write all files into a folder, and for run groups violations.json into theirs; returns the paths by name."""
    folder.mkdir(parents=True, exist_ok=True)
    time = get_timestamp()
    paths = {
        "analysis": folder / f"analysis_{time}.csv",
        "summary": folder / f"analysis_summary_{time}.json",
        "violations": folder / VIOLATIONS_FILE,
    }
    rows = [_row(one, questions) for one in checked]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: cell_text("" if value is None else str(value)) for name, value in row.items()} for row in rows
    )
    write_atomically(paths["analysis"], text.getvalue())
    write_json(paths["summary"], _summary(rows))
    write_json(paths["violations"], {"submissions": [one.to_dict() for one in checked]})
    for group in dict.fromkeys(one.subject.group for one in checked if one.subject.group is not None):
        own = [one.to_dict() for one in checked if one.subject.group == group]
        write_json(group / VIOLATIONS_FILE, {"submissions": own})
    return paths


def _row(checked: Checked, questions: Sequence[Question]) -> dict[str, Any]:
    subject = checked.subject
    row: dict[str, Any] = {
        "competition_id": subject.competition_id,
        "logs_path": str(subject.logs_path or ""),
        "code_path": str(subject.code_path or ""),
    }
    found = {(one.part, one.question.id): one for one in checked.judgements}
    for part in PARTS:
        for question in questions:
            judged = found.get((part, question.id))
            words = None
            if judged is not None and judged.answer is not None:
                words = f"{judged.answer.value}: {judged.explanation}" if judged.explanation else judged.answer.value
            row[f"{part}_{question.id}"] = plain(words, 1000) if words else None
            row[f"{part}_{question.id}_binarized"] = judged.binarized if judged is not None else None
    for rule in Rule:
        row[f"evidence_{rule.value}"] = checked.said_by(Witness.EVIDENCE, rule)
    return row


def _summary(rows: Sequence[dict[str, Any]]) -> dict[str, float | None]:
    """The percentage of yes in each column of yes and no; null where nobody was asked or all is unclear."""
    summary: dict[str, float | None] = {}
    for name in rows[0]:
        if name.endswith("_binarized") or name.startswith("evidence_"):
            known = [bool(row[name]) for row in rows if row[name] is not None]
            summary[name] = 100.0 * sum(known) / len(known) if known else None
    return summary
