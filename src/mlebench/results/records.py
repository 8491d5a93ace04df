"""The records of run groups: what was run, under which conditions, how it ended, and what it left.

`run.json` in the folder of a run and `metadata.json` in the folder of its group are written whole or not at all, and
are all that resuming, grading and scoring need. docs/schemas/run.schema.json describes the first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from mlebench.base.versions import versions
from mlebench.competition.vocabulary import DEFAULT_EDITION, EDITIONS
from mlebench.errors import MlebenchError
from mlebench.files.hashing import sha256_of
from mlebench.files.writing import write_json

RUN_FILE, GROUP_FILE = "run.json", "metadata.json"

# How a run ended. `infrastructure` is our fault or the machine's, everything else the agent's doing or the user's.
Ended: TypeAlias = Literal["success", "failed", "timeout", "memory", "disk", "output", "infrastructure", "cancelled"]
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
    # timeout, memory, output, disk
    "time-limit",
    "memory-limit",
    "output-limit",
    "disk-limit",
    "filled-disk",  # it took all the room that the disk had, and other runs were in need of it
    # cancelled
    "cancelled",
    # infrastructure
    "not-prepared",  # the competition's data is not there, or has changed
    "sandbox-error",  # the sandbox does not work there, or cannot start the command
    "service-error",  # a service of the host cannot be opened
    "disk-full",  # the disk is full, and no run is known to have filled it
    "disk-filled-by-other-run",  # and another run has filled it
    "system-error",  # the operating system refused something
    "refused",  # anything else that mlebench refuses, with a reason
    "runner-lost",  # the process that executed the run is gone
    "internal-error",  # a mistake in mlebench
]
CODES: tuple[Code, ...] = get_args(Code)
_STATUSES = ("planned", "running", *ENDED)
MOST_OUTPUTS, LONGEST_PATH, MOST_ATTEMPTS = 1000, 240, 1000  # what a record lists of an agent's doing
_MOST = 1e18  # of an amount: bytes and seconds beyond it are nonsense, and not always floating-point numbers


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

    def save(self, folder: Path, *, room: Path | None = None) -> None:
        """Write run.json into the folder of the run; `room` is what was reserved for it."""
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / RUN_FILE, asdict(self), room=room)

    @classmethod
    def load(cls, folder: Path) -> RunRecord:
        """The record in the folder of a run."""
        path = folder / RUN_FILE
        values = _loaded(path, cls)
        if not _is_run(values):
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
        values = _loaded(folder / GROUP_FILE, cls)
        try:
            values["plan"] = tuple(PlannedRun(**each) for each in values["plan"])
            record = cls(**values)
        except (TypeError, KeyError) as error:
            raise _damaged(folder / GROUP_FILE) from error
        texts = (record.run_group, record.agent, *(each.run_id for each in record.plan))
        ids = (each.competition_id for each in record.plan)
        are_whole = all(_is_whole(each.seed) for each in record.plan)
        if not are_whole or not all(isinstance(each, str) for each in (*texts, *ids)):
            raise _damaged(folder / GROUP_FILE)
        folders = [planned.folder for planned in record.plan]
        if not all(map(_is_name, (record.run_group, *folders))) or len(set(folders)) < len(folders):
            raise _damaged(folder / GROUP_FILE)
        if not isinstance(record.settings, Mapping) or not isinstance(record.runs, Mapping):
            raise _damaged(folder / GROUP_FILE)
        if not isinstance(record.settings.get("data_dir", ""), str):
            raise _damaged(folder / GROUP_FILE)
        return record


def _loaded(path: Path, kind: type) -> dict[str, Any]:
    if not path.is_file():
        raise MlebenchError(f"There is no {path.name} in {path.parent}.", hint="Give the folder of a run group.")
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        known = {each.name for each in fields(kind)}
        if not isinstance(values, Mapping) or not values.keys() <= known:
            raise _damaged(path)
        return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    except (ValueError, RecursionError) as error:
        raise _damaged(path) from error


def _is_run(values: Mapping[str, Any]) -> bool:
    """Whether what others read of a run's record has its form; a record may come from anywhere."""
    texts = ("run_id", "run_group", "competition_id", "agent")
    objects = [
        values.get(name, {}) for name in ("limits", "usage", "hardware", "inputs", "outputs", "versions", "services")
    ]
    if not all(isinstance(values.get(name), str) for name in texts) or not _is_whole(values.get("seed")):
        return False
    if not all(isinstance(values.get(name, ""), str) for name in ("variant", "network")):
        return False
    if not all(isinstance(values.get(name), str | None) for name in ("code", "error", "executor", "node", "job_id")):
        return False
    if values.get("edition", DEFAULT_EDITION) not in EDITIONS or not isinstance(values.get("data"), str | None):
        return False
    if not all(isinstance(each, Mapping) for each in objects) or values.get("status", "planned") not in _STATUSES:
        return False
    limits, usage, hardware = objects[:3]
    amounts = [limits.get(name) for name in ("seconds", "memory_bytes", "cpus", "gpus")]
    amounts += [
        usage.get("seconds"),
        usage.get("peak_memory_bytes"),
        hardware.get("cpus"),
        hardware.get("memory_bytes"),
    ]
    gpus, code = hardware.get("gpus"), values.get("exit_code")
    return (
        all(each is None or _is_amount(each) for each in amounts)
        and (gpus is None or (isinstance(gpus, list) and all(isinstance(each, str) for each in gpus)))
        and (code is None or _is_whole(code))
    )


def _is_name(text: str) -> bool:
    """Whether a text names a folder, and not one that is elsewhere."""
    return bool(text) and text == Path(text).name and "\0" not in text


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_amount(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value <= _MOST


def _damaged(path: Path) -> MlebenchError:
    hint = None
    if path.name == RUN_FILE:
        hint = f"To have the run made again, move {path.parent} away and resume its group; the others stay as they are."
    return MlebenchError(f"{path} is damaged or was written by another version of mlebench.", hint=hint)


def hashes_below(folder: Path) -> dict[str, str]:
    """The sha256 of every regular file below a folder, by its path within it."""
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
