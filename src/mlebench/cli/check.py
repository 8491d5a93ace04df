"""`mlebench check ID`: everything that an author can get wrong, before anybody else finds it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from mlebench.base.findings import Evidence
from mlebench.base.wording import plain
from mlebench.cli.common import CompetitionId, edition_option, json_option, registry_options
from mlebench.cli.output import print_hanging, print_json, print_table, print_text
from mlebench.cli.progress import show_progress
from mlebench.competition.checks import Outcome
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry

_COLOURS = {"passed": "green", "failed": "red", "not applicable": ""}


@click.command("check", short_help="Find what is wrong with a competition")
@click.argument("competition_id", metavar="ID", type=CompetitionId(), required=False)
@click.option("--list", "list_them", is_flag=True, help="List the checks with their ids instead of making them.")
@click.option("--source", help="A mirror that holds ID.zip, to check on its raw data: a folder, or an address.")
@json_option
@registry_options
@edition_option
def command(registry: Registry, competition_id: str | None, list_them: bool, source: str | None, as_json: bool) -> int:
    """Check a competition as its author: description, preparation, grading, leaks, determinism, time and memory."""
    if list_them:
        _list(as_json)
        return 0
    if competition_id is None:
        raise click.UsageError("Give the ID of a competition, or --list.")
    competition = registry.get_competition(competition_id)
    outcomes = []
    for outcome in _shown_at_work(competition, source, quiet=as_json):
        outcomes.append(outcome)
        if not as_json:
            _show(outcome)
    failed = sum(outcome.result == "failed" for outcome in outcomes)
    if as_json:
        listed = [outcome.to_dict() for outcome in outcomes]
        print_json({"competition_id": competition.id, "passed": not failed, "checks": listed})
    else:
        passed = sum(outcome.result == "passed" for outcome in outcomes)
        print_text(
            f"{competition.id}: {passed} passed, {failed} failed, {len(outcomes) - passed - failed} not applicable."
        )
    return 1 if failed else 0


def _list(as_json: bool) -> None:
    from mlebench.checking.checker import all_checks

    checks = all_checks()
    if as_json:
        print_json({"checks": [entry.to_dict() for entry in checks]})
        return
    header = ["id", "stage", "cost", "check"]
    print_table(header, [[entry.id, entry.stage, entry.cost, entry.title] for entry in checks])


def _shown_at_work(competition: LocalCompetition, source: str | None, *, quiet: bool) -> Iterator[Outcome]:
    """The outcomes as they come; what goes on before each is shown."""
    with show_progress("Checking", quiet=quiet):
        from mlebench.checking.checker import check

        outcomes = check(competition, source=source)
        found = next(outcomes, None)
    while found is not None:
        yield found
        with show_progress("Checking", quiet=quiet):
            found = next(outcomes, None)


def _show(outcome: Outcome) -> None:
    note = f" ({outcome.note})" if outcome.note else ""
    print_hanging(f"{outcome.result:<16}", f"{outcome.check.title}{note}", start_style=_COLOURS[outcome.result])
    for finding in outcome.findings:
        print_text(f"    {_place(finding.evidence)}:")
        print_hanging("      ", plain(f"{finding.message} {finding.advice or ''}".rstrip()))


def _place(evidence: Evidence) -> str:
    """File and line as an editor opens them, from the current folder where that is shorter."""
    if evidence.file is None:
        return "-"
    try:
        name = min(str(evidence.file), os.path.relpath(evidence.file), key=len)
    except ValueError:  # on another drive
        name = str(evidence.file)
    return f"{name}, line {evidence.line}" if evidence.line else name
