"""`mlebench grade` and `mlebench grade-sample`: score submissions."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import click

from mlebench.cli.common import competition_argument, edition_option, json_option, registry_options
from mlebench.cli.output import counted, print_json, print_table
from mlebench.cli.progress import show_progress
from mlebench.cli.quantities import in_time
from mlebench.leaderboard import MEDALS
from mlebench.registry import Registry


@click.command("grade")
@click.option(
    "--submission",
    type=click.Path(path_type=Path),
    help="JSONL file: one {competition_id, submission_path} per line; lines that begin with # or // are skipped.",
)
@click.option("--output-dir", type=click.Path(path_type=Path), help="Where the grading report goes.")
@click.option(
    "--run-group",
    type=click.Path(path_type=Path, file_okay=False),
    help="Grade the runs of this group instead; the report goes into its folder.",
)
@click.option(
    "--write-list",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --run-group: only write the JSONL file that --submission takes.",
)
@click.option("--workers", type=click.IntRange(min=1), help="How many processes to use. Default: one per core.")
@json_option
@registry_options
@edition_option
def command(
    registry: Registry,
    submission: Path | None,
    output_dir: Path | None,
    run_group: Path | None,
    write_list: Path | None,
    workers: int | None,
    as_json: bool,
) -> int:
    """Grade many submissions, or the runs of a group, and write a grading report."""
    if run_group is not None:
        if submission is not None or output_dir is not None:
            raise click.UsageError("--run-group grades into its own folder; leave --submission and --output-dir out.")
        return _grade_group(run_group, write_list, workers, as_json)
    if submission is None or output_dir is None:
        raise click.UsageError("Give --submission FILE and --output-dir DIR, or --run-group DIR.")
    start = time.monotonic()
    with show_progress("Grading", "submission") as display:
        from mlebench.grade.batch import grade_jsonl, read_submission_list

        if workers is None and len(read_submission_list(submission)[0]) > 1:
            workers = os.cpu_count() or 1
        summary = grade_jsonl(submission, output_dir, registry, workers=workers, progress=display.count)
    return _print_summary(summary, str(submission), time.monotonic() - start, as_json)


def _grade_group(run_group: Path, write_list: Path | None, workers: int | None, as_json: bool) -> int:
    from mlebench.runs.grading import grade_group, write_submission_list
    from mlebench.runs.group import open_group

    group = open_group(run_group)
    if write_list is not None:
        count = write_submission_list(group, write_list)
        click.echo(f"Wrote {counted(count, 'submission')} to {write_list}.")
        return 0
    start = time.monotonic()
    with show_progress("Grading", "submission") as display:
        summary = grade_group(group, workers=workers or os.cpu_count() or 1, progress=display.count)
    code = _print_summary(summary, str(run_group), time.monotonic() - start, as_json)
    if not as_json:
        click.echo(f"Next: mlebench aggregate {run_group}")
    if summary["not_ended"] and not as_json:
        click.echo(
            f"{counted(summary['not_ended'], 'run')} of the group has not ended and is not in the report.", err=True
        )
    return code


def _print_summary(summary: dict[str, Any], source: str, seconds: float, as_json: bool) -> int:
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
            f"\n{counted(summary['total_runs'], 'submission')} in {in_time(seconds)}: "
            f"{summary['total_valid_submissions']} valid, "
            f"{counted(summary['total_medals'], 'medal')} ({summary['total_gold_medals']} gold, "
            f"{summary['total_silver_medals']} silver, {summary['total_bronze_medals']} bronze), "
            f"{summary['total_above_median']} above the median."
        )
        click.echo(f"Report: {summary['report_path']}")
    for error in summary["errors"]:
        click.echo(f"error: {source}, line {error['line']}: {error['reason']}", err=True)
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
