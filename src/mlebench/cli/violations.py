"""`mlebench violations`: whether submissions keep the rules."""

from __future__ import annotations

from pathlib import Path

import click

from mlebench.base.wording import counted
from mlebench.cli.common import GivenPath, json_option, wide_option
from mlebench.cli.output import print_error, print_json, print_table, print_text
from mlebench.cli.progress import show_progress
from mlebench.cli.run import runs_dir_option

_MOST_NOTES = 20


@click.command("violations", short_help="Whether submissions keep the rules")
@click.option("--run-group", "groups", multiple=True, type=GivenPath(), help="A run group (repeatable).")
@click.option(
    "--submission",
    "listed",
    type=GivenPath(dir_okay=False),
    help="A JSONL file with competition_id, logs_path and code_path on each line.",
)
@click.option("--output-dir", required=True, type=GivenPath(file_okay=False), help="Where to write the results.")
@click.option(
    "--questions", multiple=True, metavar="ID", help="Ask only this question (repeatable). Default: all three."
)
@click.option("--extra-prompt", type=GivenPath(dir_okay=False), help="A text file with further guidance for the judge.")
@click.option("--model", default="gpt-4o-mini", show_default=True, help="The model that judges.")
@click.option("--base-url", help="An OpenAI-compatible address. Default: $OPENAI_BASE_URL, or OpenAI's.")
@click.option("--no-judge", is_flag=True, help="Ask no model: only the evidence and the record.")
@click.option("--max-cost", type=click.FloatRange(min=0), default=10.0, show_default=True, help="USD to spend at most.")
@click.option("--price", default="5/25", show_default=True, help="USD per million tokens, sent/answered.")
@click.argument("more", metavar="", nargs=-1)
@runs_dir_option
@wide_option
@json_option
def command(
    groups: tuple[Path, ...],
    more: tuple[str, ...],
    listed: Path | None,
    output_dir: Path,
    questions: tuple[str, ...],
    extra_prompt: Path | None,
    model: str,
    base_url: str | None,
    no_judge: bool,
    max_cost: float,
    price: str,
    runs_dir: Path,
    as_json: bool,
) -> None:
    """Check submissions for predictions by hand, calls of external models, and resources outside the task."""
    from mlebench.files.regular import read_regular
    from mlebench.integrity.model_client import ModelClient, Price
    from mlebench.integrity.subjects import subjects_of
    from mlebench.integrity.violations.check import check_submissions
    from mlebench.integrity.violations.judge import Judge
    from mlebench.integrity.violations.outputs import write_outputs
    from mlebench.integrity.violations.questions import QUESTIONS, choose
    from mlebench.integrity.violations.rules import Rule
    from mlebench.results.finding import find_all

    # Both options may have several values behind them, as in the published command.
    further = [text for text in more if questions and (text in QUESTIONS or not groups)]
    groups = (*groups, *(Path(text) for text in more if text not in further))
    if more and not (groups or further):
        raise click.UsageError(f"Got an unexpected argument ({more[0]}).")
    named = [name for text in (*questions, *further) for name in text.replace(",", " ").split()]
    chosen = choose(named)
    judge = None
    if not no_judge:
        client = ModelClient.from_environment(model, base_url, price=Price.read(price), most=max_cost)
        extra = read_regular(extra_prompt, 1 << 20, follow=True).decode("utf-8", "replace") if extra_prompt else ""
        judge = Judge(client, output_dir / "judge_answers", extra)
    subjects = subjects_of(find_all(groups, runs_dir), listed)
    with show_progress("Checking", "submission", total=len(subjects)):
        checked = check_submissions(subjects, judge=judge, questions=chosen)
    paths = write_outputs(output_dir, checked, chosen) if checked else {}
    if as_json:
        print_json({"submissions": [one.to_dict() for one in checked]})
        return
    marks = {True: "broken", False: "kept", None: "not known"}
    rows = [[one.subject.name, *(marks[one.verdict(rule)] for rule in Rule)] for one in checked]
    print_table(["submission", *(rule.words for rule in Rule)], rows)
    strong = [finding for one in checked for finding in one.findings if finding.strength.value == "strong"]
    for finding in strong[:_MOST_NOTES]:
        where = (
            f"{finding.evidence.file}:{finding.evidence.line}" if finding.evidence.line else str(finding.evidence.file)
        )
        print_text(f"{where}: {finding.message} ({finding.witness})")
    notes = [f"{one.subject.name}: {note}" for one in checked for note in one.notes]
    for note in notes[:_MOST_NOTES]:
        print_error(note, label="note")
    if len(notes) > _MOST_NOTES:
        print_error(f"{len(notes) - _MOST_NOTES} more notes are in {paths['violations']}.", label="note")
    broken = sum(any(one.verdict(rule) for rule in Rule) for one in checked)
    print_text(
        f"{broken} of {counted(len(checked), 'submission')} break a rule. Details: {paths.get('violations', '-')}"
    )
