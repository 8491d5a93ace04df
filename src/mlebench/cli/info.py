"""`mlebench info ID`: everything known about one competition."""

from __future__ import annotations

from typing import Any

import click

from mlebench.cli.common import competition_argument, edition_option, json_option, registry_options
from mlebench.cli.output import print_json
from mlebench.leaderboard import MEDALS, KnownScores
from mlebench.registry import Registry

_KNOWN: dict[KnownScores, str] = {
    "every team": "the score of every team is known",
    "distribution": "scores are known at 101 points; percentiles are interpolated",
    "thresholds": "only the thresholds are known; percentiles end at the median",
}


@click.command("info")
@competition_argument
@click.option("--obfuscated", is_flag=True, help="Show only the description, without names and provenance.")
@json_option
@registry_options
@edition_option
def command(registry: Registry, competition_id: str, obfuscated: bool, as_json: bool) -> None:
    """Show everything known about one competition, and its description."""
    from mlebench import description
    from mlebench.catalogue import facts_of
    from mlebench.data.record import DatasetRecord

    competition = registry.get_competition(competition_id)
    facts = facts_of(competition)
    record = DatasetRecord.load(competition.prepared_dir)
    facts["prepared"] = record.data if record else None
    text = competition.description
    if obfuscated and text:
        text = description.obfuscated(text, competition.name, competition.id)
    if as_json:
        print_json(facts | {"description": text})
        return
    if not obfuscated:
        _print_facts(facts)
        click.echo()
    click.echo(text.strip() or "The description is not written yet.")


def _print_facts(facts: dict[str, Any]) -> None:
    def line(label: str, value: Any) -> None:
        if value is not None:
            click.echo(f"{label + ':':<24}{value}")

    click.echo(click.style(f"{facts['name']}  ({facts['id']})", bold=True))
    line("group", facts["group"])
    line("category", facts["category"])
    line("editions", ", ".join(facts["editions"]) or None)
    line("metric", f"{facts['metric']} ({facts['better']} is better)")
    line("prepared data", facts["prepared"])
    line("archive size", f"{facts['gigabytes']:g} GB" if facts["gigabytes"] else None)
    line("sample submission", facts["sample_submission_score"])
    if facts["gold"] is not None:
        medals = ", ".join(f"{colour} {facts[colour]:g}" for colour in MEDALS)
        line("medals", f"{medals} (median {facts['median']:g})")
        line("teams", facts["teams"] or "not known")
        line("leaderboard", f"{facts['leaderboard']} ({_KNOWN[facts['known_scores']]})")
    if facts["score_quantiles"]:
        values = facts["score_quantiles"]
        shares = (0, 10, 25, 50, 75, 90, 100)
        shown = "  ".join(f"{share}%: {values[round(share / 100 * (len(values) - 1))]:g}" for share in shares)
        line("scores, best to worst", shown)
    sums = facts["checksums"]
    line("archive md5", sums["archive"])
    for part in ("public", "private"):
        for name, value in sums[part].items():
            line("md5", f"{value}  {part}/{name}")
    if facts["known_issues"]:
        click.echo("known issues:")
    for issue in facts["known_issues"]:
        repair = f" Edition v2: {issue['v2']}" if issue["v2"] else ""
        upstream = f" (published issue {issue['upstream']})" if issue["upstream"] else ""
        click.echo(f"  - {issue['kind']}: {issue['what']}{repair}{upstream}")
