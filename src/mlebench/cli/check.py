"""`mlebench check ID`: everything that an author can get wrong, before anybody else finds it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from mlebench.base.wording import plain
from mlebench.checking.outcomes import Outcome, Problem
from mlebench.cli.common import competition_argument, edition_option, json_option, registry_options
from mlebench.cli.output import print_hanging, print_json, print_text
from mlebench.cli.progress import show_progress
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry

_COLOURS = {"passed": "green", "failed": "red", "not applicable": ""}


@click.command("check", short_help="Find what is wrong with a competition")
@competition_argument
@json_option
@registry_options
@edition_option
def command(registry: Registry, competition_id: str, as_json: bool) -> int:
    """Check a competition as its author: description, preparation, grading, leaks, determinism, time and memory."""
    competition = registry.get_competition(competition_id)
    outcomes = []
    for outcome in _shown_at_work(competition, quiet=as_json):
        outcomes.append(outcome)
        if not as_json:
            _show(outcome)
    failed = sum(each.result == "failed" for each in outcomes)
    if as_json:
        listed = [each.to_dict() for each in outcomes]
        print_json({"competition_id": competition.id, "passed": not failed, "checks": listed})
    else:
        passed = sum(each.result == "passed" for each in outcomes)
        print_text(
            f"{competition.id}: {passed} passed, {failed} failed, {len(outcomes) - passed - failed} not applicable."
        )
    return 1 if failed else 0


def _shown_at_work(competition: LocalCompetition, *, quiet: bool) -> Iterator[Outcome]:
    """The outcomes as they come; what goes on before each is shown."""
    with show_progress("Checking", quiet=quiet):
        from mlebench.checking.checker import check

        outcomes = check(competition)
        found = next(outcomes, None)
    while found is not None:
        yield found
        with show_progress("Checking", quiet=quiet):
            found = next(outcomes, None)


def _show(outcome: Outcome) -> None:
    note = f" ({outcome.note})" if outcome.note else ""
    print_hanging(f"{outcome.result:<16}", f"{outcome.check}{note}", start_style=_COLOURS[outcome.result])
    for problem in outcome.problems:
        print_text(f"    {_place(problem)}:")
        print_hanging("      ", plain(f"{problem.what} {problem.advice}"))


def _place(problem: Problem) -> str:
    """File and line as an editor opens them, from the current folder where that is shorter."""
    if problem.file is None:
        return "-"
    try:
        name = min(str(problem.file), os.path.relpath(problem.file), key=len)
    except ValueError:  # on another drive
        name = str(problem.file)
    return f"{name}, line {problem.line}" if problem.line else name
