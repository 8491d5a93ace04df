"""`mlebench info ID`: everything known about one competition."""

from __future__ import annotations

import sys
from typing import Any

import click

from mlebench.cli.common import competition_argument, edition_option, json_option, registry_options
from mlebench.cli.output import (
    print_fact,
    print_hanging,
    print_json,
    print_markdown,
    print_parts,
    print_text,
    terminal_width,
)
from mlebench.cli.tables import cut
from mlebench.competition.leaderboard import MEDALS, KnownScores
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import DEFAULT_EDITION

_BULLET = "  - "
_KNOWN: dict[KnownScores, str] = {
    "every team": "of every team",
    "distribution": "101 points; percentiles are interpolated",
    "thresholds": "thresholds only; percentiles end at the median",
}


@click.command("info", short_help="Everything known about one competition")
@competition_argument
@click.option("--description", "with_description", is_flag=True, help="On a terminal, show the description too.")
@click.option("--checksums", "with_checksums", is_flag=True, help="On a terminal, show the md5 of known files too.")
@click.option("--issues", "with_issues", is_flag=True, help="On a terminal, show known issues in full.")
@click.option("--obfuscated", is_flag=True, help="Show only the description, without names and provenance.")
@json_option
@registry_options
@edition_option
def command(
    registry: Registry,
    competition_id: str,
    with_description: bool,
    with_checksums: bool,
    with_issues: bool,
    obfuscated: bool,
    as_json: bool,
) -> None:
    """Show everything known about one competition: facts on one screen, its description on request."""
    from mlebench.competition.catalogue import facts_of
    from mlebench.data.record import DatasetRecord

    competition = registry.get_competition(competition_id)
    facts = facts_of(competition)
    record = DatasetRecord.load(competition.prepared_dir)
    facts["prepared"] = record.data if record else None
    text = competition.description
    if obfuscated and text:
        text = competition.obfuscated_description(text)
    if as_json:
        print_json(facts | {"description": text})
        return
    is_piped = not sys.stdout.isatty()  # then everything is shown, as in the JSON
    if not obfuscated:
        _print_facts(facts, with_checksums=with_checksums or is_piped)
        _print_issues(facts["known_issues"], in_full=with_issues or is_piped)
        click.echo()
    if obfuscated or with_description or is_piped:
        print_markdown(text.strip() or "The description is not written yet.")
    else:
        print_text("More with --description, --checksums and --issues.", style="dim")


def _print_facts(facts: dict[str, Any], *, with_checksums: bool) -> None:
    def line(label: str, value: Any) -> None:
        if value is not None:
            print_fact(label, value)

    print_text(f"{facts['name']}  ({facts['id']})", style="bold")
    line("group", facts["group"])
    line("category", facts["category"])
    line("editions", ", ".join(facts["editions"]) or None)
    if facts["edition"] != DEFAULT_EDITION:
        line(
            "edition",
            f"{facts['edition']}, {'which differs from v1' if facts['differs_from_v1'] else 'the same as v1'}",
        )
    line("metric", f"{facts['metric']} ({facts['better']} is better)")
    line("prepared data", facts["prepared"])
    line("archive size", f"{facts['gigabytes']:g} GB" if facts["gigabytes"] else None)
    line("sample submission", facts["sample_submission_score"])
    if facts["gold"] is not None:
        medals = ", ".join(f"{colour} {facts[colour]:g}" for colour in MEDALS)
        line("medals", f"{medals} (median {facts['median']:g})")
        line("teams", facts["teams"] or "not known")
        line("leaderboard", f"{facts['leaderboard']} ({_KNOWN[facts['known_scores']]})")
    for label, code in (("no medals", facts["no_medal_code"]), ("medals say little", facts["medal_caveat"])):
        line(label, f"{code.meaning} ({code})" if code else None)
    if facts["score_quantiles"]:
        values = facts["score_quantiles"]
        shares = (0, 10, 25, 50, 75, 90, 100)
        shown = [f"{share}%: {values[round(share / 100 * (len(values) - 1))]:g}" for share in shares]
        print_parts("scores, best to worst", shown)
    sums = facts["checksums"]
    if with_checksums:
        line("archive md5", sums["archive"])
        for part in ("public", "private"):
            for name, value in sums[part].items():
                line("md5", f"{value}  {part}/{name}")


def _print_issues(issues: list[dict[str, Any]], *, in_full: bool) -> None:
    if issues:
        click.echo("known issues:")
    for issue in issues:
        repair = f" Edition v2: {issue['v2']}" if issue["v2"] else ""
        if issue["reason"]:
            repair = f" No repair: {issue['reason']}"
        upstream = f" (published issue {issue['upstream']})" if issue["upstream"] else ""
        text = f"{issue['kind']}: {issue['what']}{repair}{upstream}"
        print_hanging(_BULLET, text if in_full else cut(text, terminal_width() - len(_BULLET)))
