"""`mlebench failures`: why runs have no medal."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlebench.base.wording import counted
from mlebench.cli.common import GivenPath, json_option, registry_options, wide_option
from mlebench.cli.output import print_error, print_json, print_table
from mlebench.cli.progress import show_progress
from mlebench.cli.run import runs_dir_option
from mlebench.cli.sources import partial_option
from mlebench.competition.registry import Registry

if TYPE_CHECKING:
    from mlebench.analysis.failures import Failure


@click.command("failures", short_help="Why runs have no medal")
@click.argument("groups", metavar="GROUPS", nargs=-1, required=True, type=GivenPath())
@partial_option
@wide_option
@json_option
@runs_dir_option
@registry_options
def command(registry: Registry, groups: tuple[Path, ...], runs_dir: Path, partial: bool, as_json: bool) -> None:
    """Say why the runs of GROUPS that have no medal have none, and count the causes."""
    with show_progress("Looking for causes"):
        from mlebench.analysis.failures import failures
        from mlebench.results.finding import find_all
        from mlebench.results.groups import open_group, refuse_same_ids, require_counted

        chosen = [require_counted(open_group(path), partial=partial) for path in find_all(groups, runs_dir)]
        refuse_same_ids(group_runs.group for group_runs in chosen)
        found = [failure for group_runs in chosen for failure in failures(group_runs.group, registry)]
    runs = sum(len(group_runs.runs) for group_runs in chosen)
    if as_json:
        _print_json(found, runs)
        return
    if found:
        rows = [
            [failure.agent, failure.competition_id, failure.seed, failure.finding.message, failure.evidence]
            for failure in found
        ]
        print_table(
            ["agent", "competition", "seed", "cause", "shown by"],
            rows,
            right=["seed"],
            drop=["agent"] if len({failure.agent for failure in found}) == 1 else [],
            wrap={"cause": 14, "shown by": 24},
        )
        click.echo()
        _print_counts(found)
        click.echo()
    click.echo(f"{len(found)} of {counted(runs, 'run')} without a medal.")
    for note in (note for group_runs in chosen for note in group_runs.notes):
        print_error(note, label="note")


def _print_counts(found: list[Failure]) -> None:
    from mlebench.analysis.failures import counts

    for by in ("agent", "category"):
        counted_by = counts(found, by)
        total = Counter(failure.cause for failure in found)
        causes = [cause for cause, _ in total.most_common()]
        rows = [[cause, *(counted_by[name][cause] or None for name in counted_by)] for cause in causes]
        print_table([f"runs by {by}", *counted_by], rows, right=list(counted_by))
        if by == "agent":
            click.echo()


def _print_json(found: list[Failure], runs: int) -> None:
    from mlebench.analysis.failures import counts

    print_json(
        {
            "runs": runs,
            "without_medal": len(found),
            "causes": dict(Counter(failure.cause for failure in found).most_common()),
            "codes": dict(Counter(failure.code.value for failure in found).most_common()),
            "agents": {name: dict(causes) for name, causes in counts(found, "agent").items()},
            "categories": {name: dict(causes) for name, causes in counts(found, "category").items()},
            "failures": [failure.to_dict() for failure in found],
        }
    )
