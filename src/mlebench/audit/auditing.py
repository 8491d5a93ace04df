"""The audit of one competition: survey, detectors, prices, and the ten findings that matter most."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mlebench.audit.finding import SEVERITIES, Found
from mlebench.base import progress
from mlebench.base.author_code import error_text
from mlebench.errors import DamagedDataError, MlebenchError

if TYPE_CHECKING:
    from mlebench.competition.local import LocalCompetition

MOST_FINDINGS = 10


@dataclass(frozen=True)
class Audit:
    """What was found in a competition; `problem` says why it could not be audited."""

    competition_id: str
    edition: str
    findings: tuple[Found, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    problem: str | None = None
    left_out: int = 0
    failed_searches: tuple[str, ...] = ()

    @property
    def leaks(self) -> int:
        """How many of the findings are leaks."""
        return sum(found.severity == "leak" for found in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """The audit as plain values."""
        listed = [found.to_dict() for found in self.findings]
        return {
            "competition_id": self.competition_id,
            "edition": self.edition,
            "findings": listed,
            "failed_searches": list(self.failed_searches),
        }


def audit(competition: LocalCompetition) -> Audit:
    """Audit one prepared competition; an error that a user can cause is a MlebenchError."""
    from mlebench.audit.pricing import Pricing
    from mlebench.audit.survey import survey
    from mlebench.audit.targets import read_task
    from mlebench.grade.grading import require_answers

    started = time.monotonic()
    require_answers(competition)
    with progress.task(competition.id):
        try:
            with progress.stage("read", "answers"):
                task = read_task(competition)
            surveyed = survey(task)
        except (ValueError, LookupError, UnicodeError, OSError) as error:
            raise DamagedDataError(
                f"The prepared data of {competition.id} cannot be audited: {error_text(error)}.",
                hint=f"Prepare it again: mlebench prepare -c {competition.id} --force",
            ) from error
        notes = [*task.notes, *surveyed.problems]
        if not task.test.targets:
            notes.append("the answers are not in the form of a submission: only copies and files are looked for")
        failed: list[str] = []
        findings = list(_detected(surveyed, failed))
        with Pricing(task) as pricing, progress.stage("grade", "what leaks are worth"):
            findings = [_priced(found, pricing) for found in findings]
            if pricing.sample_score is None:
                notes.append(f"the grader refuses the sample submission: {pricing.refusal}")
            ordered = sorted(
                findings, key=lambda found: (SEVERITIES.index(found.severity), -pricing.gain(found.worth), -found.rank)
            )
    unique = list({(found.where, found.severity): found for found in reversed(ordered)}.values())[::-1]
    kept = unique[:MOST_FINDINGS]
    seconds = time.monotonic() - started
    return Audit(
        competition.id,
        competition.edition,
        tuple(kept),
        tuple(notes),
        seconds,
        left_out=len(unique) - len(kept),
        failed_searches=tuple(failed),
    )


def _detected(surveyed: Any, failed: list[str]) -> Iterable[Found]:
    from mlebench.audit.detectors import detectors

    for name, detect in detectors().items():
        try:
            yield from detect(surveyed)
        except MlebenchError:
            raise
        except (ValueError, LookupError, TypeError, ArithmeticError, MemoryError, OSError) as error:
            failed.append(f"The search {name} failed: {error_text(error)}.")


def _priced(found: Found, pricing: Any) -> Found:
    worth = pricing.worth(found)
    if worth is None:
        return found
    medal = (
        ""
        if worth.medal is None
        else f" Among the humans of the contest: {worth.medal} medal."
        if worth.medal != "none"
        else ""
    )
    is_indirect = found.rests_on_likeness or found.kind == "predictive_artifact"
    if found.severity == "leak" and is_indirect and pricing.is_worthless(worth):
        # It rests on a dependence, and not on answers that can be read: one that cannot be used may be chance.
        found = replace(found, severity="suspicious")
    scores = f"A submission made from it alone scores {worth.score:g}, the sample {_shown(worth.sample_score)}."
    return replace(found, worth=worth, evidence=f"{found.evidence} {scores}{medal}")


def _shown(score: float | None) -> str:
    return "is refused" if score is None else f"{score:g}"


def audit_or_problem(competition: LocalCompetition) -> Audit:
    """The audit of a competition; what makes it impossible is said in it, so that others go on."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of libraries, about a stranger's files
            return audit(competition)
    except MlebenchError as error:
        return Audit(competition.id, competition.edition, problem=str(error))
    except OSError as error:
        return Audit(
            competition.id, competition.edition, problem=f"The data cannot be read: {error.strerror or error}."
        )
    except MemoryError:
        return Audit(competition.id, competition.edition, problem="The data does not fit into memory.")
