"""`mlebench aggregate`: the benchmark's headline over seeds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlebench.base.amounts import format_bytes, format_mean, format_seconds
from mlebench.base.wording import counted
from mlebench.cli.common import CompetitionId, GivenPath, SplitName, competitions_option, json_option, wide_option
from mlebench.cli.output import print_error, print_json, print_table, print_text
from mlebench.cli.progress import show_progress
from mlebench.cli.run import runs_dir_option
from mlebench.cli.sources import (
    num_seeds_option,
    pad_option,
    partial_option,
    sources_argument,
)
from mlebench.competition.registry import Registry

if TYPE_CHECKING:
    from mlebench.analysis.aggregate import Aggregate, Aggregation, Estimate


_MOST_TIMES = 8  # of the score over time that are shown; JSON has all


@click.command("aggregate", short_help="Medals over seeds: mean and standard error")
@sources_argument
@click.option("--split", "splits", type=SplitName(), multiple=True, help="Only this split (repeatable).")
@click.option("-c", "--competition-id", "ids", type=CompetitionId(), multiple=True, help="Only this one (repeatable).")
@num_seeds_option
@pad_option
@partial_option
@click.option("--experiment-id", help="Aggregate the run groups of this experiment.")
@click.option(
    "--experiments",
    type=GivenPath(dir_okay=False),
    help="CSV file with the columns experiment_id,run_group. Default: run_group_experiments.csv in --runs-dir.",
)
@runs_dir_option
@wide_option
@json_option
@competitions_option
def command(
    registry: Registry,
    sources: tuple[Path, ...],
    splits: tuple[str, ...],
    ids: tuple[str, ...],
    num_seeds: int | None,
    pad_missing: bool,
    partial: bool,
    experiment_id: str | None,
    experiments: Path | None,
    runs_dir: Path,
    as_json: bool,
) -> None:
    """Average the REPORTS of one agent over seeds: grading reports, run groups, or folders with reports."""
    from mlebench import api

    if not sources and experiment_id is None:
        raise click.UsageError("Say which reports: files, run groups or folders, or --experiment-id ID.")
    with show_progress("Averaging"):
        result = api.aggregate(
            *sources,
            split=splits,
            competition_id=ids,
            num_seeds=num_seeds,
            pad_missing=pad_missing,
            partial=partial,
            experiment_id=experiment_id,
            experiments=experiments,
            runs_dir=runs_dir,
            competitions_dir=registry.competitions_dirs,
        )
    if as_json:
        print_json(result.to_dict())
    else:
        _print(result)


def _print(result: Aggregation) -> None:
    from mlebench.analysis.aggregate import SHARES

    names, parts = list(result.splits), list(result.splits.values())
    rows: list[list[str | int]] = [["seeds", *(part.num_seeds_averaged for part in parts)]]
    rows.append(["competitions", *(part.num_competitions_per_seed for part in parts)])
    rows += [[f"{share} %", *(_mean(part.shares[share], part) for part in parts)] for share in SHARES]
    rows.append(["normalised_score", *(_mean(part.normalised_score, part) for part in parts)])
    rows.append(["human_percentile", *(_mean(part.human_percentile, part) for part in parts)])
    most = max(part.num_seeds_averaged for part in parts)
    for k in range(2, most + 1):
        shown = [f"{part.pass_at_k[k]:.2f}" if k in part.pass_at_k else "-" for part in parts]
        rows.append([f"pass@{k} %", *shown])
    print_text(f"{result.name}, edition {result.edition}\n")
    print_table(["mean ± standard error", *names], rows, right=names)
    headline = list(result.splits.values())[-1].shares["any_medal"]
    if headline.t_lower is not None and headline.t_upper is not None:
        print_text(
            f"\nAny medal, {names[-1]}: 95 % from {headline.ci_lower:.2f} to {headline.ci_upper:.2f} (normal, as "
            f"published), from {headline.t_lower:.2f} to {headline.t_upper:.2f} (Student's t)."
        )
    if result.over_time:
        times = result.over_time
        few = times if len(times) <= _MOST_TIMES else [*times[:: len(times) // _MOST_TIMES + 1], times[-1]]
        rates = [f"{row['any_medal']:.2f} % after {format_seconds(row['seconds'])}" for row in few]
        print_text(f"Any medal over time: {', '.join(rates)}.")
    if result.cost:
        cost = result.cost
        memory = f", peak {format_bytes(cost.peak_memory_mb * (1 << 20))}" if cost.peak_memory_mb is not None else ""
        tokens = ""
        if cost.counted is not None:
            price = "price unknown" if cost.counted.usd is None else f"{cost.counted.usd:.2f} USD"
            tokens = f", {cost.counted.tokens:,} tokens, {price}"
        if cost.usd is not None and cost.input_tokens is not None and cost.output_tokens is not None:
            reported = f", {cost.input_tokens + cost.output_tokens:,} tokens, {cost.usd:.2f} USD"
            tokens += f"{reported} as reported by agents" if tokens else reported
        print_text(f"Cost: {counted(cost.runs, 'run')}, {format_seconds(cost.hours * 3600)}{memory}{tokens}.")
    if result.checks:
        from mlebench.results.checks import in_words

        print_text(f"Checks: {in_words(result.checks)}.")
    notes = [*result.notes, *(note for part in parts for note in part.notes)]
    for note in dict.fromkeys(notes):
        print_error(note, label="note")


def _mean(estimate: Estimate | None, part: Aggregate) -> str:
    """A mean with its standard error, which one seed does not have."""
    return "-" if estimate is None else format_mean(estimate.mean, estimate.standard_error, part.num_seeds_averaged)
