"""`mlebench status`: what is on disk."""

from __future__ import annotations

from pathlib import Path

import click

from mlebench.cli.common import chosen_competitions, json_option, registry_options, selection_options
from mlebench.cli.output import print_json, print_table
from mlebench.registry import Registry


@click.command("status")
@selection_options
@json_option
@registry_options
def command(
    registry: Registry,
    ids: tuple[str, ...],
    lite: bool,
    everything: bool,
    list_file: Path | None,
    split: str | None,
    as_json: bool,
) -> None:
    """Show what is on disk: downloaded, prepared, verified, edition, size and age."""
    from mlebench.data.status import status_of

    selected = bool(ids or lite or everything or list_file or split)
    chosen = chosen_competitions(registry, ids, lite, everything, list_file, split, default_all=True)
    found = [status_of(registry.get_competition(each)) for each in chosen]
    if not selected:
        found = [each for each in found if each.downloaded or each.prepared]
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
    click.echo(f"\n{sum(each.prepared for each in found)} competitions are prepared in {registry.data_dir}.")
