"""Something that was found: the one form in which checks, failures and audits say what, where and how they know."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Evidence:
    """Where something shows: a file, a line of it (the first is 1), and the words that are there."""

    file: Path | None = None
    line: int | None = None
    quotation: str | None = None


NOWHERE = Evidence()


@dataclass(frozen=True)
class Finding:
    """What a rule found about a subject.

    `subject` is the id of a competition, an agent or a run; `code` is the stable name of the rule. `message` is one
    sentence for people, and `advice`, where there is any, a second one that says what to do.
    """

    subject: str
    code: str
    severity: Severity
    message: str
    advice: str | None = None
    evidence: Evidence = NOWHERE
