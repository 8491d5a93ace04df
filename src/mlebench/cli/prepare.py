"""`mlebench prepare`: from raw archives to data that agents and graders can use."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from mlebench.base.amounts import format_seconds
from mlebench.base.wording import counted
from mlebench.cli.common import Selection, edition_option, registry_options, same_place, selection_options
from mlebench.cli.output import print_json, print_problems, print_table, print_text
from mlebench.cli.progress import Display, show_progress
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import DEFAULT_EDITION
from mlebench.errors import MlebenchError

if TYPE_CHECKING:
    from mlebench.data.prepare_events import Event, Notify
    from mlebench.data.prepare_many import PrepareOutcome


PUBLISHED_TOTAL = "3.3 TB"  # of all raw archives of the benchmark


@click.command("prepare", short_help="Download, check and prepare data")
@selection_options
@click.option("--source", help="A mirror: a folder or an address (https://, s3://, …) that holds archives ID.zip.")
@click.option("--keep-raw", is_flag=True, help="Keep the unpacked raw data.")
@click.option("--skip-verification", is_flag=True, help="Do not compare archives and results with their known md5.")
@click.option("--overwrite-checksums", is_flag=True, help="The same as --skip-verification.")
@click.option("--overwrite-leaderboard", is_flag=True, help="Also download the full leaderboard from Kaggle.")
@click.option("--workers", type=click.IntRange(min=1), help="How many competitions at once. Default: one per core.")
@click.option("--force", is_flag=True, help="Prepare again what is prepared already.")
@click.option("--dry-run", is_flag=True, help="Only say what would be downloaded and prepared.")
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object per line.")
@registry_options
@edition_option
def command(
    registry: Registry,
    selection: Selection,
    source: str | None,
    keep_raw: bool,
    skip_verification: bool,
    overwrite_checksums: bool,
    overwrite_leaderboard: bool,
    workers: int | None,
    force: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Download, check and prepare the data of competitions."""
    chosen = selection.competitions(registry)
    if dry_run:
        _print_plan(registry, chosen, source, force, as_json)
        return 0
    start = time.monotonic()
    check = not (skip_verification or overwrite_checksums)
    with show_progress("Preparing", total=len(chosen), quiet=as_json) as display:
        from mlebench.data.prepare import PrepareOptions
        from mlebench.data.prepare_many import prepare_many

        options = PrepareOptions(mirror=source, keep_raw=keep_raw, check=check, force=force)
        notify = _print_event if as_json else _lines(display)
        ids = [competition.id for competition in chosen]
        outcomes = prepare_many(registry, ids, options, workers=workers, notify=notify)
    if overwrite_leaderboard:
        with show_progress("Downloading leaderboards", total=len(chosen), quiet=as_json):
            outcomes = [_with_leaderboard(registry, outcome) for outcome in outcomes]
    _print_summary(registry, selection, outcomes, time.monotonic() - start, as_json)
    return 1 if any(outcome.problem for outcome in outcomes) else 0


def _print_event(event: Event) -> None:
    click.echo(json.dumps(event.to_dict()))


def _lines(display: Display) -> Notify:
    """One line when a competition is ready, where nothing else stays of it; problems come at the end."""
    words = {"done": "prepared from", "present": "was prepared already, from"}

    def notify(event: Event) -> None:
        if event.stage in words and not sys.stderr.isatty():
            display.say(f"{event.competition_id} {words[event.stage]} {event.message}{_edition_of(event)}")

    return notify


def _edition_of(event: Event) -> str:
    """The edition that data is of, and whether that makes a difference; nothing where it is the default one."""
    if event.edition in (None, DEFAULT_EDITION):
        return ""
    return f" (edition {event.edition}, {'which differs from v1' if event.differs_from_v1 else 'the same as v1'})"


def _with_leaderboard(registry: Registry, outcome: PrepareOutcome) -> PrepareOutcome:
    """Download the full leaderboard of a competition whose data is prepared; what became of both."""
    from mlebench.data.full_leaderboards import download
    from mlebench.data.prepare_many import failure

    if outcome.problem:
        return outcome
    try:
        download(registry.get_competition(outcome.competition_id), force=True)
    except MlebenchError as error:
        return failure(outcome.competition_id, error)
    return outcome


