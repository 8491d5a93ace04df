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
        from mlebench.base.progress import each as each_told
        from mlebench.data.on_disk import status_of

        competitions = selection.competitions(registry) if selection else registry.all_competitions()
        found = [
            status
            for competition in each_told(competitions, "measure", unit="competitions")
            for edition in EDITIONS
            if _is_shown(status := status_of(competition.in_edition(edition)), edition, bool(selection))
        ]
    if as_json:
        print_json([each.to_dict() for each in found])
        return _report_problems(found)
    header = ["competition", "downloaded", "prepared", "verified", "data", "edition", "MB", "age in days"]
    rows = [
        [
            each.competition_id,
            each.downloaded,
            each.prepared,
            each.verified,
            each.data_and_origin,
            each.edition,
            round(each.bytes / 1e6, 1),
            each.age_days,
        ]
        for each in found
    ]
    print_table(
        header,
        rows,
        right=["MB", "age in days"],
        drop=["downloaded", "age in days", "verified", "MB", "edition"],
        wrap={"data": 14},
        styles={
            "competition": {each.competition_id: "red" for each in found if each.problem},
            "prepared": {"yes": "green"},
            "verified": {"yes": "green"},
        },
    )
    prepared = counted(sum(each.prepared for each in found), "competition")
    print_text(f"\n{prepared} prepared in {registry.data_dir}.")
    return _report_problems(found)


def _report_problems(found: list[Status]) -> int:
    print_problems(((each.competition_id, each.note) for each in found if each.note), label="note")
    print_problems((each.competition_id, each.problem) for each in found if each.problem)
    return 1 if any(each.problem for each in found) else 0
