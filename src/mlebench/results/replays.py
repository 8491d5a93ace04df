"""The record of a replay, beside the run that was replayed."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

from mlebench.errors import MlebenchError
from mlebench.files.regular import read_regular
from mlebench.files.writing import write_json
from mlebench.results.names import REPLAY_FILE, SUBMISSION
from mlebench.results.records import RunRecord

TOLERANCE = 1e-6
_LARGEST = 1 << 20  # bytes of a record that is read
Outcome: TypeAlias = Literal["identical", "same score", "different", "failed"]
_WORTH: dict[str, tuple[float, str]] = {
    "identical": (1.0, "the replay gave the same bytes"),
    "same score": (0.5, f"the replay gave other bytes with the same score within {TOLERANCE:g}"),
    "different": (0.0, "the replay gave another score"),
    "failed": (0.0, "the replay failed"),
}


@dataclass(frozen=True)
class ReplayRecord:
    """How a replay ended; `original_sha256` says which submission it was compared with."""

    outcome: Outcome
    reason: str
    command: str
    seed: int
    created_at: str
    original_sha256: str | None = None
    sha256: str | None = None
    original_score: float | None = None
    score: float | None = None
    exit_code: int | None = None
    seconds: float | None = None
    sandbox: str | None = None
    hardware: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def worth(self, record: RunRecord) -> tuple[float, str]:
        """(0, 0.5 or 1, why); a replay of another submission than the run's is worth nothing."""
        if self.original_sha256 is None or self.original_sha256 != record.outputs.get(SUBMISSION):
            return 0.0, "the replay was of another submission"
        worth, how = _WORTH.get(str(self.outcome), (0.0, "the replay has an unknown outcome"))
        return worth, f"{how}: {self.reason}" if self.reason else how

    def save(self, folder: Path) -> None:
        """Write replay.json into the folder of the run."""
        write_json(folder / REPLAY_FILE, asdict(self))

    @classmethod
    def load(cls, folder: Path) -> ReplayRecord | None:
        """The record of the last replay, if there was one."""
        path = folder / REPLAY_FILE
        if not os.path.lexists(path):
            return None
        try:
            values = json.loads(read_regular(path, _LARGEST).decode("utf-8"))
            known = {field.name for field in fields(cls)}
            return cls(**{name: value for name, value in values.items() if name in known})
        except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise MlebenchError(f"{path} is damaged.", hint="Delete it, and run mlebench replay again.") from error
