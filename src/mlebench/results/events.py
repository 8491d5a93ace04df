"""Reading what happens in runs: the event log of each, and where all runs of a group stand.

`events.jsonl` in the folder of a run has one JSON object per line: `seq`, `time`, `kind`, and what the kind has. It can
be read while it grows, from any process and without a lock; a last line that is not whole yet is left for later, and a
damaged one is passed over.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from mlebench.errors import MlebenchError
from mlebench.files.regular import is_folder, is_regular, open_regular
from mlebench.results.groups import RunGroup
from mlebench.results.model_usage import ModelUsage, counted_usage, usage_from
from mlebench.results.names import AGENT_LOG, EVENTS_FILE, RUN_FILE, SUBMISSION
from mlebench.results.records import ENDED, GroupRecord, PlannedRun, RunRecord

Kind: TypeAlias = Literal["state", "usage", "snapshot", "service", "dropped"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Where a run stands between its plan and its end; a state event has one of these or the status of an end.
Phase: TypeAlias = Literal["queued", "preparing", "waiting", "running", "collecting"]
PHASES: tuple[Phase, ...] = get_args(Phase)
_BLOCK = 1 << 20
_LONGEST_LINE = 1 << 16
_LARGEST_COUNT = 10**15


@dataclass(frozen=True)
class Event:
    """One line of an event log."""

    seq: int
    time: datetime
    kind: str
    values: Mapping[str, Any] = field(default_factory=dict)


class EventReader:
    """Reads an event log bit by bit; each call of `new` gives what was appended since the last one."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / EVENTS_FILE
        self._at = 0
        self._file: tuple[int, int] | None = None

    def new(self) -> list[Event]:
        """The events that were appended since the last call; all of them if the log was replaced."""
        try:
            found = os.lstat(self._path)
        except OSError:
            return []
        if not stat.S_ISREG(found.st_mode):  # a group may come from anywhere: a pipe would block
            return []
        if self._file != (found.st_dev, found.st_ino) or found.st_size < self._at:
            self._file, self._at = (found.st_dev, found.st_ino), 0
        if found.st_size == self._at:
            return []
        try:
            return list(self._events())
        except OSError:  # gone, or exchanged, since
            return []

    def _events(self) -> Iterator[Event]:
        with open_regular(self._path) as file:
            file.seek(self._at)
            rest = b""
            while block := file.read(_BLOCK):
                *lines, rest = (rest + block).split(b"\n")
                for line in lines:
                    self._at += len(line) + 1
                    if (event := parse_event(line)) is not None:
                        yield event
                if len(rest) > _LONGEST_LINE:  # none of ours: begin again behind it
                    self._at += len(rest)
                    rest = b""


def parse_event(line: bytes) -> Event | None:
    """The event of a line, or None for one that is damaged."""
    try:
        values = json.loads(line) if len(line) <= _LONGEST_LINE else None
        if not isinstance(values, dict):
            return None
        seq, kind, time = values.pop("seq"), values.pop("kind"), datetime.fromisoformat(values.pop("time"))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(seq, int) or not isinstance(kind, str):
        return None
    return Event(seq, time if time.tzinfo else time.replace(tzinfo=UTC), kind, values)


def read_events(folder: Path) -> list[Event]:
    """All events of a run so far; none where it has no event log."""
    return EventReader(folder).new()


