"""Where the groups below a folder stand, from what is on disk: whoever runs them, and in whatever state they are."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from mlebench.base.amounts import format_bytes, format_seconds
from mlebench.base.wording import plain
from mlebench.errors import MlebenchError
from mlebench.files.regular import is_folder, is_regular, open_regular
from mlebench.results.estimates import UNFINISHED, recorded_limit, standing_in_words, time_left
from mlebench.results.events import Board, RunState, board_of_plan
from mlebench.results.groups import RunGroup, open_group
from mlebench.results.names import GROUP_FILE, LOCK_FILE
from mlebench.results.records import ENDED, GroupRecord, PlannedRun

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


def group_names(runs_dir: Path) -> list[str]:
    """The names of the groups below a folder, the newest first: names begin with the time, or else the folder tells."""
    try:
        found = [path for path in runs_dir.iterdir() if not path.name.startswith(".") and is_folder(path)]
    except OSError:
        return []
    return sorted((path.name for path in found if is_regular(path / GROUP_FILE)), key=_age, reverse=True)


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
    states = board_of_plan(folder, [planned for planned in record.plan if planned not in noted]).states()
    counts = Counter([*noted.values(), *(state.status for state in states)])
    is_running = bool(counts["planned"] + counts["running"]) and _is_being_run(folder, states)
    words = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    return ListedGroup(name, plain(record.agent, 60), plain(record.created_at, 30), words, len(record.plan), is_running)


def _noted(record: GroupRecord, planned: PlannedRun) -> str | None:
    """How a run ended, where the record of its group says so; a run that was cancelled may have begun again."""
    result = record.runs.get(planned.folder)
    status = result.get("status") if isinstance(result, dict) else None
    return status if status in ENDED and status != "cancelled" else None


def _is_being_run(folder: Path, states: Sequence[RunState]) -> bool:
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

    def __init__(self, folder: Path, score_of: Callable[[str], str] = lambda _: "") -> None:
        self.folder, self.score_of = folder, score_of
        self.record = GroupRecord.load(folder)
        self._board: Board = board_of_plan(folder, self.record.plan)
        self._lock = threading.Lock()
        self._read_at = 0.0
        self._standing: Standing | None = None

    def standing(self) -> Standing:
        """Where the group stands now."""
        with self._lock:
            if self._standing is None or time.monotonic() - self._read_at > _FRESH:
                self._standing = self._read()
                self._read_at = time.monotonic()
            return self._standing

    def _read(self) -> Standing:
        states = self._board.states()
        counts = Counter(state.status for state in states)
        unfinished = counts["planned"] + counts["running"]
        is_running = bool(unfinished) and _is_being_run(self.folder, states)
        order = sorted(states, key=lambda state: _PLACES.get(state.status, 1))
        return Standing(
            _sentence(states, is_running),
            time_left(states, max(1, counts["running"]), partial(recorded_limit, self.record)) if is_running else "",
            is_running,
            dict(Counter("waiting" if state.waiting_for else state.status for state in order)),
            tuple(self._row(state, is_running) for state in order),
        )

    def _row(self, state: RunState, is_running: bool) -> Row:
        planned = state.planned
        seconds, memory = state.seconds, state.memory_bytes
        time_limit = recorded_limit(self.record, planned.competition_id)
        memory_limit = recorded_limit(self.record, planned.competition_id, "memory_bytes")
        handed_in = {True: "yes", False: "none", None: "yes" if state.submission_so_far else ""}[state.has_submission]
        return Row(
            planned.folder,
            planned.competition_id,
            planned.seed,
            state.status,
            plain(state.phase or state.status, 20) if state.status == "running" else state.status,
            plain(_about(state, is_running), 120),
            _used(seconds, time_limit, format_seconds),
            _share(seconds, time_limit),
            _used(memory, memory_limit, format_bytes),
            _share(memory, memory_limit),
            "sample" if state.sample_handed_in else handed_in,
            self.score_of(planned.folder),
            plain(state.last_line, 200),
        )


def _about(state: RunState, is_running: bool) -> str:
    """What a run is doing, or what it waits for."""
    if state.waiting_for:
        return f"for {state.waiting_for}" if state.phase == "waiting" else f"waiting for {state.waiting_for}"
    if state.status == "planned":
        return "waiting for a worker" if is_running else "not begun; nobody runs the group"
    if state.status != "running":
        return state.code or ""  # what it says to people is among the lines
    words = [f"on {state.node}" if state.node else ""]
    silence = _silence(state)
    if silence is not None and silence > _SILENT:
        words.append(f"no sign of life for {format_seconds(silence)}")
    if not is_running:
        words.append("nobody runs the group")
    return ", ".join(word for word in words if word)


def _used(amount: float | None, limit: float | None, shown: Callable[[float], str]) -> str:
    if not amount:
        return ""
    return f"{shown(amount)} of {shown(limit)}" if limit else shown(amount)


def _share(used: float | None, limit: float | None) -> float | None:
    return None if used is None or not limit else round(min(100.0, 100.0 * used / limit), 1)


def _sentence(states: Sequence[RunState], is_running: bool) -> str:
    if not any(state.status in UNFINISHED for state in states):
        return f"All {len(states)} runs have ended."
    words = standing_in_words(states)
    return f"{words}." if is_running else f"{words}. Nobody runs this group: it was interrupted."


class Groups:
    """The groups below a folder of runs, of which those that were looked at last stay in memory."""

    def __init__(self, runs_dir: Path, score_of: Callable[[str, str], str] = lambda *_: "") -> None:
        self.runs_dir, self._score_of = runs_dir, score_of
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
                found = Watched(folder, partial(self._score_of, name))
            self._watched[name] = found
            while len(self._watched) > _WATCHED:
                self._watched.popitem(last=False)
            return found

    def names(self) -> list[str]:
        """The groups that are looked at."""
        with self._lock:
            return list(self._watched)

    def opened(self, name: str) -> RunGroup:
        """A group with its records and reports."""
        return open_group(self.watched(name).folder)


def changed_rows(before: Standing | None, now: Standing) -> list[Row]:
    """The rows of a standing that differ from those of an earlier one."""
    known = {row.run: row for row in before.rows} if before else {}
    return [row for row in now.rows if known.get(row.run) != row]
