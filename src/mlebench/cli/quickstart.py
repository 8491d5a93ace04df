"""`mlebench quickstart`: a real evaluation from nothing, in about a minute."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from mlebench.base.wording import counted
from mlebench.cli.common import GivenPath, json_option, wide_option
from mlebench.cli.output import MEDAL_STYLES, print_json, print_table, print_text
from mlebench.cli.progress import show_progress


@click.command("quickstart", short_help="A real evaluation from nothing, in about a minute")
@click.option(
    "--output-dir",
    type=GivenPath(file_okay=False),
    default=Path("mlebench-quickstart"),
    show_default=True,
    help="Where data, submissions, reports and the page go.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the agent.")
@click.option("--sandbox", default="auto", show_default=True, help="auto, process, bubblewrap or docker.")
@wide_option
@json_option
def command(output_dir: Path, seed: int, sandbox: str, as_json: bool) -> int:
    """Prepare the practice competitions, run the built-in agent on them, grade, and write a page to open."""
    with show_progress("Quickstart") as display:
        from mlebench import api
        from mlebench.errors import StoppedByUser
        from mlebench.grade.batch import writable_folder
        from mlebench.results.names import PAGE_FILE
        from mlebench.runs.practice import run_practice

        result = run_practice(writable_folder(output_dir), seed=seed, sandbox=sandbox, progress=display.count)
        page = None
        if result.is_graded:
            output, data_dir = output_dir / PAGE_FILE, result.group.settings.data_dir
            page = api.report(result.group.folder, output=output, data_dir=data_dir, partial=True)
    if not result.complete:
        raise StoppedByUser(f"Interrupted. What was finished is in {result.group.folder}.")
    if as_json:
        print_json(result.to_dict() | {"page": None if page is None else str(page)})
    else:
        rows = [
            [
                run.record.competition_id,
                run.metric,
                run.report.score if run.report else None,
                (run.report.medal if run.report else None) or "-",
                run.report.human_percentile if run.report else None,
                round(run.seconds, 1),
                run.problem or "",
            ]
            for run in result.runs
        ]
        header = ["competition", "metric", "score", "medal", "percentile", "seconds", "problem"]
        print_table(
            header,
            rows,
            right=["score", "percentile", "seconds"],
            drop=["seconds"],
            shorten={"metric": 16},
            wrap={"problem": 24},
            styles={"medal": MEDAL_STYLES},
        )
        medals = sum(run.has_medal for run in result.runs)
        found = f"{counted(medals, 'medal')} in {counted(len(result.runs), 'competition')}"
        print_text(f"\n{found}, after {result.seconds:.0f} seconds.")
        print_text("Medals here are against scikit-learn pipelines, and the answers are public: they prove nothing.")
        print_text(f"The agent ran in the sandbox {result.sandbox}; what it did not promise:")
        print_text(f"  mlebench runs show {shlex.quote(str(result.group.folder))}")
        where = f"Open {page} for the report; s" if page is not None else "S"
        print_text(f"{where}ubmissions and logs are in {output_dir}.")
    return 0 if all(run.is_valid for run in result.runs) else 1
