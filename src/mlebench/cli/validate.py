"""`mlebench validate`: is a file a valid submission?"""

from __future__ import annotations

from pathlib import Path

import click

from mlebench.cli.common import (
    GivenPath,
    competition_argument,
    edition_option,
    file_and_id,
    json_option,
    print_note_on_answers,
    registry_options,
)
from mlebench.cli.output import print_error, print_json
from mlebench.cli.progress import show_progress
from mlebench.competition.registry import Registry


@click.command("validate", short_help="Is a file a valid submission? Reveals no score")
@click.argument("submission", type=GivenPath())
@competition_argument
@json_option
@registry_options
@edition_option
def command(registry: Registry, submission: Path, competition_id: str, as_json: bool) -> int:
    """Say whether SUBMISSION is valid for the competition ID, and what is wrong, without revealing a score."""
    submission, competition_id = file_and_id(submission, competition_id)
    with show_progress("Validating"):
        from mlebench.grade.grading import VALID, refusal_of

        competition = registry.get_competition(competition_id)
        refusal = refusal_of(submission, competition)
    print_note_on_answers(competition)
    message = str(refusal) if refusal else VALID
    if as_json:
        print_json(
            {
                "competition_id": competition_id,
                "valid": refusal is None,
                "message": message,
                "refusal_code": refusal.code.value if refusal else None,
                "refusal_line": refusal.line if refusal else None,
                "refusal_column": refusal.column if refusal else None,
                "refusal_value": refusal.value if refusal else None,
            }
        )
    elif refusal is None:
        click.echo(message)
    else:
        print_error(message)
    return 0 if refusal is None else 1