@dataclass(frozen=True)
class RunState:
    """Where one run stands: a line of a live table.

    `status` is that of the record, and `phase` tells more of a run that has begun and not ended. `waiting_for` says
    what it waits for; `last_sign` is when its runner last gave a sign of life. `has_submission` is known of a run that
    has ended; `submission_so_far` says of one under way whether there was a submission when its use was last measured.
    `model_usage` is what it has used of models, so far or in all, where its agent has a gateway.
    """

    planned: PlannedRun
    status: str = "planned"
    seconds: float | None = None
    memory_bytes: int | None = None
    last_line: str = ""
    has_submission: bool | None = None
    sample_handed_in: bool = False
    phase: str | None = None
    waiting_for: str | None = None
    node: str | None = None
    last_sign: datetime | None = None
    code: str | None = None
    submission_so_far: bool | None = None
    model_usage: ModelUsage | None = None

    def to_dict(self) -> dict[str, Any]:
        """The state as plain values, without what it does not say."""
        has_ended = self.has_submission is not None
        values = {
            "run_id": self.planned.run_id,
            "competition_id": self.planned.competition_id,
            "seed": self.planned.seed,
            "status": self.status,
            "phase": self.phase,
            "waiting_for": self.waiting_for,
            "node": self.node,
            "last_sign": None if self.last_sign is None else self.last_sign.isoformat(timespec="milliseconds"),
            "seconds": None if self.seconds is None else round(self.seconds, 2),
            "memory_bytes": self.memory_bytes,
            "submission": self.has_submission,
            "submission_so_far": None if has_ended else self.submission_so_far,
            "sample_handed_in": self.sample_handed_in or None,
            "model_usage": None if self.model_usage is None else self.model_usage.to_dict(),
            "code": self.code if has_ended else None,
            "error": self.last_line or None if has_ended else None,
        }
        return {name: value for name, value in values.items() if value is not None}


def ended_state(planned: PlannedRun, record: RunRecord) -> RunState:
    """The state that the record of a run tells."""
    return RunState(
        planned,
        record.status,
        record.usage.get("seconds"),
        record.usage.get("peak_memory_bytes"),
        record.error or "",
        record.submission is not None if record.has_ended else None,
        record.sample_handed_in,
        node=record.node,
        code=record.code,
        model_usage=counted_usage(record),
    )


def after_event(state: RunState, event: Event) -> RunState:
    """The state of a run after one more event."""
    values = event.values
    state = replace(state, last_sign=event.time)
    if event.kind == "usage":
        so_far = values.get("submission")
        return replace(
            state,
            seconds=_number(values.get("seconds")),
            memory_bytes=_whole_number(values.get("memory")),
            submission_so_far=so_far if isinstance(so_far, bool) else state.submission_so_far,
        )
    if event.kind == "service" and values.get("what") in ("usage", "usage_so_far"):
        return replace(state, model_usage=_model_usage(values) or state.model_usage)
    if event.kind != "state":
        return state
    status = values.get("status")
    if status == "queued":  # submitted to a cluster: it has not begun
        queue = values.get("waiting_for")
        waiting_for = queue if isinstance(queue, str) else None
        return RunState(state.planned, phase=status, waiting_for=waiting_for, last_sign=event.time)
    if status in PHASES:
        waiting_for, node = values.get("waiting_for"), values.get("node")
        return RunState(
            state.planned,
            "running",
            seconds=state.seconds,
            memory_bytes=state.memory_bytes,
            phase=status,
            waiting_for=waiting_for if isinstance(waiting_for, str) else None,
            node=node if isinstance(node, str) else state.node,
            last_sign=event.time,
            submission_so_far=None if status == "preparing" else state.submission_so_far,
            model_usage=None if status == "preparing" else state.model_usage,
        )
    if status == "planned":
        return RunState(state.planned, last_sign=event.time)
    return replace(state, status=status, phase=None, waiting_for=None) if status in ENDED else state


def _model_usage(values: Mapping[str, Any]) -> ModelUsage | None:
    """What an event of the gateway counts; a log may come from anywhere, so what is not a count is none."""
    counts = {name: _whole_number(values.get(name)) for name in ("requests", "input_tokens", "output_tokens")}
    usd = _number(values.get("usd"))
    if any(count is None or not 0 <= count < _LARGEST_COUNT for count in counts.values()):
        return None
    return usage_from(counts | {"usd": usd if usd is not None and 0 <= usd < _LARGEST_COUNT else None})


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole_number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


