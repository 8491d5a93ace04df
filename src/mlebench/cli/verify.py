"""`mlebench verify`: is the prepared data still what it should be?"""

from __future__ import annotations

import click

from mlebench.cli.common import Selection, edition_option, json_option, registry_options, selection_options, wide_option
from mlebench.cli.output import GOOD_OR_BAD, print_error, print_json, print_table
from mlebench.errors import NotPreparedError
from mlebench.registry import Registry


@click.command("verify", short_help="Check that prepared data is what it should be")
@selection_options
@wide_option
@json_option
@registry_options
@edition_option
def command(registry: Registry, selection: Selection, as_json: bool) -> int:
    """Check prepared data: files, sizes, and that the sample submission scores what it should."""
    from mlebench.data.verify import verify
    from mlebench.grade.grading import score_file

    chosen = selection.competitions(registry) if selection else registry.all_competitions()
    competitions = [each for each in chosen if each.prepared_dir.is_dir() or each.id in selection.ids]
    if not competitions:
        raise NotPreparedError(f"Nothing is prepared in {registry.data_dir}.", hint="Run: mlebench prepare -c ID")
    results = [verify(each, score_file) for each in competitions]
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
    for result in results:
        for difference in result.differences:
            print_error(f"{result.competition_id}: {difference}")
    return 0 if all(result.passed for result in results) else 1
