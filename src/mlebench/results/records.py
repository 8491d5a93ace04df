"""The records of run groups: what was run, under which conditions, how it ended, and what it left.

`run.json` in the folder of a run and `metadata.json` in the folder of its group are written whole or not at all, and
are all that resuming, grading and scoring need. docs/schemas/run.schema.json describes the first.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from mlebench.base.versions import versions
from mlebench.competition.vocabulary import DEFAULT_EDITION
from mlebench.errors import MlebenchError
from mlebench.files.hashing import sha256_of
from mlebench.files.regular import is_folder, is_regular, read_regular
from mlebench.files.writing import write_json
from mlebench.results.forms import is_integer, is_name, is_object, is_run_record
from mlebench.results.names import GROUP_FILE, RUN_FILE, SUBMISSION
from mlebench.results.published_record import is_published_record, published_fields

# How a run ended. `infrastructure` is our fault or the machine's, everything else the agent's doing or the user's.
Ended: TypeAlias = Literal[
    "success", "failed", "timeout", "memory", "disk", "output", "budget", "infrastructure", "cancelled"
]
Status: TypeAlias = Literal["planned", "running"] | Ended
ENDED: tuple[Ended, ...] = get_args(Ended)
# Why a run ended as it did, for programs; `error` says it to people. Codes are never renamed or given a new meaning.
Code: TypeAlias = Literal[
    # failed
    "exit-code",  # the agent ended with an exit code other than 0
    "no-submission",  # it left none
    "submission-unreadable",  # what it left is a link, a pipe, too large, …
    "process-limit",  # it started more processes than allowed
    "agent-error",  # it cannot be started: a secret is not set, its environment cannot be built, …
    # timeout, memory, output, disk, budget
    "time-limit",
    "memory-limit",
    "output-limit",
    "disk-limit",
    "filled-disk",  # it took all the room that the disk had, and other runs were in need of it
    "model-budget",  # it has spent what it may of models: tokens, dollars or calls
    # cancelled
    "cancelled",
    # infrastructure
    "not-prepared",  # the competition's data is not there, or has changed
    "sandbox-error",  # the sandbox does not work there, or cannot start the command
    "service-error",  # a service of the host cannot be opened
    "model-endpoint",  # the models that it was to use stayed out of reach
    "disk-full",  # the disk is full, and no run is known to have filled it
    "disk-filled-by-other-run",  # and another run has filled it
    "system-error",  # the operating system refused something
    "refused",  # anything else that mlebench refuses, with a reason
    "runner-lost",  # the process that executed the run is gone
    "node-lost",  # and so is the machine that it was on
    "preempted",  # a cluster took the machine away from the run
    "job-time-limit",  # a cluster ended the job before the run had used its own time
    "version-mismatch",  # the machine that was to execute it has another version of mlebench or Python
    "internal-error",  # a mistake in mlebench
]
CODES: tuple[Code, ...] = get_args(Code)
_STATUSES = ("planned", "running", *ENDED)
MOST_OUTPUTS, LONGEST_PATH, MOST_ATTEMPTS = 1000, 240, 1000  # what a record lists of an agent's doing
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
    code: str | None = None
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
    renaming: str | None = None
    executor: str | None = None
    node: str | None = None
    job_id: str | None = None
    sandbox: str | None = None
    promised: tuple[str, ...] = ()
    not_promised: tuple[str, ...] = ()
    network: str = "none"
    network_attempts: tuple[dict[str, Any], ...] = ()
    network_attempts_seen_by: str = "nothing"
    network_attempts_not_listed: int = 0
    services: dict[str, Any] = field(default_factory=dict)
    model_usage: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    hardware: dict[str, Any] = field(default_factory=dict)
    deviations: tuple[str, ...] = ()
    image: str | None = None
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    outputs_not_listed: int = 0
    output_digests: dict[str, str] = field(default_factory=dict)
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
        write_json(folder / RUN_FILE, self.to_dict(), room=room)

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values, which it has already: nothing is copied."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

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
        if not all(is_integer(planned.seed) for planned in record.plan):
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


@dataclass(frozen=True)
class Outputs:
    """The files that a run left: the hashes of those that a record lists, and what it tells about the others.

    `digests` has, for each part (submission, code, logs), one hash over the names and hashes of all its files.
    """

    listed: dict[str, str]
    not_listed: int
    digests: dict[str, str]


def outputs_below(
    folder: Path, parts: Sequence[str], *, most: int = MOST_OUTPUTS, longest: int = LONGEST_PATH
) -> Outputs:
    """The files below some parts of a folder, the most important part first.

    An agent decides on names and numbers: at most `most` files are listed, and none with a path beyond `longest`.
    """
    listed: dict[str, str] = {}
    digests: dict[str, str] = {}
    left_out = 0
    for part in parts:
        found = hashes_below(folder / part)
        digests[part] = digest_of(found)
        for name, sha256 in found.items():
            if len(listed) < most and len(f"{part}/{name}") <= longest:
                listed[f"{part}/{name}"] = sha256
            else:
                left_out += 1
    return Outputs(listed, left_out, digests)


def digest_of(hashes: Mapping[str, str]) -> str:
    """One hash over names of files and the hashes of their contents."""
    lines = (f"{sha256}  {name}\n" for name, sha256 in sorted(hashes.items()))
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
