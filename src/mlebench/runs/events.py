"""What happens while a group runs, as small messages for a display or a log."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from mlebench.results.records import PlannedRun, RunRecord
from mlebench.sandbox import Usage


@dataclass(frozen=True)
class RunState:
    """Where one run stands: a line of the live table."""

    planned: PlannedRun
    status: str = "planned"
    seconds: float | None = None
    memory_bytes: int | None = None
    last_line: str = ""
    has_submission: bool | None = None
    sample_handed_in: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The state as plain values, without what it does not say."""
        values = {
            "run_id": self.planned.run_id,
            "competition_id": self.planned.competition_id,
            "seed": self.planned.seed,
            "status": self.status,
            "seconds": None if self.seconds is None else round(self.seconds, 2),
            "memory_bytes": self.memory_bytes,
            "submission": self.has_submission,
            "sample_handed_in": self.sample_handed_in or None,
            "error": self.last_line or None if self.has_submission is not None else None,
        }
        return {name: value for name, value in values.items() if value is not None}


OnState: TypeAlias = Callable[[RunState], None]


class Board:
    """The states of all runs of a group, kept by several threads; a display reads them."""

    def __init__(self, plan: tuple[PlannedRun, ...], on_state: OnState = lambda _: None) -> None:
        self._states = {planned: RunState(planned) for planned in plan}
        self._lock = threading.Lock()
        self._on_state = on_state

    def states(self) -> list[RunState]:
        """All states, in the order of the plan."""
        with self._lock:
            return list(self._states.values())

    def sample(self, planned: PlannedRun, usage: Usage, log: Path) -> None:
        """Note a measurement of a run that is under way."""
        state = RunState(planned, "running", usage.seconds, usage.memory_bytes, last_line(log))
        with self._lock:
            self._states[planned] = state

    def change(self, planned: PlannedRun, record: RunRecord) -> None:
        """Note that a run has begun or ended, and tell about it."""
        state = RunState(
            planned,
            "running" if record.status == "planned" else record.status,
            record.usage.get("seconds"),
            record.usage.get("peak_memory_bytes"),
            record.error or "",
            record.submission is not None if record.has_ended else None,
            record.sample_handed_in,
        )
        with self._lock:
            self._states[planned] = state
        self._on_state(state)


def last_line(log: Path, longest: int = 200) -> str:
    """The last line that an agent has printed, fit for a terminal."""
    try:
        with log.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - 4096))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
    lines = [line for line in text.replace("\r", "\n").split("\n") if line.strip()]
    return "".join(char if char.isprintable() else " " for char in lines[-1])[:longest].strip() if lines else ""
