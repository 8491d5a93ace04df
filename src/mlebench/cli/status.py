"""`mlebench status`: what is on disk."""

from __future__ import annotations

import click

from mlebench.cli.common import Selection, json_option, registry_options, selection_options
from mlebench.cli.output import counted, print_json, print_table
from mlebench.registry import Registry


@click.command("status")
@selection_options
@json_option
@registry_options
def command(registry: Registry, selection: Selection, as_json: bool) -> None:
    """Show what is on disk: downloaded, prepared, verified, edition, size and age."""
    from mlebench.data.status import status_of

    if selection:
        found = [status_of(each) for each in selection.competitions(registry)]
    else:
        statuses = (status_of(each) for each in registry.all_competitions())
        found = [each for each in statuses if each.downloaded or each.prepared]
    if as_json:
        print_json([each.to_dict() for each in found])
        return
    header = ["competition", "downloaded", "prepared", "verified", "data", "edition", "MB", "age in days"]
    rows = [
        [
            each.competition_id,
            each.downloaded,
            each.prepared,
            each.verified,
            each.data,
            each.edition,
            round(each.bytes / 1e6, 1),
            each.age_days,
        ]
        for each in found
    ]
    print_table(header, rows, right=["MB", "age in days"])
    click.echo(f"\n{counted(sum(each.prepared for each in found), 'competition')} prepared in {registry.data_dir}.")
