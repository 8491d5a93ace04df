"""What a check of a competition found."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

Result: TypeAlias = Literal["passed", "failed", "not applicable"]


@dataclass(frozen=True)
class Problem:
    """One thing to mend: what is wrong, what to do, and where, as far as that is known."""

    what: str
    advice: str
    file: Path | None = None
    line: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of one check; `note` says why it does not apply, or what was measured."""

    check: str
    result: Result
    note: str | None = None
    problems: tuple[Problem, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        problems = [asdict(each) | {"file": str(each.file) if each.file else None} for each in self.problems]
        return {"check": self.check, "result": self.result, "note": self.note, "problems": problems}


def judged(check: str, problems: list[Problem], note: str | None = None) -> Outcome:
    """Passed if there is no problem."""
    return Outcome(check, "failed" if problems else "passed", note, tuple(problems))


def not_applicable(check: str, why: str) -> Outcome:
    """A check that has nothing to look at."""
    return Outcome(check, "not applicable", why)


def line_with(path: Path, pattern: str) -> int | None:
    """The number of the first line of a Python file that a pattern is found in, comments left out."""
    if not path.is_file():
        return None
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    code = (line.partition("#")[0] for line in lines)
    return next((number for number, line in enumerate(code, start=1) if re.search(pattern, line)), None)


def placed(what: str, advice: str, file: Path, pattern: str) -> Problem:
    """A problem at the place that a sentence of `mlebench.base.authored` ends with, which is not said twice then.

    A sentence without one is about the first line of the file in which the pattern is found.
    """
    found = re.search(r" \(([^()]+, line \d+)\)(?=\.)", what)
    if found is None:
        return Problem(what, advice, file if file.is_file() else None, line_with(file, pattern))
    return Problem(what[: found.start()] + what[found.end() :], advice, *at_place(found[1]))


def at_place(place: str | None) -> tuple[Path | None, int | None]:
    """File and line of a place as `mlebench.base.authored` writes it."""
    if place is None:
        return None, None
    file, _, line = place.rpartition(", line ")
    return (Path(file), int(line)) if file else (Path(place), None)
