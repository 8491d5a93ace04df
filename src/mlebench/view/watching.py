"""Where the groups below a folder stand, from what is on disk: whoever runs them, and in whatever state they are."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.base.amounts import format_bytes, format_seconds
from mlebench.base.wording import counted, plain
from mlebench.competition.registry import Registry
from mlebench.competition.registry import registry as default_registry
from mlebench.errors import MlebenchError
from mlebench.files.regular import is_folder, is_regular, open_regular
from mlebench.results.estimates import UNFINISHED, recorded_limit, standing_in_words, time_left
from mlebench.results.events import Board, RunState, board_of_record
from mlebench.results.matching import GroupReports
from mlebench.results.names import GROUP_FILE, LOCK_FILE
from mlebench.results.records import ENDED, GroupRecord, PlannedRun
from mlebench.results.runs import Run
from mlebench.view.grades import Grades

if TYPE_CHECKING:
    from mlebench.view.results import LiveResults, Results

PAGE = 50  # groups on one page of the list
_FRESH = 0.5  # seconds for which what was read last is good enough
_WATCHED = 12  # groups that are kept in memory
_PLACES = {"running": 0, "planned": 2, "success": 3}  # of rows; what ended badly is at 1, where it is seen
_SILENT = 120.0  # seconds without a sign of life after which a run that is under way is called silent


@dataclass(frozen=True)
class ListedGroup:
    """A group in the list: its name, and what is known of it or why nothing is."""

    name: str
    agent: str = ""
    created: str = ""
    counts: str = ""
    runs: int = 0
    is_running: bool = False
    problem: str = ""


@dataclass(frozen=True)
class Row:
    """A run in the live table, as texts; `shares` are those of its time and memory, from 0 to 100."""

    run: str
    competition: str
    seed: int
    status: str
    state: str
    about: str
    time: str
    time_share: float | None
    memory: str
    memory_share: float | None
    submission: str
    score: str
    line: str
    rank: int = 1

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class Standing:
    """Where a group stands: what to say above the table, and its rows; those under way come first."""

    sentence: str
    left: str
    is_running: bool
    counts: dict[str, int]
    rows: tuple[Row, ...]
    version: int = 1
    changed: Mapping[str, int] = field(default_factory=dict)  # by run, the version at which its row changed last

    @property
    def counts_in_words(self) -> dict[str, str]:
        """How many runs stand how, by status."""
        words = STATES if self.is_running else STATES | INTERRUPTED
        return {status: f"{count:,} {words.get(status, status)}" for status, count in self.counts.items()}

    def rows_since(self, version: int) -> list[Row]:
        """The rows that are newer than a version."""
        return [row for row in self.rows if self.changed[row.run] > version]


def group_names(runs_dir: Path) -> list[str]:
    """The names of the groups below a folder, the newest first: names begin with the time, or else the folder tells."""
    try:
        found = [path for path in runs_dir.iterdir() if not path.name.startswith(".") and is_folder(path)]
    except OSError:
        return []
    return sorted((path.name for path in found if is_regular(path / GROUP_FILE)), key=_age, reverse=True)


INTERRUPTED = {"running": "interrupted", "planned": "not begun"}  # in the words of a group that nobody runs
STATES = {"planned": "waiting", "timeout": "timed out", "memory": "out of memory", "infrastructure": "lost"}
SHOWN = {
    "now": "under way, failed or cut short",
    "all": "all runs",
    "running": "running",
    "planned": "waiting",
    "ended": "ended",
    "bad": "failed or cut short",
}


def is_shown(row: Row, chosen: str) -> bool:
    """Whether a row is among those that a reader chose, by a key of `SHOWN`."""
    is_waiting = row.state == "waiting"
    is_running = row.status == "running" and not is_waiting
    is_bad = row.status not in ("planned", "running", "success")
    return {
        "now": row.status == "running" or is_bad,
        "running": is_running,
        "planned": is_waiting,
        "ended": row.status not in UNFINISHED,
        "bad": is_bad,
    }.get(chosen, True)


def _age(name: str) -> tuple[bool, str]:
    return name[:4].isdigit(), name


def listed(runs_dir: Path, name: str) -> ListedGroup:
    """One group for the list; a damaged one says what is wrong with it."""
    folder = runs_dir / name
    try:
        record = GroupRecord.load(folder)
    except MlebenchError as error:
        return ListedGroup(name, problem=str(error))
    # What the record of the group tells need not be read from its runs: a page lists fifty groups of many runs.
    noted = {planned: status for planned in record.plan if (status := _noted(record, planned)) is not None}
    states = board_of_record(folder, record, leave_out=noted).states()
    counts = Counter([*noted.values(), *(state.status for state in states)])
    is_running = bool(counts["planned"] + counts["running"]) and is_being_run(folder, states)
    words = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    return ListedGroup(name, plain(record.agent, 60), plain(record.created_at, 30), words, len(record.plan), is_running)


def _noted(record: GroupRecord, planned: PlannedRun) -> str | None:
    """How a run ended, where the record of its group says so; a run that was cancelled may have begun again."""
    result = record.runs.get(planned.folder)
    status = result.get("status") if isinstance(result, dict) else None
    return status if status in ENDED and status != "cancelled" else None


def is_being_run(folder: Path, states: Sequence[RunState]) -> bool:
    """Whether somebody runs a group: its lock is held, or one of its runs gave a sign of life a moment ago.

    The lock of a group on another machine, or of another user, may tell nothing.
    """
    if any(state.status == "running" and (_silence(state) or _SILENT) < _SILENT for state in states):
        return True
    try:
        import fcntl

        with open_regular(folder / LOCK_FILE) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except (ImportError, OSError):
        pass
    return False


def _silence(state: RunState) -> float | None:
    """How many seconds ago a run gave its last sign of life."""
    return None if state.last_sign is None else (datetime.now(UTC) - state.last_sign).total_seconds()


class Watched:
    """One group that is looked at; asking again soon costs nothing, and later only what has changed."""

    def __init__(self, folder: Path, registry: Registry, grades: Grades) -> None:
        self.folder, self._grades = folder, grades
        self.record = GroupRecord.load(folder)
        self._registry = registry
        self._board: Board = board_of_record(folder, self.record)
        self._lock = threading.RLock()
        self._read_at = 0.0
        self._states: list[RunState] = []
        self._standing: Standing | None = None
        self._results: LiveResults | None = None
        self._drawn_version = 0

    def standing(self) -> Standing:
        """Where the group stands now."""
        with self._lock:
            if self._standing is None or time.monotonic() - self._read_at > _FRESH:
                self._standing = self._read(self._standing)
                self._read_at = time.monotonic()
            return self._standing

    def results(self) -> tuple[Standing, Results]:
        """Where the group stands now, with its summary and the cells of its matrix."""
        with self._lock:
            standing = self.standing()
            if self._results is None:
                from mlebench.view.results import LiveResults  # a list of groups needs nothing of it

                self._results = LiveResults(self.folder, self.record, self._registry, self._grades)
            if self._drawn_version != standing.version:
                self._drawn_version = standing.version
                self._results.update(
                    self._states, self._board.records(), is_running=standing.is_running, version=standing.version
                )
            return standing, self._results.results

    def matrix(self) -> str:
        """The matrix as it is now, as HTML."""
        with self._lock:
            standing, _ = self.results()
            assert self._results is not None
            return self._results.matrix(standing.version)

    def begun_runs(self) -> list[Run]:
        """The runs that have begun or ended, as they were read last."""
        with self._lock:
            self.standing()
            reports = GroupReports(None)
            return [
                Run(self.folder / state.planned.folder, record or self.record.record_of(state.planned), reports)
                for state, record in zip(self._states, self._board.records(), strict=True)
                if state.status != "planned"
            ]

    def _read(self, before: Standing | None) -> Standing:
        states = self._states = self._board.states()
        counts = Counter(state.status for state in states)
        unfinished = counts["planned"] + counts["running"]
        is_running = bool(unfinished) and is_being_run(self.folder, states)
        order = sorted(states, key=lambda state: _PLACES.get(state.status, 1))
        rows = tuple(self._row(state, is_running) for state in order)
        # By the clock, so that a browser that saw an earlier view of the group knows what is newer.
        version = max(int(1000 * time.time()), before.version + 1 if before else 1)
        return Standing(
            _sentence(states, is_running),
            time_left(states, max(1, counts["running"]), partial(recorded_limit, self.record)) if is_running else "",
            is_running,
            dict(Counter("planned" if state.waiting_for else state.status for state in order)),
            rows,
            version,
            _changes(before, rows, version),
        )

    def _row(self, state: RunState, is_running: bool) -> Row:
        planned = state.planned
        seconds, memory = state.seconds, state.memory_bytes
        time_limit = recorded_limit(self.record, planned.competition_id)
        memory_limit = recorded_limit(self.record, planned.competition_id, "memory_bytes")
        handed_in = {True: "yes", False: "none", None: "yes" if state.submission_so_far else ""}[state.has_submission]
        grade = self._grades.snapshot(self.folder.name, planned.folder)
        return Row(
            planned.folder,
            planned.competition_id,
            planned.seed,
            state.status,
            _state_in_words(state, is_running),
            plain(_about(state, is_running), 120),
            _used(seconds, time_limit, format_seconds),
            _share(seconds, time_limit),
            _used(memory, memory_limit, format_bytes),
            _share(memory, memory_limit),
            "sample" if state.sample_handed_in else handed_in,
            grade.words if grade else "",
            plain(state.last_line, 200),
            _PLACES.get(state.status, 1),
        )


def _changes(before: Standing | None, rows: Sequence[Row], version: int) -> dict[str, int]:
    """At which version each row changed last."""
    if before is None:
        return {row.run: version for row in rows}
    known = {row.run: row for row in before.rows}
    return {row.run: before.changed[row.run] if known.get(row.run) == row else version for row in rows}


def _about(state: RunState, is_running: bool) -> str:
    """What a run is doing, or what it waits for."""
    if is_running and state.waiting_for:
        return f"for {state.waiting_for}"
    if state.status == "planned":
        return "for a worker" if is_running else ""
    if state.status != "running":
        return "" if state.last_line else state.code or ""  # what it says to people is among the lines
    words = [f"on {state.node}" if state.node else "", state.model_usage.in_words if state.model_usage else ""]
    silence = _silence(state)
    if silence is not None and silence > _SILENT:
        words.append(f"no sign of life for {format_seconds(silence)}")
    return ", ".join(word for word in words if word)


def _state_in_words(state: RunState, is_running: bool) -> str:
    if not is_running and state.status in INTERRUPTED:
        return INTERRUPTED[state.status]
    if state.waiting_for:
        return "waiting"
    if state.status == "running":
        return plain(state.phase or state.status, 20)
    return STATES.get(state.status, state.status)


def _used(amount: float | None, limit: float | None, shown: Callable[[float], str]) -> str:
    if not amount:
        return ""
    return f"{shown(amount)} of {shown(limit)}" if limit else shown(amount)


def _share(used: float | None, limit: float | None) -> float | None:
    return None if not used or not limit else round(min(100.0, 100.0 * used / limit), 1)


def _sentence(states: Sequence[RunState], is_running: bool) -> str:
    if not any(state.status in UNFINISHED for state in states):
        return "The run has ended." if len(states) == 1 else f"All {len(states):,} runs have ended."
    if is_running:
        return f"{standing_in_words(states)}."
    if any(state.phase == "queued" for state in states):  # a queue may hold them, though nobody here waits for them
        return f"{standing_in_words(states)}. `mlebench run --resume` collects what was submitted to a cluster."
    counts = Counter(INTERRUPTED.get(state.status, "ended") for state in states)
    left = "".join(f", {counts[words]} {words}" for words in INTERRUPTED.values() if counts[words])
    return (
        f"{counts['ended']} of {counted(len(states), 'run')} ended{left}. Nobody runs this group: it was interrupted."
    )


class Groups:
    """The groups below a folder of runs, of which those that were looked at last stay in memory."""

    def __init__(self, runs_dir: Path, registry: Registry = default_registry, grades: Grades | None = None) -> None:
        self.runs_dir, self._registry, self._grades = runs_dir, registry, grades or Grades()
        self._watched: OrderedDict[str, Watched] = OrderedDict()
        self._lock = threading.Lock()

    def page(self, number: int) -> tuple[list[ListedGroup], int]:
        """One page of the list, and how many groups there are."""
        names = group_names(self.runs_dir)
        return [listed(self.runs_dir, name) for name in names[PAGE * number : PAGE * (number + 1)]], len(names)

    def watched(self, name: str) -> Watched:
        """A group by its name; an error says what is wrong with it, or that there is none."""
        folder = self.runs_dir / name
        if "/" in name or "\0" in name or name in ("", ".", "..") or not is_folder(folder):
            raise MlebenchError(f"There is no run group {name}.", hint="It may have been moved or removed.")
        with self._lock:
            found = self._watched.pop(name, None)
            if found is None or not is_regular(folder / GROUP_FILE):
                found = Watched(folder, self._registry, self._grades)
            self._watched[name] = found
            while len(self._watched) > _WATCHED:
                self._watched.popitem(last=False)
            return found

    def draw_newest(self) -> None:
        """Draw the newest group before anybody asks: it is looked at first, and what draws it takes time to load."""
        for name in group_names(self.runs_dir)[:1]:
            with suppress(MlebenchError, OSError):  # whoever opens it is told
                self.watched(name).matrix()

    def in_memory(self) -> list[Watched]:
        """The groups that were looked at last."""
        with self._lock:
            return list(self._watched.values())
