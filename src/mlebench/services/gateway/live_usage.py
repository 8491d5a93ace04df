"""What a run has used so far, in its event log while it goes on: views read it there, and no call waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from mlebench.services.gateway.ledger import Ledger

# Seconds between two notes: one at first, then a fiftieth of the time that has passed, and a minute at most. That makes
# 1,700 notes, some 400 kB, in 24 hours, however often an agent calls.
_OFTEN, _SELDOM, _SHARE = 1.0, 60.0, 0.02
_SHOWN = ("requests", "failed", "input_tokens", "output_tokens", "usd")


class LiveUsage:
    """Notes what has been used after calls end: at once, or as soon as enough time has passed since the last note."""

    def __init__(self, ledger: Ledger, record_event: Callable[[str, Mapping[str, Any]], None]) -> None:
        self._ledger, self._record_event = ledger, record_event
        self._began = time.monotonic()
        self._due = self._began
        self._lock = threading.Lock()
        self._waiting: threading.Timer | None = None
        self._is_closed = False

    def call_ended(self) -> None:
        """Another call has ended."""
        with self._lock:
            if self._is_closed or self._waiting is not None:
                return
            left = self._due - time.monotonic()
            if left > 0:
                self._waiting = threading.Timer(left, self._note_later)
                self._waiting.daemon = True
                self._waiting.start()
            else:
                self._note()

    def close(self) -> None:
        """Note nothing more."""
        with self._lock:
            self._is_closed = True
            if self._waiting is not None:
                self._waiting.cancel()

    def _note_later(self) -> None:
        with self._lock:
            self._waiting = None
            if not self._is_closed:
                self._note()

    def _note(self) -> None:
        passed = time.monotonic()
        self._due = passed + min(max(_OFTEN, _SHARE * (passed - self._began)), _SELDOM)
        usage = self._ledger.to_dict()
        self._record_event("usage_so_far", {name: usage[name] for name in _SHOWN})
