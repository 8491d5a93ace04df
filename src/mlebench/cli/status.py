"""`mlebench status`: what is on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mlebench.base.wording import counted
from mlebench.cli.common import Selection, json_option, registry_options, selection_options, wide_option
from mlebench.cli.output import print_json, print_problems, print_table, print_text
from mlebench.cli.progress import show_progress
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import DEFAULT_EDITION, EDITIONS, Edition

if TYPE_CHECKING:
    from mlebench.data.on_disk import Status


def _is_shown(status: Status, edition: Edition, asked_for: bool) -> bool:
    """Every prepared edition; the default one also where only its archive is there, or where it was asked for."""
    return status.prepared or (edition == DEFAULT_EDITION and (asked_for or status.downloaded))


@click.command("status", short_help="What is on disk")
@selection_options
@wide_option
@json_option
@registry_options
def command(registry: Registry, selection: Selection, as_json: bool) -> int:
    """Show what is on disk: downloaded, prepared, verified, edition, size and age."""
    with show_progress("Looking at the data folder"):
        from mlebench.base.progress import each as with_progress
        from mlebench.data.on_disk import status_of

        competitions = selection.competitions(registry) if selection else registry.all_competitions()
        found = [
            status
            for competition in with_progress(competitions, "measure", unit="competitions")
            for edition in EDITIONS
            if _is_shown(status := status_of(competition.in_edition(edition)), edition, bool(selection))
        ]
    if as_json:
        print_json([status.to_dict() for status in found])
        return _report_problems(found)
    header = ["competition", "downloaded", "prepared", "verified", "data", "edition", "MB", "age in days"]
    rows = [
        [
            status.competition_id,
            status.downloaded,
            status.prepared,
            status.verified,
            status.data_and_origin,
            status.edition,
            round(status.bytes / 1e6, 1),
            status.age_days,
        ]
        for status in found
    ]
    print_table(
        header,
        rows,
        right=["MB", "age in days"],
        drop=["downloaded", "age in days", "verified", "MB", "edition"],
        wrap={"data": 14},
        styles={
            "competition": {status.competition_id: "red" for status in found if status.problem},
            "prepared": {"yes": "green"},
            "verified": {"yes": "green"},
        },
    )
    prepared = counted(sum(status.prepared for status in found), "competition")
    print_text(f"\n{prepared} prepared in {registry.data_dir}.")
    return _report_problems(found)


def _report_problems(found: list[Status]) -> int:
    print_problems(((status.competition_id, status.note) for status in found if status.note), label="note")
    print_problems((status.competition_id, status.problem) for status in found if status.problem)
    return 1 if any(status.problem for status in found) else 0
