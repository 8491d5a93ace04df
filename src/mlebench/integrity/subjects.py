"""What is checked: submissions with their code and logs, from run groups or from a list of a user."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlebench.base.wording import quote
from mlebench.errors import MlebenchError
from mlebench.files.regular import read_regular
from mlebench.results.groups import open_group, refuse_same_ids
from mlebench.results.runs import Run

_LARGEST = 64 << 20  # bytes of a list of submissions


@dataclass(frozen=True)
class Subject:
    """One submission: its competition, its logs and code, and its run where it is one of a group."""

    competition_id: str
    logs_path: Path | None
    code_path: Path | None
    submission: Path | None = None
    run: Run | None = None
    group: Path | None = None

    @property
    def name(self) -> str:
        """What messages and files call it."""
        if self.run is not None:
            return self.run.folder.name
        path = self.code_path or self.logs_path
        return "/".join([self.competition_id, *(path.parts[-2:] if path else ())])


def subjects_of(groups: Sequence[Path], listed: Path | None) -> list[Subject]:
    """The submissions of run groups, or of a JSONL file."""
    if bool(groups) == (listed is not None):
        raise MlebenchError("Say what to check.", hint="Give --run-group DIR (repeatable) or --submission FILE.jsonl.")
    if listed is not None:
        return read_list(listed)
    opened = [open_group(path) for path in groups]
    refuse_same_ids(opened)
    return [
        Subject(
            run.record.competition_id,
            run.logs if run.logs.exists() and any(run.logs.iterdir()) else run.agent_log,
            run.code,
            run.submission if run.has_submission else None,
            run,
            group.folder,
        )
        for group in opened
        for run in group.runs
        if run.record.has_ended
    ]


def read_list(path: Path) -> list[Subject]:
    """The submissions in a JSONL file, whose paths are relative to the current folder, or else to the file."""
    try:
        text = read_regular(path, _LARGEST, follow=True).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MlebenchError(f"{path} is not UTF-8 text.") from error
    except OSError as error:
        raise MlebenchError(f"{path} cannot be read: {error.strerror}.") from error
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            found.append(_subject(line, path, number))
    if not found:
        raise MlebenchError(f"{path} names no submission.", hint="Write one JSON object per line.")
    return found


def _subject(line: str, path: Path, number: int) -> Subject:
    hint = "A line is a JSON object with competition_id, logs_path and code_path."
    try:
        values: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise MlebenchError(f"{path}:{number} is not valid JSON.", hint=hint) from error
    if not isinstance(values, dict) or not isinstance(values.get("competition_id"), str):
        raise MlebenchError(f"{path}:{number} has no competition_id.", hint=hint)
    paths: list[Path | None] = []
    for name in ("logs_path", "code_path", "submission_path"):
        value = values.get(name)
        if value is not None and not isinstance(value, str):
            raise MlebenchError(f"{path}:{number}: {name} is {quote(value)}, not a text.", hint=hint)
        paths.append(_found(value, path.parent) if value else None)
    if paths[0] is None and paths[1] is None:
        raise MlebenchError(f"{path}:{number} has neither logs_path nor code_path.", hint=hint)
    return Subject(values["competition_id"], paths[0], paths[1], paths[2])


def _found(text: str, folder: Path) -> Path:
    path = Path(text)
    beside = folder / path
    return beside if not path.is_absolute() and not path.exists() and beside.exists() else path
