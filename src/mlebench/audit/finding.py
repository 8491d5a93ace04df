"""What an audit finds: kind, severity, place, evidence, and what it is worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.table import Texts

Kind: TypeAlias = Literal[
    "answers_in_public",
    "predictive_artifact",
    "duplicates",
    "groups",
    "time",
    "missing_inputs",
    "unseen_labels",
    "sample_hint",
]
Severity: TypeAlias = Literal["leak", "suspicious", "note"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # the worst first


@dataclass(frozen=True)
class Prediction:
    """What one would submit who knew a leak: values of one column (or classes, where columns are one class) by row."""

    target: str
    column: str | None
    rows: NDArray[np.int64]  # of the sample submission
    values: Texts


@dataclass(frozen=True)
class Worth:
    """The score of a submission made from a leak alone, beside that of the sample; and the medal that would be."""

    score: float
    sample_score: float | None
    medal: str | None = None


@dataclass(frozen=True)
class Found:
    """One finding. `rank` orders findings of equal worth: how strong the relation is, times how much it covers.

    What rests on likeness, and not on answers that can be read, is a leak only where it is worth something.
    """

    kind: Kind
    severity: Severity
    where: str
    evidence: str
    rank: float = 0.0
    worth: Worth | None = None
    predictions: tuple[Prediction, ...] = field(default=(), repr=False, compare=False)
    rests_on_likeness: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain values."""
        worth = None if self.worth is None else {"score": self.worth.score, "sample_score": self.worth.sample_score}
        return {
            "kind": self.kind,
            "severity": self.severity,
            "where": self.where,
            "evidence": self.evidence,
            "worth": worth,
        }