def _print_summary(
    registry: Registry, selection: Selection, outcomes: list[PrepareOutcome], seconds: float, as_json: bool
) -> None:
    """What is ready and what is not; problems with one cause are told once."""
    from mlebench.data.kaggle import rules_page

    failed = [outcome for outcome in outcomes if outcome.problem]
    ready = [outcome for outcome in outcomes if not outcome.problem]
    parts = []
    for word, there in (("prepared", False), ("prepared already", True)):
        data = Counter(str(outcome.data) for outcome in ready if outcome.present == there)
        if data:
            listed = ", ".join(
                f"{count} from {name}" if len(data) > 1 else f"from {name}" for name, count in data.items()
            )
            parts.append(f"{data.total()} {word}, {listed}" if len(ready) > 1 else f"{word} {listed}")
    details = f": {'; '.join(parts)}" if parts else ""
    total = counted(len(outcomes), "competition")
    took = format_seconds(seconds)
    print_text(f"{len(ready)} of {total} ready in {registry.data_dir} after {took}{details}.", err=True)
    if registry.edition != DEFAULT_EDITION and ready and not as_json:
        other = sum(registry.get_competition(outcome.competition_id).differs for outcome in ready)
        print_text(f"Edition {registry.edition}: {other} of {len(ready)} differ from v1.", err=True)
    print_problems(((outcome.competition_id, note) for outcome in outcomes for note in outcome.notes), label="note")
    others = [outcome for outcome in failed if not outcome.rules_not_accepted]
    print_problems((outcome.competition_id, str(outcome.problem)) for outcome in others)
    rules = [outcome for outcome in failed if outcome.rules_not_accepted]
    if rules:
        click.echo("Accept the rules of these competitions and run the same command again:", err=True)
    for outcome in rules:
        click.echo(f"  {rules_page(outcome.competition_id)}", err=True)
    if ready and not failed and not as_json:
        click.echo(f"Next: mlebench run {selection.options} --agent baseline{same_place(registry)}", err=True)


def _print_plan(
    registry: Registry, chosen: list[LocalCompetition], source: str | None, force: bool, as_json: bool
) -> None:
    from mlebench.data.kept import other_data_kept
    from mlebench.data.prepare import is_dataset_prepared
    from mlebench.data.raw_archives import planned_source
    from mlebench.files.space import free_space

    plan: list[dict[str, Any]] = []
    kept: list[tuple[str, str]] = []
    for competition in chosen:
        present = is_dataset_prepared(competition) and not force
        other = other_data_kept(competition, source) if present else None
        where = None if present else planned_source(competition, source)
        downloads = where == "kaggle" or (where == "mirror" and "://" in str(source))
        action = "nothing" if present else ("download and prepare" if downloads else "prepare")
        if other is not None:
            action = "keep"
            kept.append((competition.id, str(other)))
        on_disk = competition.archive.stat().st_size / 1e9 if competition.archive.is_file() else None
        size = on_disk or competition.declaration.gigabytes
        step = {"competition_id": competition.id, "action": action, "source": where, "gigabytes": size}
        plan.append(step | {"edition": competition.edition, "differs_from_v1": competition.differs})
    if as_json:
        print_json(plan)
        return
    rows = [[step["competition_id"], step["action"], step["source"], step["gigabytes"]] for step in plan]
    print_table(["competition", "to do", "from", "GB"], rows, right=["GB"])
    sizes = [step["gigabytes"] for step in plan if step["action"] == "download and prepare"]
    click.echo(f"\n{_to_download(sizes)}; {free_space(registry.data_dir) / 1e9:.1f} GB are free.")
    print_problems(kept, label="warning")


def _to_download(gigabytes: list[float | None]) -> str:
    """How much there is to download, as far as it is known."""
    known, unknown = sum(size for size in gigabytes if size), sum(size is None for size in gigabytes)
    if not unknown:
        return f"{known:.2f} GB to download"
    sizes = "the size of one archive is" if unknown == 1 else f"the sizes of {unknown} archives are"
    return f"At least {known:.2f} GB to download, but {sizes} not known ({PUBLISHED_TOTAL} for all 75 as published)"
