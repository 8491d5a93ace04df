"""The files of a comparison: one JSONL file per submission, and plagiarism.json."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from mlebench.files.writing import to_json, write_atomically, write_json
from mlebench.integrity.plagiarism.check import Compared
from mlebench.results.names import PLAGIARISM_FILE


def write_outputs(folder: Path, compared: Sequence[Compared]) -> Path:
    """Write all files into a folder, and for run groups plagiarism.json into theirs; returns that of the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    for place, one in enumerate(compared, start=1):
        name = re.sub(r"[^\w.-]+", "_", one.subject.name)[:150].strip(".") or "submission"
        name = name if name not in taken else f"{name}_{place}"
        taken.add(name)
        text = "".join(f"{to_json(line, indent=None)}\n" for line in one.lines())
        write_atomically(folder / f"{name}.jsonl", text)
    path = folder / PLAGIARISM_FILE
    write_json(path, {"submissions": [one.to_dict() for one in compared]})
    for group in dict.fromkeys(one.subject.group for one in compared if one.subject.group is not None):
        own = [one.to_dict() for one in compared if one.subject.group == group]
        write_json(group / PLAGIARISM_FILE, {"submissions": own})
    return path
