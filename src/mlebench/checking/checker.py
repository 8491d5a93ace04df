"""Making the checks of a competition, one outcome after the other."""

from __future__ import annotations

import pkgutil
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from mlebench.base.author_code import error_text
from mlebench.checking import checks as built_in
from mlebench.checking.subject import Subject
from mlebench.competition.checks import (
    Check,
    Judgement,
    NotApplicableError,
    Outcome,
    by_stage,
    checks_in,
    judged,
    not_applicable,
    registered_checks,
)
from mlebench.competition.local import LocalCompetition
from mlebench.data import prepared_checks
from mlebench.data.raw_archives import from_mirror
from mlebench.errors import MlebenchError


def all_checks() -> list[Check]:
    """All checks in the order in which they are made: of prepared data, of this package, of other packages."""
    names = sorted(module.name for module in pkgutil.iter_modules(built_in.__path__))
    modules = [prepared_checks, *(import_module(f"{built_in.__name__}.{name}") for name in names)]
    return by_stage([*(entry for module in modules for entry in checks_in(module)), *registered_checks()])


def check(competition: LocalCompetition, *, source: str | None = None) -> Iterator[Outcome]:
    """Check a competition and give the outcomes as they come; the user's data folder is only read.

    `source` is a mirror that holds its raw archive, which is checked instead of the one in place or of its twin.
    """
    competition.require_edition()
    with tempfile.TemporaryDirectory(prefix="mlebench-check-") as scratch:
        archive = None if source is None else from_mirror(competition, source, Path(scratch))
        subject = Subject(competition, Path(scratch), archive)
        for entry in all_checks():
            yield Outcome(entry, competition.id, _judgement(entry, subject))


def _judgement(entry: Check, subject: Subject) -> Judgement:
    try:
        found = entry.function(subject)
    except NotApplicableError as reason:
        return not_applicable(str(reason))
    except (MlebenchError, ValueError) as error:  # something cannot be read
        return judged([subject.problem(f"This cannot be checked: {error_text(error)}.", "Correct the preparation.")])
    if entry.id in subject.excused and found.result == "failed":
        return _excused(found)
    return found


def _excused(found: Judgement) -> Judgement:
    """A check that the competition says it breaks does not apply; that its grader fails is never excused."""
    never = [problem for problem in found.problems if problem.never_excused]
    return judged(never, found.note) if never else not_applicable("the competition says that it breaks this")