class Board:
    """Where all runs of a group stand, from what is on disk: by whatever process, user or machine they are executed.

    Asking again reads only what has changed. A record that is damaged or half there leaves its run as it was.
    """

    def __init__(self, runs: Iterable[tuple[Path, PlannedRun]], published: GroupRecord | None = None) -> None:
        """With the record of a group of the published runner, which says all that there is: its runs have none."""
        self._runs = [_BoardRun(folder, planned, published) for folder, planned in runs]

    def states(self) -> list[RunState]:
        """All states as they are now, in the order of the plan."""
        return [run.state() for run in self._runs]

    def records(self) -> list[RunRecord | None]:
        """The records of the runs as `states` last read them, in the order of the plan; None where there is none."""
        return [run.record for run in self._runs]


def board_of_plan(folder: Path, plan: Sequence[PlannedRun]) -> Board:
    """The board of a group that is being run in a folder."""
    return Board((folder / planned.folder, planned) for planned in plan)


def board_of_record(folder: Path, record: GroupRecord, *, leave_out: Container[PlannedRun] = ()) -> Board:
    """The board of a group in a folder, whoever ran it: by its own record, which may be that of another program."""
    runs = [(folder / planned.folder, planned) for planned in record.plan if planned not in leave_out]
    return Board(runs, record if record.is_published else None)


def board_of(group: RunGroup) -> Board:
    """The board of a group that was read, or of one run that was opened by its own folder."""
    records = ((run.folder, run.record) for run in group.runs)
    runs = [(folder, PlannedRun(run.run_id, run.competition_id, run.seed)) for folder, run in records]
    return Board(runs, group.record if group.is_published else None)


class _BoardRun:
    """One run of a board."""

    def __init__(self, folder: Path, planned: PlannedRun, published: GroupRecord | None) -> None:
        self._folder, self._planned, self._published = folder, planned, published
        self._events = EventReader(folder)
        self._live = RunState(planned)  # as the events tell
        self.record: RunRecord | None = None  # as it was last read
        self._seen: tuple[int, int, int] | None = None
        self._ended: RunState | None = None  # as the record tells, which is the last word

    def state(self) -> RunState:
        """The state as it is now."""
        if not is_folder(self._folder):  # a group may come from anywhere: a link to elsewhere is not followed
            self._seen = self._ended = self.record = None
            return RunState(self._planned)
        if self._published is None:
            self._read_record()
        elif self.record is None:
            has_submission = is_regular(self._folder / SUBMISSION)
            self.record = self._published.record_of(self._planned, has_submission=has_submission)
            self._ended = ended_state(self._planned, self.record)
        if self._ended is not None:
            return self._ended
        for event in self._events.new():
            self._live = after_event(self._live, event)
        if self._live.status in ENDED:  # the log is a moment ahead of the record
            return self._live
        if self._live.status == "running":
            return replace(self._live, last_line=last_line(self._folder / AGENT_LOG))
        return self._live

    def _read_record(self) -> None:
        try:
            found = (self._folder / RUN_FILE).stat()
        except OSError:
            self._seen = self._ended = self.record = None
            return
        seen = (found.st_ino, found.st_mtime_ns, found.st_size)
        if seen == self._seen:
            return
        try:
            record = RunRecord.load(self._folder)
        except MlebenchError:
            return
        self._seen, self.record = seen, record
        self._ended = ended_state(self._planned, record) if record.has_ended else None
        if self._ended is None and self._live.status != record.status:  # a log that is lost or says less
            self._live = replace(ended_state(self._planned, record), last_sign=self._live.last_sign)


def last_line(log: Path, longest: int = 200) -> str:
    """The last line that an agent has printed, fit for a terminal."""
    try:
        with open_regular(log) as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - 4096))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
    lines = [line for line in text.replace("\r", "\n").split("\n") if line.strip()]
    return "".join(char if char.isprintable() else " " for char in lines[-1])[:longest].strip() if lines else ""
