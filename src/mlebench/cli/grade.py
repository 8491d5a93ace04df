"""`mlebench grade` and `mlebench grade-sample`: score submissions."""

from __future__ import annotations

import os
from pathlib import Path

import click

from mlebench.cli.common import competition_argument, edition_option, json_option, registry_options
from mlebench.cli.output import counted, print_json, print_table, progress_bar
from mlebench.leaderboard import MEDALS
from mlebench.registry import Registry


@click.command("grade")
@click.option(
    "--submission",
    required=True,
    type=click.Path(path_type=Path),
    help="JSONL file: one {competition_id, submission_path} per line; lines that begin with # or // are skipped.",
)
@click.option("--output-dir", required=True, type=click.Path(path_type=Path), help="Where the grading report goes.")
@click.option("--workers", type=click.IntRange(min=1), help="How many processes to use. Default: one per core.")
@json_option
@registry_options
@edition_option
def command(registry: Registry, submission: Path, output_dir: Path, workers: int | None, as_json: bool) -> int:
    """Grade many submissions and write a grading report."""
    from mlebench.grade.batch import grade_jsonl, read_submission_list

    if workers is None and len(read_submission_list(submission)[0]) > 1:
        workers = os.cpu_count() or 1
    with progress_bar("Grading") as advance:
        summary = grade_jsonl(submission, output_dir, registry, workers=workers, progress=advance)
    if as_json:
        print_json(summary)
    else:
        rows = [
            [
                report["competition_id"],
                report["score"],
                _medal(report),
                "yes" if report["above_median"] else "no",
                report["human_percentile"],
                report["refusal"] or "",
            ]
            for report in summary["competition_reports"]
        ]
        header = ["competition", "score", "medal", "above median", "percentile", "refused because"]
        print_table(header, rows, right=["score", "percentile"])
        click.echo(
            f"\n{counted(summary['total_runs'], 'submission')}: {summary['total_valid_submissions']} valid, "
            f"{counted(summary['total_medals'], 'medal')} ({summary['total_gold_medals']} gold, "
            f"{summary['total_silver_medals']} silver, {summary['total_bronze_medals']} bronze), "
            f"{summary['total_above_median']} above the median."
        )
        click.echo(f"Report: {summary['report_path']}")
    for error in summary["errors"]:
        click.echo(f"error: {submission}, line {error['line']}: {error['reason']}", err=True)
    return 1 if summary["errors"] else 0


def _medal(report: dict[str, object]) -> str:
    return next((colour for colour in MEDALS if report[f"{colour}_medal"]), "-")


@click.command("grade-sample")
@click.argument("submission", type=click.Path(path_type=Path))
@competition_argument
@registry_options
@edition_option
def sample_command(registry: Registry, submission: Path, competition_id: str) -> int:
    """Grade one SUBMISSION file for the competition ID; prints its report as JSON."""
    from mlebench.grade.grading import grade_csv

    report = grade_csv(submission, registry.get_competition(competition_id))
    if report.refusal:
        click.echo(f"Invalid submission: {report.refusal}", err=True)
    print_json(report.to_dict(), flat=True)
    return 0  # as published; the exit code of `validate` tells whether a submission is valid
