"""`mlebench grade` and `mlebench grade-sample`: score submissions."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlebench.base.amounts import format_seconds
from mlebench.base.capacity import available_cores
from mlebench.base.codes import NoMedalCode
from mlebench.base.wording import counted, plain
from mlebench.cli import published
from mlebench.cli.common import (
    GivenPath,
    competition_argument,
    edition_option,
    file_and_id,
    json_option,
    named_places,
    print_note_on_answers,
    registry_options,
    wide_option,
)
from mlebench.cli.output import (
    MEDAL_STYLES,
    is_wide,
    print_error,
    print_fact,
    print_json,
    print_problems,
    print_table,
    print_text,
)
from mlebench.cli.progress import show_progress
from mlebench.cli.run import runs_dir_option
from mlebench.competition.leaderboard import MEDALS
from mlebench.competition.registry import Registry

if TYPE_CHECKING:
    from mlebench.grade.report import CompetitionReport
    from mlebench.results.groups import RunGroup
    from mlebench.results.trust import Named


@click.command("grade", short_help="Grade many submissions, or a run group")
@click.option(
    "--submission",
    type=GivenPath(),
    help="JSONL file: one {competition_id, submission_path} per line; lines that begin with # or // are skipped.",
)
@click.option("--output-dir", type=GivenPath(), help="Where the grading report goes.")
@click.option(
    "--run-group",
    "run_groups",
    multiple=True,
    type=GivenPath(),
    help="Grade the runs of this group instead: a folder, a name in --runs-dir, or latest. The report goes into its "
    "folder. More of them may follow.",
)
@click.argument("more", metavar="GROUPS", nargs=-1, type=GivenPath())
@click.option(
    "--write-list",
    type=GivenPath(dir_okay=False),
    help="With --run-group: only write the JSONL file that --submission takes.",
)
@click.option("--workers", type=click.IntRange(min=1), help="How many processes to use. Default: one per core.")
@runs_dir_option
@wide_option
@json_option
@registry_options
@edition_option
def command(
    registry: Registry,
    submission: Path | None,
    output_dir: Path | None,
    run_groups: tuple[Path, ...],
    more: tuple[Path, ...],
    runs_dir: Path,
    write_list: Path | None,
    workers: int | None,
    as_json: bool,
) -> int:
    """Grade many submissions, or the runs of groups, and write a grading report."""
    from mlebench.results.finding import find_all

    if more and not run_groups:
        raise click.UsageError(f"Say what {more[0]} is: --run-group {more[0]}, or --submission {more[0]}.")
    if run_groups:
        if submission is not None or output_dir is not None:
            raise click.UsageError("--run-group grades into its own folder; leave --submission and --output-dir out.")
        return _grade_groups(find_all((*run_groups, *more), runs_dir), named_places(), write_list, workers, as_json)
    if submission is None or output_dir is None:
        raise click.UsageError("Give --submission FILE and --output-dir DIR, or --run-group DIR.")
    start = time.monotonic()
    with show_progress("Grading", "submission") as display:
        from mlebench.grade.batch import grade_lines, read_submission_list

        lines, errors = read_submission_list(submission)  # once: a pipe cannot be read a second time
        if workers is None and len(lines) > 1:
            workers = available_cores()
        summary = grade_lines(lines, errors, output_dir, registry, workers=workers, progress=display.count)
    for competition_id in dict.fromkeys(report["competition_id"] for report in summary["competition_reports"]):
        print_note_on_answers(registry.get_competition(competition_id))
    return print_summary(summary, str(submission), time.monotonic() - start, as_json)


def _grade_groups(
    folders: list[Path], named: Named, write_list: Path | None, workers: int | None, as_json: bool
) -> int:
    from mlebench.results.groups import open_group, refuse_same_ids
    from mlebench.runs.grading import grade_group, write_submission_list

    groups = [open_group(folder) for folder in folders]
    refuse_same_ids(groups)
    if write_list is not None:
        if len(groups) > 1:
            raise click.UsageError("--write-list writes the list of one run group.")
        count = write_submission_list(groups[0], write_list)
        click.echo(f"Wrote {counted(count, 'submission')} to {write_list}.")
        return 0
    codes, summaries = [], []
    for place, group in enumerate(groups):
        start = time.monotonic()
        with show_progress("Grading", "submission") as display:
            summary = grade_group(group, named=named, workers=workers or available_cores(), progress=display.count)
        summaries.append(summary)
        for note in summary["notes"]:
            print_error(note, label="note")
        if as_json:
            codes.append(_print_errors(summary, str(group.folder)))
            continue
        if place:
            click.echo()
        codes.append(print_summary(summary, str(group.folder), time.monotonic() - start, as_json))
        _print_next(summary, group)
    if as_json:
        print_json(summaries[0] if len(summaries) == 1 else summaries)
    return max(codes)


def _print_next(summary: dict[str, Any], group: RunGroup) -> None:
    """What to do after a run group was graded, and which of its runs were not."""
    from mlebench.results.kinds import DataKind, kind_of_data

    folder = group.folder
    on_twins = any(kind_of_data(report["data"]) is DataKind.TWIN for report in summary["competition_reports"])
    samples = sum(run.record.sample_handed_in for run in group.runs)
    if samples:
        print_error(
            f"{samples} of {counted(len(group.runs), 'run')} handed in the sample submission as it is.", label="note"
        )
    click.echo(f"Next: mlebench {f'score --synthetic {folder}' if on_twins else f'aggregate {folder}'}")
    if summary["not_ended"]:
        click.echo(
            f"{counted(summary['not_ended'], 'run')} of the group has not ended and is not in the report.", err=True
        )


def print_summary(summary: dict[str, Any], source: str, seconds: float, as_json: bool) -> int:
    """Print a grading report; the exit code that tells whether all could be graded."""
    if as_json:
        print_json(summary)
    else:
        _print_reports(summary["competition_reports"])
        print_text(
            f"\n{counted(summary['total_runs'], 'submission')} in {format_seconds(seconds)}: "
            f"{summary['total_valid_submissions']} valid, "
            f"{counted(summary['total_medals'], 'medal')} ({summary['total_gold_medals']} gold, "
            f"{summary['total_silver_medals']} silver, {summary['total_bronze_medals']} bronze), "
            f"{summary['total_above_median']} above the median."
        )
        print_text(f"Report: {summary['report_path']}")
    return _print_errors(summary, source)


def _print_errors(summary: dict[str, Any], source: str) -> int:
    """Print what could not be graded; the exit code that says whether there was any."""
    print_problems(((f"{source}:{error['line']}", error["reason"]) for error in summary["errors"]), what="line")
    return 1 if summary["errors"] else 0


def _print_reports(reports: list[dict[str, Any]]) -> None:
    """One row per submission; on a terminal, the reasons of refusals come below, where there is room for them."""
    below = sys.stdout.isatty() and not is_wide()
    folder, names = _folder_and_names(reports) if below else ("", [report["submission_path"] for report in reports])
    header = ["competition", "score", "medal", "above median", "percentile", "submission", "refused because"]
    rows = [
        [
            report["competition_id"],
            report["score"],
            "refused" if below and report["refusal"] else _medal(report),
            "yes" if report["above_median"] else "no",
            report["human_percentile"],
            name,
            report["refusal"] or "",
        ]
        for name, report in zip(names, reports, strict=True)
    ]
    count = len(header) - below
    print_table(
        header[:count],
        [row[:count] for row in rows],
        right=["score", "percentile"],
        drop=["above median", "percentile"],
        wrap={"submission": 20, "refused because": 24},
        styles={"medal": MEDAL_STYLES | {"refused": "red"}, "above median": {"yes": "green"}},
    )
    if not below:
        return
    if folder:
        print_text(f"Submissions are in {folder}.", style="dim")
    refused = [
        (f"{report['competition_id']} {name}", report["refusal"])
        if report["run_id"]
        else _file_and_sentence(name, report["refusal"], report["refusal_line"])
        for name, report in zip(names, reports, strict=True)
        if report["refusal"]
    ]
    if refused:
        click.echo()
        print_problems(refused, what="submission", label="refused")


def _file_and_sentence(name: str, refusal: str, line: int | None) -> tuple[str, str]:
    """(path of the file, with the line where it is known, and what is wrong): the file is named once."""
    if line is None:
        return name, refusal
    return f"{name}:{line}", refusal.removeprefix(f"{plain(Path(name).name, 100)}:{line}: ")


def _folder_and_names(reports: list[dict[str, Any]]) -> tuple[str, list[str]]:
    """The folder that all files are in, if it is worth saying once, and what to call each; of runs, their seeds."""
    if all(report["run_id"] for report in reports):
        return "", [_run_name(report) for report in reports]
    paths = [report["submission_path"] for report in reports]
    parents = {Path(path).parent for path in paths if path}
    together = ""
    if len({parent.is_absolute() for parent in parents}) == 1:
        together = os.path.commonpath(parents)
    folder = "" if together in ("", ".", os.sep) else together
    return folder, [os.path.relpath(path, folder) if path and folder else path or "none" for path in paths]


def _run_name(report: dict[str, Any]) -> str:
    """What to call the run of a report: by its seed where that is known, else by its id."""
    return f"seed {report['seed']}" if report["seed"] is not None else f"run {report['run_id'][:8]}"


def _medal(report: dict[str, object]) -> str:
    return next((colour for colour in MEDALS if report[f"{colour}_medal"]), "-")


@click.command("grade-sample", short_help="Grade one submission")
@click.argument("submission", type=GivenPath())
@competition_argument
@click.option("--json", "as_json", is_flag=True, help="Print JSON on a terminal too; a pipe gets nothing else.")
@registry_options
@edition_option
def sample_command(registry: Registry, submission: Path, competition_id: str, as_json: bool) -> int:
    """Grade one SUBMISSION file for the competition ID."""
    submission, competition_id = file_and_id(submission, competition_id)
    with show_progress("Grading"):
        from mlebench.grade.grading import grade_csv

        competition = registry.get_competition(competition_id)
        report = grade_csv(submission, competition)
    print_note_on_answers(competition)
    if report.refusal:
        print_error(report.refusal, label="Invalid submission")
    if as_json:
        print_json(report.to_dict(), flat=True)
    elif not sys.stdout.isatty():
        published.print_report(report.to_dict())
    else:
        _print_report(report)
    return 0  # as published; the exit code of `validate` tells whether a submission is valid


def _print_report(report: CompetitionReport) -> None:
    from mlebench.results.kinds import DataKind, kind_of_data

    better = "lower" if report.is_lower_better else "higher"
    thresholds = [(name, getattr(report, f"{name}_threshold")) for name in (*MEDALS, "median")]
    known = [f"{name} {value:g}" for name, value in thresholds if value is not None]
    score = "refused" if report.score is None else f"{report.score:g}"
    print_text(f"{report.competition_id}: {score}{f', {report.medal} medal' if report.medal else ''}", style="bold")
    print_fact("submission", report.submission_path or "none")
    print_fact("score", f"{score} ({better} is better)" if report.score is not None else "none")
    on_twin = report.score is not None and kind_of_data(report.data) is DataKind.TWIN
    reasons = {NoMedalCode.HUMANS_HAD_LEAK, NoMedalCode.TASK_DIFFERS} & {report.no_medal_code}
    without = "none: this data is synthetic" if on_twin else ": ".join(["none", *(code.meaning for code in reasons)])
    print_fact("medal", report.medal or without, style=MEDAL_STYLES.get(report.medal or "", ""))
    if report.medal_caveat and not on_twin:
        print_fact("medals say little", report.medal_caveat.meaning)
    print_fact("above the median", report.above_median)
    print_fact("thresholds", ", ".join(known) or "not known")
    print_fact("percentile of humans", report.human_percentile)
    print_fact("data", f"{report.data or 'without a record'}, edition {report.edition}")
