"""`mlebench compare`: which agent is better, and how sure one can be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlebench.base.wording import counted
from mlebench.cli.common import CompetitionId, SplitName, competitions_option, json_option, wide_option
from mlebench.cli.output import print_error, print_json, print_table, print_text
from mlebench.cli.progress import show_progress
from mlebench.cli.run import runs_dir_option
from mlebench.cli.sources import partial_option, sources_argument
from mlebench.competition.registry import Registry

if TYPE_CHECKING:
    from mlebench.analysis.compare import Comparison
    from mlebench.analysis.statistics import Interval


@click.command("compare", short_help="Which agent is better, and how sure one can be")
@sources_argument
@click.option("--split", "splits", type=SplitName(), multiple=True, help="Only this split (repeatable).")
@click.option("-c", "--competition-id", "ids", type=CompetitionId(), multiple=True, help="Only this one (repeatable).")
@click.option(
    "--pad-missing", is_flag=True, help="Count runs that only one of two agents has as failures of the other."
)
@partial_option
@wide_option
@json_option
@runs_dir_option
@competitions_option
def command(
    registry: Registry,
    sources: tuple[Path, ...],
    splits: tuple[str, ...],
    ids: tuple[str, ...],
    pad_missing: bool,
    partial: bool,
    runs_dir: Path,
    as_json: bool,
) -> None:
    """Compare the REPORTS of agents, one source each: grading reports, run groups, or folders with reports."""
    if len(sources) < 2:
        raise click.UsageError("Give two sources or more, one per agent.")
    from mlebench import api

    with show_progress("Comparing"):
        compared = api.compare(
            *sources,
            split=splits,
            competition_id=ids,
            pad_missing=pad_missing,
            partial=partial,
            runs_dir=runs_dir,
            competitions_dir=registry.competitions_dirs,
        )
    if as_json:
        print_json(compared.to_dict())
        return
    for place, comparison in enumerate(compared):
        if place:
            click.echo()
        _print(comparison, several=len(compared) > 1)


def _print(compared: Comparison, *, several: bool) -> None:
    first, second = compared.first, compared.second
    print_text(
        f"{first} against {second}: {counted(len(compared.competitions), 'competition')}, "
        f"{counted(compared.pairs, 'pair')} of runs, "
        f"better in {len(compared.wins)}, worse in {len(compared.losses)}\n"
    )
    rows: list[list[str | float | None]] = []
    if compared.mcnemar is not None and compared.medals is not None:
        only = f"medals of one only: {compared.medals_first_only} and {compared.medals_second_only}"
        rows.append(["exact McNemar", only, compared.mcnemar.p_value, compared.mcnemar.adjusted])
        rows.append(["", _interval(compared.medals, "any medal", " points"), None, None])
    if compared.sign_flip is not None and compared.percentile is not None:
        what = _interval(compared.percentile, compared.percentile_measure, "")
        rows.append(["sign flips by competition", what, compared.sign_flip.p_value, compared.sign_flip.adjusted])
    counts = f"better in {len(compared.wins)}, worse in {counted(len(compared.losses), 'competition')}"
    rows.append(["sign test", counts, compared.sign_test.p_value, compared.sign_test.adjusted])
    header = ["test", "difference", "p"] + (["p (Holm)"] if several else [])
    print_table(
        header,
        [row[: len(header)] for row in rows],
        right=["p", "p (Holm)"],
        wrap={"test": 14, "difference": 24},
    )
    print_text(f"\n{compared.verdict}")
    if compared.detectable is not None:
        print_text(
            f"With this spread, {counted(len(compared.competitions), 'competition')} show a difference of "
            f"{compared.detectable:.1f} points four times out of five."
        )
    click.echo()
    details = []
    for result in compared.competitions:
        better = "-" if result.winner is None else (first, second)[result.winner]
        versus = (_versus(result.percentiles), _versus(result.scores))
        details.append([result.competition_id, better, result.medals_in_words, *versus])
    print_table(
        ["competition", "better", "medals", "percentile", "score"], details, drop=["score", "percentile", "medals"]
    )
    for warning in compared.warnings:
        print_error(warning, label="warning")


def _interval(interval: Interval, what: str, unit: str) -> str:
    return f"{what} {interval.difference:+.2f}{unit}, {interval.bounds}"


def _versus(values: tuple[float | None, float | None] | None) -> str | None:
    if values is None:
        return None
    return " : ".join("-" if value is None else f"{value:.6g}" for value in values)
