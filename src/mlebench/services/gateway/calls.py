"""What a run's calls are written to: `model_calls.jsonl`, one line each, and their bodies where that was asked for."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from mlebench.files.writing import to_json
from mlebench.results.names import MODEL_BODIES_FOLDER, MODEL_CALLS_FILE

_ROOM = 64 << 20  # bytes of lines; an agent may call as often as it likes
_BODIES_ROOM = 4 << 30


class CallLog:
    """Appends to the list of calls of one run; a full disk loses lines, never a call."""

    def __init__(self, folder: Path | None, *, bodies: bool = False) -> None:
        self._lock = threading.Lock()
        self._room, self._bodies_room = _ROOM, _BODIES_ROOM
        self._next = 0
        self.not_listed = self.bodies_dropped = 0
        self._descriptor: int | None = None
        self._bodies: Path | None = None
        if folder is None:
            return
        with suppress(OSError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
            self._descriptor = os.open(folder / MODEL_CALLS_FILE, flags, 0o644)
        if bodies:
            with suppress(OSError):
                (folder / MODEL_BODIES_FOLDER).mkdir(mode=0o700, exist_ok=True)
                self._bodies = folder / MODEL_BODIES_FOLDER

    def number(self) -> int:
        """The number of the next call."""
        with self._lock:
            self._next += 1
            return self._next

    def append(self, values: Mapping[str, Any]) -> None:
        """Note a call that has ended."""
        line = to_json(values, indent=None).encode("utf-8", "backslashreplace") + b"\n"
        with self._lock:
            if self._descriptor is None or len(line) > self._room:
                self.not_listed += 1
                return
            try:
                if os.write(self._descriptor, line) != len(line):
                    raise OSError
                self._room -= len(line)
            except OSError:
                self.not_listed += 1

    def body(self, number: int, part: str) -> BodyFile:
        """A file for the body of a request or an answer (`part`); nothing is written where none are kept."""
        return BodyFile(self, None if self._bodies is None else self._bodies / f"{number:06d}.{part}")

    def take_room(self, size: int) -> bool:
        """Whether there is room for so many more bytes of bodies."""
        with self._lock:
            if size > self._bodies_room:
                self.bodies_dropped += 1
                return False
            self._bodies_room -= size
            return True

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None


class BodyFile:
    """The body of one request or answer, written as it comes."""

    def __init__(self, log: CallLog, path: Path | None) -> None:
        self._log = log
        self._descriptor: int | None = None
        if path is not None:
            with suppress(OSError):
                flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
                self._descriptor = os.open(path, flags, 0o600)

    def write(self, data: bytes) -> None:
        """Add what has come."""
        if self._descriptor is None:
            return
        try:
            if not self._log.take_room(len(data)):
                raise OSError
            os.write(self._descriptor, data)
        except OSError:
            self.close()

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
