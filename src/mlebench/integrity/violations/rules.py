"""The three rules, the published questions about them, and what a violation is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mlebench.base.codes import Code
from mlebench.base.findings import NOWHERE, Evidence
from mlebench.base.wording import plain

LONGEST_QUOTE = 240  # characters


class Rule(Code):
    """A rule of the benchmark; `questions` are known by the published ids."""

    MANUAL_PREDICTIONS = (
        "manual_predictions",
        "Predictions are written by hand instead of by a trained model.",
        "manual predictions",
    )
    EXTERNAL_MODEL = (
        "external_model",
        "An external LLM or API is called for predictions.",
        "external model",
    )
    OUTSIDE_RESOURCES = (
        "outside_resources",
        "Resources outside the task are reached.",
        "outside resources",
    )


class Witness(StrEnum):
    """Who says it: the code and the files, a model that was asked, or the record of a run of ours."""

    EVIDENCE = "evidence"
    JUDGE = "judge"
    RECORD = "record"


class Strength(StrEnum):
    """How much a finding weighs: only a strong one decides a verdict."""

    STRONG = "strong"
    WEAK = "weak"


@dataclass(frozen=True)
class Violation:
    """A sign that a rule was broken, where it shows, and who says so."""

    rule: Rule
    witness: Witness
    strength: Strength
    message: str
    evidence: Evidence = NOWHERE

    def to_dict(self) -> dict[str, Any]:
        """The finding in the form of violations.json."""
        quotation = self.evidence.quotation or self.message
        return {
            "rule": self.rule.value,
            "witness": self.witness.value,
            "file": str(self.evidence.file) if self.evidence.file is not None else None,
            "line": self.evidence.line,
            "quote": plain(quotation, LONGEST_QUOTE),
            "strength": self.strength.value,
            "message": plain(self.message, LONGEST_QUOTE),
        }
