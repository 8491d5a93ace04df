"""`mlebench verify`: is the prepared data still what it should be?"""

from __future__ import annotations

import time

import click

from mlebench.base.amounts import format_seconds
from mlebench.base.wording import counted
from mlebench.cli.common import (
    Selection,
    edition_option,
    json_option,
    registry_options,
    same_place,
    selection_options,
    wide_option,
)
from mlebench.cli.output import GOOD_OR_BAD, print_json, print_problems, print_table, print_text
from mlebench.cli.progress import show_progress
from mlebench.competition.registry import Registry
from mlebench.errors import NotPreparedError


@click.command("verify", short_help="Check that prepared data is what it should be")
@selection_options
@wide_option
@json_option
@registry_options
@edition_option
def command(registry: Registry, selection: Selection, as_json: bool) -> int:
    """Check prepared data: files, sizes, and that the sample submission scores what it should."""
    start = time.monotonic()
    chosen = selection.competitions(registry) if selection else registry.all_competitions()
    competitions = [found for found in chosen if found.prepared_dir.is_dir() or found.id in selection.ids]
    if not competitions:
        hint = f"Run: mlebench prepare -c ID{same_place(registry)}"
        raise NotPreparedError(f"Nothing is prepared in {registry.data_dir}.", hint=hint)
    missing = [competition.id for competition in competitions if not competition.prepared_dir.is_dir()]
    if missing:  # said before the others are read for hours
        hint = f"Run: mlebench prepare {Selection(tuple(missing), ()).options}{same_place(registry)}"
        are = "is" if len(missing) == 1 else "are"
        raise NotPreparedError(f"{', '.join(missing)} {are} not prepared in {registry.data_dir}.", hint=hint)
    with show_progress("Verifying", total=len(competitions)):
        from mlebench.data.verification import verify
        from mlebench.grade.grading import score_file

        results = [verify(competition, score_file) for competition in competitions]
    if as_json:
        print_json([result.to_dict() for result in results])
    else:
        header = ["competition", "result", "data", "known files", "sample score", "expected"]
        rows = [
            [
                result.competition_id,
                "ok" if result.passed else "differs",
                result.data,
                result.checked_files,
                result.sample_score,
                result.expected_sample_score,
            ]
            for result in results
        ]
        print_table(
            header,
            rows,
            right=["known files", "sample score", "expected"],
            drop=["known files", "expected", "data"],
            wrap={"data": 14},
            styles={"result": GOOD_OR_BAD},
        )
    print_problems((result.competition_id, str(difference)) for result in results for difference in result.differences)
    print_problems(((result.competition_id, note) for result in results for note in result.notes), label="note")
    differing = [result.competition_id for result in results if not result.passed]
    if not as_json:
        found = f"{counted(len(differing), 'competition')} with differences" if differing else "all as prepared"
        took = format_seconds(time.monotonic() - start)
        print_text(f"\nChecked {counted(len(results), 'competition')} in {took}: {found}.", err=bool(differing))
    if differing and not as_json:
        chosen_again = Selection(tuple(differing), ()).options
        click.echo(f"Next: mlebench prepare {chosen_again} --force{same_place(registry)}", err=True)
    return 1 if differing else 0
