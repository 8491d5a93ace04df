"""`mlebench audit`: does anything public give the answers away, and are there scores that nobody reaches honestly?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlebench.base.amounts import format_seconds
from mlebench.base.wording import counted, plain
from mlebench.cli.common import (
    GivenPath,
    Selection,
    edition_option,
    json_option,
    registry_options,
    selection_options,
    wide_option,
)
from mlebench.cli.output import print_error, print_hanging, print_json, print_table, print_text
from mlebench.cli.progress import show_progress
from mlebench.cli.run import runs_dir_option
from mlebench.cli.sources import partial_option
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import DEFAULT_EDITION, Edition
from mlebench.errors import MlebenchError, NotPreparedError, UnknownCompetitionError

if TYPE_CHECKING:
    from mlebench.audit.auditing import Audit
    from mlebench.audit.reports import Suspect
    from mlebench.competition.local import LocalCompetition

_COLOURS = {"leak": "bold red", "suspicious": "yellow", "note": ""}


@click.command("audit", short_help="Find what gives the answers away")
@selection_options
@click.option("--results", "of_results", is_flag=True, help="Look at the scores in grading reports instead.")
@click.argument("reports", metavar="REPORT", nargs=-1, type=GivenPath())
@partial_option
@wide_option
@json_option
@runs_dir_option
@registry_options
@edition_option
def command(
    registry: Registry,
    selection: Selection,
    of_results: bool,
    reports: tuple[Path, ...],
    partial: bool,
    runs_dir: Path,
    as_json: bool,
) -> int:
    """Look for leaks in prepared data, public and private, and say what each is worth.

    With --results, point at scores that nobody reaches honestly: in REPORTs, which are grading reports or run groups.
    """
    if reports and not of_results:
        raise click.UsageError("REPORT needs --results; competitions are chosen with -c ID, --split or -a.")
    if of_results:
        if not reports:
            raise click.UsageError("Name one grading report or run group or more: mlebench audit --results REPORT.")
        return _audit_results(registry, reports, runs_dir, as_json, partial=partial)
    started = time.monotonic()
    competitions = _chosen(registry, selection)
    with show_progress("Auditing", total=len(competitions), quiet=as_json):
        from mlebench.audit.auditing import audit_or_problem

        audits = [audit_or_problem(competition) for competition in competitions]
    if as_json:
        print_json({"competitions": [found.to_dict() for found in audits if found.problem is None]})
    else:
        for found in audits:
            _show(found)
    for found in audits:
        if found.problem is not None:
            print_error(f"{found.competition_id}: {found.problem}")
    leaks = [found for found in audits if found.leaks]
    if not as_json:
        took = format_seconds(time.monotonic() - started)
        done = counted(sum(found.problem is None for found in audits), "competition")
        print_text(f"Audited {done} in {took}: {counted(len(leaks), 'competition')} with leaks.")
    return 1 if leaks or any(found.problem is not None for found in audits) else 0


def _chosen(registry: Registry, selection: Selection) -> list[LocalCompetition]:
    """What the user chose; of a split, what is prepared of it, and of ids all, since those must be."""
    chosen = selection.competitions(registry)
    found = [
        competition for competition in chosen if competition.prepared_dir.is_dir() or competition.id in selection.ids
    ]
    if not found:
        raise NotPreparedError(
            f"None of the {len(chosen)} competitions is prepared in {registry.data_dir}.",
            hint=f"Run: mlebench prepare {selection.options} --data-dir {registry.data_dir}",
        )
    return found


def _show(found: Audit) -> None:
    if found.problem is not None:
        return
    took = format_seconds(found.seconds)
    head = f"{found.competition_id} ({found.edition}, {took})"
    print_text(f"{head}: {'nothing found' if not found.findings else counted(len(found.findings), 'finding')}.")
    for finding in found.findings:
        print_hanging(
            f"  {finding.severity:<12}",
            plain(f"{finding.kind}: {finding.where}", 300),
            start_style=_COLOURS[finding.severity],
        )
        print_hanging("              ", plain(finding.evidence, 1200))
    if found.left_out:
        print_text(f"  {counted(found.left_out, 'further finding')} of less worth left out.")
    for note in (*found.notes, *found.failed_searches):
        print_hanging("  note: ", plain(note, 400))


def _audit_results(registry: Registry, names: tuple[Path, ...], runs_dir: Path, as_json: bool, *, partial: bool) -> int:
    with show_progress("Reading reports", quiet=as_json):
        from mlebench.results.finding import find_all
        from mlebench.results.sources import read_source

        sources = [read_source(path, partial=partial) for path in find_all(names, runs_dir)]
        reports = [saved for source in sources for saved in source.reports]
        found, notes = _suspects(registry, [saved for saved in reports if saved.report.score is not None])
        notes += [note for source in sources for note in source.notes]
    if as_json:
        print_json({"reports": len(reports), "suspicious": [suspect.to_dict() for suspect in found]})
    elif found:
        rows = [
            [suspect.competition_id, suspect.score, suspect.code, suspect.reason, suspect.run_id] for suspect in found
        ]
        print_table(
            ["competition", "score", "code", "reason", "run"], rows, right=["score"], wrap={"reason": 24}, drop=["run"]
        )
    if not as_json:
        scores = len({(suspect.competition_id, suspect.score, suspect.submission, suspect.run_id) for suspect in found})
        print_text(f"{scores} of {counted(len(reports), 'report')} with a score to look at.")
        for note in notes:
            print_error(note, label="note")
    return 1 if found else 0


def _suspects(registry: Registry, reports: list[Any]) -> tuple[list[Suspect], list[str]]:
    """The scores to look at. What leaks are worth is known where the data that was graded on is prepared here."""
    from dataclasses import replace

    from mlebench.audit.auditing import audit_or_problem
    from mlebench.audit.reports import suspects

    audits: dict[tuple[str, str], Audit] = {}
    humans: dict[str, Any] = {}
    notes = []
    for saved in reports:
        report = saved.report
        edition: Edition = report.edition or DEFAULT_EDITION
        place = (report.competition_id, edition)
        if place in audits:
            continue
        try:
            competition = replace(registry, edition=edition).get_competition(report.competition_id)
            humans[report.competition_id] = None if saved.is_twin else competition.human_leaderboard()
        except (UnknownCompetitionError, MlebenchError) as error:
            notes.append(f"{report.competition_id}: {error}")
            continue
        if competition.prepared_dir.is_dir():
            audits[place] = audit_or_problem(competition)
    found = []
    for saved in reports:
        known = None if saved.is_twin else humans.get(saved.report.competition_id)
        found += suspects(saved.report, known, audits)
    return found, list(dict.fromkeys(notes))
