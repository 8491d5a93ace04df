"""Checks of competitions as objects: what one is, what it may answer, and where other packages register theirs.

A check is a function with an id: `@check("sample_valid", "the sample is valid", stage="data", cost="seconds")`. Those
of a module are found by looking into it, so that adding one touches one file. Another package registers its own under
the entry point group `mlebench.checks`: a check, or a module with checks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeAlias, get_args

from mlebench.base.findings import Evidence, Finding
from mlebench.base.registered import entry_point_objects
from mlebench.errors import MlebenchError

ENTRY_POINT_GROUP = "mlebench.checks"
Result: TypeAlias = Literal["passed", "failed", "not applicable"]
# What a check looks at, in this order. Those of stage `data` are also made after every preparation.
Stage: TypeAlias = Literal["declaration", "preparation", "data", "contents", "grading", "repetition"]
STAGES: tuple[Stage, ...] = get_args(Stage)
# What a check takes: a look at files of the competition, reading or grading prepared data, preparing data.
Cost: TypeAlias = Literal["instant", "seconds", "minutes"]
_ID = re.compile(r"[a-z][a-z0-9_]{1,60}")


@dataclass(frozen=True)
class Problem:
    """One thing to correct: what is wrong, what to do, and where, as far as that is known.

    What is `never_excused` is a problem also of a competition that says that it breaks the check.
    """

    what: str
    advice: str
    file: Path | None = None
    line: int | None = None
    never_excused: bool = False


@dataclass(frozen=True)
class Judgement:
    """What a check answers; `note` says why it does not apply, or what was measured."""

    result: Result
    note: str | None = None
    problems: tuple[Problem, ...] = ()


class NotApplicableError(Exception):
    """Raised inside a check that has nothing to look at; the message is a clause that says why."""


def judged(problems: Iterable[Problem], note: str | None = None) -> Judgement:
    """Passed if there is no problem."""
    found = tuple(problems)
    return Judgement("failed" if found else "passed", note, found)


def not_applicable(why: str) -> Judgement:
    """The answer of a check that has nothing to look at."""
    return Judgement("not applicable", why)


@dataclass(frozen=True)
class Check:
    """A check: a stable id, what holds if it passes, when it is made, what it costs, and the function that makes it.

    Checks of the stage `data` take a `mlebench.data.prepared_checks.PreparedData`, others a
    `mlebench.checking.subject.Subject`. A competition whose data breaks a check that may be excused says so in its
    declaration: `breaks=["id"]`.
    """

    id: str
    title: str
    stage: Stage
    cost: Cost
    function: Callable[[Any], Judgement]

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise MlebenchError(f"{self.id!r} cannot be the id of a check: use small letters, digits and underscores.")
        if self.stage not in STAGES or self.cost not in get_args(Cost):
            raise MlebenchError(f"The check {self.id} has an unknown stage or cost.")

    def to_dict(self) -> dict[str, str]:
        """Plain values for JSON."""
        return {"id": self.id, "check": self.title, "stage": self.stage, "cost": self.cost}


def check(id: str, title: str, *, stage: Stage, cost: Cost) -> Callable[[Callable[[Any], Judgement]], Check]:
    """Decorator: the function becomes a check of its module."""
    return lambda function: Check(id, title, stage, cost, function)


@dataclass(frozen=True)
class Outcome:
    """What became of one check of a competition."""

    check: Check
    subject: str
    judgement: Judgement

    @property
    def result(self) -> Result:
        """Whether it passed, failed, or does not apply."""
        return self.judgement.result

    @property
    def note(self) -> str | None:
        """Why it does not apply, or what was measured."""
        return self.judgement.note

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The problems as findings whose code is the id of the check."""
        return tuple(
            Finding(
                self.subject,
                self.check.id,
                "error",
                problem.what,
                problem.advice,
                Evidence(problem.file, problem.line),
            )
            for problem in self.judgement.problems
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        problems = [
            {
                "what": finding.message,
                "advice": finding.advice,
                "file": str(finding.evidence.file) if finding.evidence.file else None,
                "line": finding.evidence.line,
            }
            for finding in self.findings
        ]
        return self.check.to_dict() | {"result": self.result, "note": self.note, "problems": problems}


def checks_in(module: ModuleType) -> list[Check]:
    """The checks that a module has, in the order in which they are written."""
    return [value for value in vars(module).values() if isinstance(value, Check)]


def registered_checks() -> list[Check]:
    """The checks that installed packages have registered."""
    found: list[Check] = []
    for point in entry_point_objects(ENTRY_POINT_GROUP):
        if isinstance(point.thing, Check):
            found.append(point.thing)
        elif isinstance(point.thing, ModuleType):
            found += checks_in(point.thing)
        else:
            raise MlebenchError(f"{point.value}, which is registered in {ENTRY_POINT_GROUP}, is not a check.")
    return found


def by_stage(checks: Iterable[Check]) -> list[Check]:
    """Checks by stage; an id that two of them have is refused."""
    found: dict[str, Check] = {}
    for entry in checks:
        if found.setdefault(entry.id, entry) is not entry:
            raise MlebenchError(f"Two checks have the id {entry.id}.", hint="Uninstall one of the packages.")
    return sorted(found.values(), key=lambda entry: STAGES.index(entry.stage))


def line_with(path: Path, pattern: str) -> int | None:
    """The number of the first line of a Python file that a pattern is found in, comments left out."""
    if not path.is_file():
        return None
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    code = (line.partition("#")[0] for line in lines)
    return next((number for number, line in enumerate(code, start=1) if re.search(pattern, line)), None)


def at_place(place: str | None) -> tuple[Path | None, int | None]:
    """File and line of a place as `mlebench.base.author_code` writes it."""
    if place is None:
        return None, None
    file, _, line = place.rpartition(", line ")
    return (Path(file), int(line)) if file else (Path(place), None)


def placed(what: str, advice: str, file: Path, pattern: str) -> Problem:
    """A problem at the place that a sentence of `mlebench.base.author_code` ends with, which is then not repeated.

    A sentence without one is about the first line of the file in which the pattern is found.
    """
    found = re.search(r" \(([^()]+, line \d+)\)(?=\.)", what)
    if found is None:
        return Problem(what, advice, file if file.is_file() else None, line_with(file, pattern))
    return Problem(what[: found.start()] + what[found.end() :], advice, *at_place(found[1]))
