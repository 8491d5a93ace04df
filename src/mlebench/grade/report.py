"""The report of one graded submission."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from mlebench.base.versions import versions_in_words
from mlebench.competition.leaderboard import Medal, medal_of
from mlebench.competition.vocabulary import DEFAULT_EDITION

FLAGS = (
    "any_medal", "gold_medal", "silver_medal", "bronze_medal", "above_median", "submission_exists", "valid_submission",
    "is_lower_better",
)  # fmt: skip


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
    edition: str = DEFAULT_EDITION
    data: str | None = None
    raw_score: float | None = None
    answers_sha256: str | None = None
    data_dir: str | None = None
    run_id: str | None = None
    seed: int | None = None
    # One text: projects cut the report out of a log up to the first closing brace, so nothing in it may be nested.
    versions: str = field(default_factory=versions_in_words)

    @property
    def medal(self) -> Medal | None:
        """The colour of the medal, if any."""
        return medal_of(self)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, in the order of its fields; NumPy's numbers and truth values become Python's."""
        values = {each.name: _plain(getattr(self, each.name)) for each in fields(self)}
        return values | {"created_at": self.created_at.isoformat()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> CompetitionReport:
        """The inverse of `to_dict`; the texts `inf`, `True` and `False` are understood."""
        known = {each.name for each in fields(cls)}
        kept = {name: value for name, value in values.items() if name in known}
        for name in ("score", "raw_score"):
            if kept.get(name) is not None:
                kept[name] = float(kept[name])
        for name in FLAGS:
            if isinstance(kept.get(name), str):
                kept[name] = truth_value(kept[name])
        if isinstance(kept["created_at"], str):
            kept["created_at"] = datetime.fromisoformat(kept["created_at"])
        return cls(**kept)


def truth_value(value: Any) -> bool:
    """True or False, also as a text, which programs make of it that write reports as tables; a TypeError for others."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise TypeError("neither true nor false")


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
