"""The report of one graded submission."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from mlebench.base.codes import Code, MedalCaveat, NoMedalCode, RefusalCode
from mlebench.base.showing import Table
from mlebench.base.versions import versions_in_words
from mlebench.competition.leaderboard import Medal, medal_of
from mlebench.competition.vocabulary import DEFAULT_EDITION
from mlebench.grade.older_reports import derived

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
    refusal_code: RefusalCode | None = None
    refusal_line: int | None = None
    refusal_column: str | None = None
    refusal_value: str | None = None
    human_percentile: float | None = None
    edition: str = DEFAULT_EDITION
    data: str | None = None
    raw_score: float | None = None
    answers_sha256: str | None = None
    data_dir: str | None = None
    run_id: str | None = None
    seed: int | None = None
    no_medal_code: NoMedalCode | None = None
    medal_caveat: MedalCaveat | None = None
    # One text: projects cut the report out of a log up to the first closing brace, so nothing in it may be nested.
    versions: str = field(default_factory=versions_in_words)

    @property
    def medal(self) -> Medal | None:
        """The colour of the medal, if any."""
        return medal_of(self)

    def _repr_html_(self) -> str:
        """How a notebook shows it; printed it stays the dataclass that other projects know."""
        score = "refused" if self.score is None else f"{self.score:.6g}"
        rows = [[field.name, getattr(self, field.name)] for field in fields(self)]
        return Table(f"{self.competition_id}: {score}, {self.medal or 'no'} medal", ("field", "value"), rows).html()

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, in the order of its fields; NumPy's numbers and truth values become Python's."""
        values = {entry.name: _plain(getattr(self, entry.name)) for entry in fields(self)}
        return values | {"created_at": self.created_at.isoformat()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> CompetitionReport:
        """The inverse of `to_dict`; the texts `inf`, `True` and `False` are understood.

        A report of an older version or of the published package has no code: it is derived here, once.
        """
        known = {entry.name for entry in fields(cls)}
        kept = {name: value for name, value in values.items() if name in known}
        for name in ("score", "raw_score"):
            if kept.get(name) is not None:
                kept[name] = float(kept[name])
        if kept.get("refusal_code") is not None:
            # A code of a later version stands for a rule that is not known here.
            kept["refusal_code"] = RefusalCode.known(kept["refusal_code"]) or RefusalCode.BREAKS_RULE
        elif isinstance(kept.get("refusal"), str) and kept["refusal"]:
            kept["refusal_code"], kept["refusal_line"] = derived(kept["refusal"])
        for name, kind in (("refusal_line", int), ("refusal_column", str), ("refusal_value", str)):
            if not isinstance(kept.get(name), kind):  # a report may come from anywhere
                kept[name] = None
        for name, codes in (("no_medal_code", NoMedalCode), ("medal_caveat", MedalCaveat)):
            kept[name] = codes.known(kept.get(name))
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
    if isinstance(value, Code):
        return value.value
    return value.item() if hasattr(value, "item") else value
