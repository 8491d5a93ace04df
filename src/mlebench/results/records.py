"""The records of run groups: what was run, under which conditions, how it ended, and what it left.

`run.json` in the folder of a run and `metadata.json` in the folder of its group are written whole or not at all, and
are all that resuming, grading and scoring need. docs/schemas/run.schema.json describes the first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from mlebench.base.versions import versions
from mlebench.competition.vocabulary import DEFAULT_EDITION
from mlebench.errors import MlebenchError
from mlebench.files.hashing import sha256_of
from mlebench.files.regular import is_folder, is_regular, read_regular
from mlebench.files.writing import write_json
from mlebench.results.forms import is_name, is_object, is_run_record, is_whole
from mlebench.results.names import GROUP_FILE, RUN_FILE, SUBMISSION
from mlebench.results.published import is_published_record, published_fields

# How a run ended. `infrastructure` is our fault or the machine's, everything else the agent's doing or the user's.
Ended: TypeAlias = Literal["success", "failed", "timeout", "memory", "disk", "output", "infrastructure", "cancelled"]
Status: TypeAlias = Literal["planned", "running"] | Ended
ENDED: tuple[Ended, ...] = get_args(Ended)
_STATUSES = ("planned", "running", *ENDED)
_LARGEST = 32 << 20  # bytes of a record that is read; one of 100,000 collected files has half of that


@dataclass(frozen=True)
class RunRecord:
    """Everything known about one run, as it is written to run.json."""

    run_id: str
    run_group: str
    competition_id: str
    agent: str
    seed: int
    status: Status = "planned"
    error: str | None = None
    attempt: int = 0
    exit_code: int | None = None
    created_at: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    edition: str = DEFAULT_EDITION
    data: str | None = None
    variant: str = "published"
    obfuscated: bool = False
    sandbox: str | None = None
    promised: tuple[str, ...] = ()
    not_promised: tuple[str, ...] = ()
    network: str = "none"
    network_attempts: tuple[dict[str, Any], ...] = ()
    network_attempts_seen_by: str = "nothing"
    limits: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    hardware: dict[str, Any] = field(default_factory=dict)
    deviations: tuple[str, ...] = ()
    image: str | None = None
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    submission: str | None = None
    sample_handed_in: bool = False
    identity: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def has_ended(self) -> bool:
        """Whether the run is over, however it ended."""
        return self.status in ENDED

    @property
    def is_complete(self) -> bool:
        """Whether the run is over and need not be made again: one that was cancelled has no result."""
        return self.has_ended and self.status != "cancelled"

    @property
    def has_conditions(self) -> bool:
        """Whether the conditions of the run are recorded: not of one that was only planned, nor of a published one."""
        return bool(self.started_at or self.limits)

    def save(self, folder: Path, *, room: Path | None = None) -> None:
        """Write run.json into the folder of the run; `room` is what was reserved for it."""
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / RUN_FILE, asdict(self), room=room)

    @classmethod
    def load(cls, folder: Path) -> RunRecord:
        """The record in the folder of a run."""
        path = folder / RUN_FILE
        values = _known(_read(path), path, cls)
        if not is_run_record(values, _STATUSES):
            raise _damaged(path)
        try:
            return cls(**{"versions": {}, **values})  # what is not recorded is not taken from here
        except TypeError as error:
            raise _damaged(path) from error


@dataclass(frozen=True)
class PlannedRun:
    """One run of a group: its folder is named after the competition and the run's id."""

    run_id: str
    competition_id: str
    seed: int

    @property
    def folder(self) -> str:
        """The name of the run's folder within its group."""
        return f"{self.competition_id}_{self.run_id}"


