"""`mlebench plagiarism`: whether code is that of public notebooks."""

from __future__ import annotations

from pathlib import Path

import click

from mlebench.base.wording import counted
from mlebench.cli.common import GivenPath, RegisteredName, json_option, wide_option
from mlebench.cli.output import print_error, print_json, print_table, print_text
from mlebench.cli.progress import show_progress
from mlebench.cli.run import runs_dir_option

_MOST_NOTES = 20


def _engine_names() -> list[str]:
    from mlebench.integrity.plagiarism.engines import ENGINES

    return list(ENGINES)


@click.command("plagiarism", short_help="Whether code is copied from public notebooks")
@click.option("--run-group", "groups", multiple=True, type=GivenPath(), help="A run group (repeatable).")
@click.option(
    "--submission",
    "listed",
    type=GivenPath(dir_okay=False),
    help="A JSONL file with competition_id and code_path on each line.",
)
@click.option(
    "--kernels-dir", required=True, type=GivenPath(file_okay=False), help="Kernels, in a folder per competition."
)
@click.option("--output-dir", required=True, type=GivenPath(file_okay=False), help="Where to write the results.")
@click.option(
    "--engine",
    "engine_name",
    type=RegisteredName(_engine_names, ("dolos", "winnowing")),
    default="winnowing",
    show_default=True,
    help="What measures similarity; dolos needs Node.",
)
@click.option("--dolos-dir", type=GivenPath(file_okay=False), help="The folder in which npm installed Dolos.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=300.0,
    show_default=True,
    help="Seconds per competition.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.6,
    show_default=True,
    help="The similarity above which an attempt is disqualified.",
)
@click.argument("more", metavar="", nargs=-1, type=GivenPath())
@runs_dir_option
@wide_option
@json_option
def command(
    groups: tuple[Path, ...],
    more: tuple[Path, ...],
    listed: Path | None,
    kernels_dir: Path,
    output_dir: Path,
    engine_name: str,
    dolos_dir: Path | None,
    timeout: float,
    threshold: float,
    runs_dir: Path,
    as_json: bool,
) -> None:
    """Compare the code of submissions with public notebooks of the same competition."""
    from mlebench.integrity.plagiarism.check import compare_submissions
    from mlebench.integrity.plagiarism.engines import ENGINES, Engine
    from mlebench.integrity.plagiarism.outputs import write_outputs
    from mlebench.integrity.subjects import subjects_of
    from mlebench.results.finding import find_all

    if more and not groups:
        raise click.UsageError(f"Got an unexpected argument ({more[0]}).")
    engine: Engine = ENGINES.require(engine_name, "engine")
    if dolos_dir is not None:
        from mlebench.integrity.plagiarism.dolos import DolosEngine

        engine = DolosEngine(dolos_dir) if engine_name == "dolos" else engine
    engine.require()
    subjects = subjects_of(find_all((*groups, *more), runs_dir), listed)
    with show_progress("Comparing", "submission", total=len(subjects)):
        compared = compare_submissions(subjects, kernels_dir, engine, timeout=timeout, threshold=threshold)
    path = write_outputs(output_dir, compared)
    if as_json:
        print_json({"submissions": [one.to_dict() for one in compared]})
        return
    marks = {True: "disqualified", False: "own code", None: "not compared"}
    rows = [
        [
            one.subject.name,
            None if one.highest is None else f"{one.highest:.2f}",
            one.pairs[0][0].stem if one.pairs else None,
            marks[one.is_disqualified],
        ]
        for one in compared
    ]
    print_table(["submission", "similarity", "kernel", "result"], rows, right=["similarity"], shorten={"kernel": 20})
    notes = list(dict.fromkeys(f"{one.subject.name}: {note}" for one in compared for note in one.notes))
    for note in notes[:_MOST_NOTES]:
        print_error(note, label="note")
    if len(notes) > _MOST_NOTES:
        print_error(f"{len(notes) - _MOST_NOTES} more notes are in {path}.", label="note")
    count = sum(one.is_disqualified is True for one in compared)
    print_text(
        f"{count} of {counted(len(compared), 'submission')} above {threshold:g}, by {engine.name}. Details: {path}"
    )
