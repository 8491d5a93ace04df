"""The report of one graded submission."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from mlebench.versions import EDITION, versions


@dataclass(frozen=True)
class CompetitionReport:
    """What became of one submission. The first fields keep the names and the order of the published benchmark."""

    competition_id: str
    score: float | None
    gold_threshold: float | None
    silver_threshold: float | None
    bronze_threshold: float | None
    median_threshold: float | None
    any_medal: bool
    gold_medal: bool
    silver_medal: bool
    bronze_medal: bool
    above_median: bool
    submission_exists: bool
    valid_submission: bool
    is_lower_better: bool
    created_at: datetime
    submission_path: str
    refusal: str | None = None
    human_percentile: float | None = None
    edition: str = EDITION
    data: str | None = None
    raw_score: float | None = None
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def medal(self) -> str | None:
        """The colour of the medal, if any."""
        for colour in ("gold", "silver", "bronze"):
            if getattr(self, f"{colour}_medal"):
                return colour
        return None

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, in the order of its fields."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return values | {"created_at": self.created_at.isoformat()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> CompetitionReport:
        """The inverse of `to_dict`; a score written as the text `inf` is understood."""
        known = {each.name for each in fields(cls)}
        kept = {name: value for name, value in values.items() if name in known}
        for name in ("score", "raw_score"):
            if kept.get(name) is not None:
                kept[name] = float(kept[name])
        if isinstance(kept["created_at"], str):
            kept["created_at"] = datetime.fromisoformat(kept["created_at"])
        return cls(**kept)


def to_json(value: Any, *, indent: int | None = 2) -> str:
    """Strict JSON: numbers that are not finite are written as the texts `inf`, `-inf` and `nan`."""
    return json.dumps(_finite(value), indent=indent, default=str, ensure_ascii=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value


def write_json(path: Path, value: Any) -> None:
    """Write strict JSON so that the file appears whole or not at all."""
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(to_json(value) + "\n", encoding="utf-8")
    partial.replace(path)