@dataclass(frozen=True)
class GroupRecord:
    """A group of runs: one agent on competitions times seeds. `runs` has the published form {folder: {success}}."""

    run_group: str
    created_at: str
    agent: str
    plan: tuple[PlannedRun, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def is_published(self) -> bool:
        """Whether the published run_agent.py made the group: it records no plan, no settings and no versions."""
        return not self.versions

    def record_of(self, planned: PlannedRun, *, has_submission: bool = False) -> RunRecord:
        """The record of one run that has none of its own: what is known of it by its plan.

        Whether it `has_submission` is seen in its folder, where nothing else says so.
        """
        record = RunRecord(planned.run_id, self.run_group, planned.competition_id, self.agent, planned.seed)
        if not self.is_published:
            return record
        # All runs have ended when the published runner writes the record of the group.
        has_succeeded = self.runs.get(planned.folder, {}).get("success") is True
        error = None if has_succeeded else "The record of the run group says that the run did not succeed."
        status: Status = "success" if has_succeeded else "failed"
        submission = SUBMISSION if has_submission else None
        return replace(
            record, status=status, error=error, created_at=self.created_at, submission=submission, versions={}
        )

    def with_result(self, planned: PlannedRun, record: RunRecord) -> GroupRecord:
        """The same with the result of one run noted."""
        result = {"success": record.submission is not None, "status": record.status, "seed": record.seed}
        return replace(self, runs={**self.runs, planned.folder: result})

    def save(self, folder: Path) -> None:
        """Write metadata.json into the folder of the group."""
        write_json(folder / GROUP_FILE, asdict(self))

    @classmethod
    def load(cls, folder: Path) -> GroupRecord:
        """The record in the folder of a group."""
        path = folder / GROUP_FILE
        values = _read(path)
        try:
            if is_published_record(values):
                found = published_fields(values, path.resolve().parent.name)
                record = cls(**{**found, "plan": tuple(PlannedRun(*planned) for planned in found["plan"])})
            else:
                values = _known(values, path, cls)
                record = cls(**{**values, "plan": tuple(PlannedRun(**planned) for planned in values["plan"])})
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise _damaged(path) from error
        texts = (record.run_group, record.agent, record.created_at)
        ids = [text for planned in record.plan for text in (planned.run_id, planned.competition_id)]
        if not all(isinstance(text, str) for text in (*texts, *ids)):
            raise _damaged(path)
        folders = [planned.folder for planned in record.plan]
        if not all(map(is_name, (record.run_group, *folders))) or len(set(folders)) < len(folders):
            raise _damaged(path)
        if not all(map(is_object, (record.settings, record.runs, record.versions))):
            raise _damaged(path)
        if not all(is_whole(planned.seed) for planned in record.plan):
            raise _damaged(path)
        if not all(map(is_object, record.runs.values())):
            raise _damaged(path)
        if not isinstance(record.settings.get("data_dir", ""), str):
            raise _damaged(path)
        return record


def load_run(folder: Path, group: GroupRecord, planned: PlannedRun) -> RunRecord:
    """What is known about a run of a group, which is in a folder: its own record, or else what the group knows."""
    if os.path.lexists(folder / RUN_FILE):
        return RunRecord.load(folder)
    return group.record_of(planned, has_submission=is_regular(folder / SUBMISSION))


def read_group_file(folder: Path) -> Mapping[str, Any]:
    """The content of metadata.json in a folder, unchecked; an empty one where there is none that can be read."""
    try:
        return _read(folder / GROUP_FILE)
    except MlebenchError:
        return {}


def _read(path: Path) -> Mapping[str, Any]:
    try:
        values = json.loads(read_regular(path, _LARGEST).decode("utf-8"))
    except FileNotFoundError as error:
        raise MlebenchError(
            f"There is no {path.name} in {path.parent}.", hint="Give the folder of a run group."
        ) from error
    except OSError as error:
        raise MlebenchError(f"{path} cannot be read: {error.strerror}.", hint=_hint(path)) from error
    except (ValueError, RecursionError) as error:
        raise _damaged(path) from error
    if not isinstance(values, Mapping):
        raise _damaged(path)
    return values


def _known(values: Mapping[str, Any], path: Path, kind: type) -> dict[str, Any]:
    """The values by the names of a record's fields; lists become tuples, and a field that is unknown is refused."""
    if not values.keys() <= {field.name for field in fields(kind)}:
        raise _damaged(path)
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def _damaged(path: Path) -> MlebenchError:
    return MlebenchError(f"{path} is damaged or was written by another version of mlebench.", hint=_hint(path))


def _hint(path: Path) -> str | None:
    if path.name != RUN_FILE:
        return None
    return f"To have the run made again, move {path.parent} away and resume its group; the others stay as they are."


def hashes_below(folder: Path) -> dict[str, str]:
    """The sha256 of every regular file below a folder, by its path within it; nothing if the folder is a link."""
    if not is_folder(folder):
        return {}
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in files}
