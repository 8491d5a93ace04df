"""`mlebench list`: which competitions there are."""

from __future__ import annotations

import click

from mlebench.base.wording import counted
from mlebench.cli.common import Selection, SplitName, edition_option, json_option, registry_options, wide_option
from mlebench.cli.output import print_json, print_table
from mlebench.competition.registry import SPLITS, Registry
from mlebench.competition.vocabulary import DEFAULT_EDITION, is_called, nearest_metrics
from mlebench.errors import MlebenchError


@click.command("list", short_help="Which competitions there are")
@click.option("--split", type=SplitName(), help=f"Only this split: {', '.join(SPLITS)}, or a file.")
@click.option("--category", help="Only categories that contain this text.")
@click.option("--metric", help="Only metrics that contain this text or are called so: AUC, RMSE, MAE, QWK, …")
@wide_option
@json_option
@registry_options
@edition_option
def command(registry: Registry, split: str | None, category: str | None, metric: str | None, as_json: bool) -> None:
    """List competitions with their facts."""
    from mlebench.competition.catalogue import facts_of, figures_of

    chosen = Selection((), (split,)).competitions(registry) if split is not None else registry.all_competitions()
    if category:
        chosen = [competition for competition in chosen if category.lower() in competition.declaration.category.lower()]
    if metric:
        chosen = [competition for competition in chosen if is_called(competition.metric, metric)]
    if not chosen:
        near = nearest_metrics(metric) if metric else []
        meant = f" Metrics that are called so or nearly so: {', '.join(near)}." if near else ""
        raise MlebenchError("No competition is like that.", hint=f"`mlebench list` shows all of them.{meant}")
    facts = [(facts_of if as_json else figures_of)(competition) for competition in chosen]
    if as_json:
        print_json(facts)
        return
    header = ["id", "group", "category", "metric", "better", "teams", "gold", "median", "GB"]
    keys = [*header[:8], "gigabytes"]
    if registry.edition != DEFAULT_EDITION:
        header.insert(1, "differs from v1")
        keys.insert(1, "differs_from_v1")
    one_group = ["group"] if len({row["group"] for row in facts}) == 1 else []
    print_table(
        header,
        [[row[key] for key in keys] for row in facts],
        right=["teams", "gold", "median", "GB"],
        drop=["median", "gold", "better", "teams", *one_group, "metric", "GB", "category"],
        shorten={"metric": 24},
    )
    other = sum(row["differs_from_v1"] for row in facts)
    differing = "" if registry.edition == DEFAULT_EDITION else f", of which {other} differ from v1"
    click.echo(f"\n{counted(len(facts), 'competition')}{differing}.")
