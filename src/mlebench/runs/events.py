"""Writing the event log of a run: whole lines, in order, at a bounded rate and size.

A run has one writer, in the process that executes it; services and the supervision may append from several threads. The
log is in the run's folder, outside of what an agent can write. `mlebench.results.events` reads it.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from mlebench.files.writing import now, to_json
from mlebench.results.events import Kind, parse_event
from mlebench.results.names import EVENTS_FILE
from mlebench.sandbox import Usage

# Bytes that the events of a kind may take in one attempt: an agent that floods one kind silences no other.
ROOM: Mapping[Kind, int] = {"state": 1 << 18, "usage": 1 << 20, "snapshot": 1 << 18, "service": 1 << 20}
_LONGEST_TEXT = 1000  # characters of a text in an event
_LONGEST_LINE = 4096
# Seconds between two samples: one at first, then a hundredth of the time that has passed, and half a minute at most.
# That makes 3,300 samples, some 600 kB, in 24 hours, and half a minute without a sign of life means something.
_OFTEN, _SELDOM, _SHARE = 1.0, 30.0, 0.01


class EventLog:
    """Appends to the event log of one run; a context manager. A full disk loses events, never the run."""

    def __init__(self, folder: Path, room: Mapping[Kind, int] = ROOM) -> None:
        self._lock = threading.Lock()
        self._room = dict(room)
        self._dropped: Counter[str] = Counter()
        self._next_sample = 0.0
        self._descriptor: int | None = None
        self._seq = 0
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
            self._descriptor = os.open(folder / EVENTS_FILE, flags, 0o644)
            self._seq = _continued(self._descriptor)
        except OSError:
            self.close()

    def __enter__(self) -> EventLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; what is appended later is lost."""
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    def append(self, kind: Kind, **values: Any) -> None:
        """Append an event; one that finds no room is counted, and the next state tells how many those were."""
        with self._lock:
            if kind == "state" and self._dropped:
                values["dropped"] = dict(self._dropped)
            self._append(kind, values)

    def state(self, status: str, **values: Any) -> None:
        """Note that the run has come to another state: a phase, or how it ended."""
        self.append("state", status=status, **{name: value for name, value in values.items() if value is not None})

    def usage(self, usage: Usage, *, submission: Callable[[], bool] | None = None) -> None:
        """Note what the run uses, and whether there is a submission by now, if it is time for another sample."""
        if usage.seconds < self._next_sample:
            return
        self._next_sample = usage.seconds + min(_SELDOM, max(_OFTEN, usage.seconds * _SHARE))
        values = {
            "seconds": round(usage.seconds, 2),
            "cpu": None if usage.cpu_seconds is None else round(usage.cpu_seconds, 2),
            "memory": usage.memory_bytes,
            "peak_memory": usage.peak_memory_bytes,
            "disk": usage.disk_bytes,
            "output": usage.output_bytes,
            "processes": usage.processes,
            "gpu_memory": usage.gpu_memory_bytes,
            "submission": None if submission is None else submission(),
        }
        self.append("usage", **{name: value for name, value in values.items() if value is not None})

    def service(self, name: str, what: str, values: Mapping[str, Any]) -> None:
        """Note something that a service did for the agent."""
        self.append("service", service=name, what=what, **values)

    def _append(self, kind: Kind, values: Mapping[str, Any]) -> None:
        if self._descriptor is None:
            return
        self._seq += 1
        head = {"seq": self._seq, "time": now().isoformat(timespec="milliseconds"), "kind": kind}
        line = _line({**head, **values})
        if len(line) > _LONGEST_LINE:
            line = _line(
                {**head, "cut": True, **{name: values[name] for name in ("status", "service") if name in values}}
            )
        if len(line) > self._room.get(kind, 0):
            self._seq -= 1
            self._dropped[kind] += 1
            if self._dropped[kind] == 1 and kind != "state":
                self._append("state", {"dropping": kind})
            return
        if self._written(line):
            self._room[kind] -= len(line)
        else:
            self._seq -= 1
            self._dropped[kind] += 1

    def _written(self, line: bytes) -> bool:
        """Append a whole line or nothing."""
        assert self._descriptor is not None
        try:
            size = os.fstat(self._descriptor).st_size
            if os.write(self._descriptor, line) == len(line):
                return True
            os.ftruncate(self._descriptor, size)  # the disk was full in the middle of it
        except OSError:
            pass
        return False


def _line(values: Mapping[str, Any]) -> bytes:
    cut = {name: value[:_LONGEST_TEXT] if isinstance(value, str) else value for name, value in values.items()}
    return to_json(cut, indent=None).encode("utf-8", "backslashreplace") + b"\n"


def _continued(descriptor: int) -> int:
    """The number of the last event of a log; what a killed writer left of a line is removed."""
    size = os.fstat(descriptor).st_size
    begin = max(0, size - 2 * _LONGEST_LINE)
    tail = os.pread(descriptor, size - begin, begin)
    whole = tail[: tail.rfind(b"\n") + 1]
    if len(whole) < len(tail):
        os.ftruncate(descriptor, begin + len(whole))
    events = [event for line in whole.splitlines() if (event := parse_event(line)) is not None]
    return events[-1].seq if events else 0
