"""`mlebench leaderboard`: published results of agents, and yours among them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlebench.base.amounts import format_hours
from mlebench.base.wording import plain
from mlebench.cli.common import GivenPath, competitions_option, json_option, wide_option
from mlebench.cli.output import print_error, print_json, print_table, print_text
from mlebench.cli.run import runs_dir_of_subcommand, runs_dir_option
from mlebench.cli.sources import pad_option
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError

if TYPE_CHECKING:
    from mlebench.analysis.aggregate import Aggregation
    from mlebench.analysis.leaderboards import Column, Row
    from mlebench.results.sources import Reports

_BY = ("all", "low", "medium", "high")
_reports_option = click.option(
    "--reports",
    "sources",
    multiple=True,
    type=GivenPath(),
    help="A run group, grading report or folder with reports of one agent of yours (repeatable).",
)
_disclosure_option = click.option(
    "--disclosure",
    type=GivenPath(dir_okay=False, exists=True),
    help="TOML or JSON file with what your row discloses. Default: disclosure.toml in the run group.",
)


@click.group("leaderboard", invoke_without_command=True, short_help="Published agents, and yours among them")
@_reports_option
@_disclosure_option
@click.option("--by", type=click.Choice(_BY), help="Rank by this column. Default: all, or what your rows have.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV in the published columns.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown in the published columns.")
@click.option("--mine", is_flag=True, help="Print only your rows.")
@pad_option
@runs_dir_option
@wide_option
@json_option
@competitions_option
@click.pass_context
def group(
    context: click.Context,
    registry: Registry,
    sources: tuple[Path, ...],
    runs_dir: Path,
    disclosure: Path | None,
    by: Column | None,
    form: str | None,
    mine: bool,
    pad_missing: bool,
    as_json: bool,
) -> None:
    """Rank your agents among the published ones; `leaderboard export` writes what a submission wants."""
    context.obj = runs_dir
    if context.invoked_subcommand is not None:
        return
    from mlebench.analysis.leaderboards import as_csv, as_markdown, published_rows, ranked
    from mlebench.results.finding import find_all
    from mlebench.results.sources import refuse_repeats

    paths = find_all(sources, runs_dir)
    read = [_own(path, registry, disclosure, pad_missing) for path in paths]
    refuse_repeats([source for _, _, source, _ in read])
    own = [row for row, _, _, _ in read]
    column = by or _column(own)
    placed = ranked([*published_rows(), *own], column)
    if mine:
        placed = [(rank, row) for rank, row in placed if row.is_yours]
    rows = [row for _, row in placed]
    if as_json:
        print_json([{"rank": rank, **row.to_dict()} for rank, row in placed])
    elif form == "csv":
        click.echo(as_csv(rows), nl=False)
    elif form == "markdown":
        click.echo(as_markdown(rows), nl=False)
    else:
        _print(placed, column)
    for row, path in zip(own, paths, strict=True):
        if row.missing:
            print_error(f"To be published, the row of {row.agent} lacks: {'; '.join(row.missing)}.", label="note")
            if row.undisclosed:
                print_text(f"      {_how_to_disclose(path, row.undisclosed)}", err=True)


def _disclose_command(path: Path, fields: Sequence[str]) -> str:
    """The command that sets what a row does not disclose yet."""
    from shlex import quote

    return f"mlebench leaderboard disclose {quote(str(path))} " + " ".join(f"{field}=…" for field in fields)


def _how_to_disclose(path: Path, fields: Sequence[str]) -> str:
    """What to do about fields that are missing; grading reports alone have no place for them."""
    from mlebench.results.sources import has_groups

    if has_groups(path):
        return f"Run: {_disclose_command(path, fields)}"
    return "Name a TOML or JSON file that has them with --disclosure."


def _column(own: Sequence[Row]) -> Column:
    """The first column that all your rows have."""
    for name in _BY:
        if all(name in row.cells for row in own):
            return name  # type: ignore[return-value]
    raise MlebenchError(
        "Your rows have none of the splits low, medium, high and all in common that is complete.",
        hint="Use --pad-missing to count what is missing as failures, or --by with the split of one of them.",
    )


def _print(placed: Sequence[tuple[int | None, Row]], column: Column) -> None:
    from mlebench.analysis.leaderboards import COLUMNS, PADDED
    from mlebench.results.checks import in_words

    header = ["rank", "agent", "models", *COLUMNS, "hours", "date", "checks", "notes"]
    rows = []
    for rank, row in placed:
        cells = [str(row.cells[name]) if name in row.cells else None for name in COLUMNS]
        agent = f"> {row.agent}" if row.is_yours else row.agent
        models = row.models if len(row.models) <= 40 else f"{row.models[:37]}..."
        notes = row.notes if not row.comparable else ""
        checks = in_words(row.checks) if row.checks else None
        rows.append([rank, agent, models, *cells, row.hours, row.date, checks, notes])
    print_table(
        header,
        rows,
        right=["rank", *COLUMNS, "hours"],
        drop=["notes", "checks", "date", "hours", *(name for name in reversed(COLUMNS) if name != column), "models"],
        shorten={"models": 16},
        wrap={"agent": 20, "checks": 20, "notes": 20},
        styles={"agent": {f"> {row.agent}": "bold green" for _, row in placed if row.is_yours}},
    )
    print_text(f"\nAny medal in percent, mean ± standard error over seeds; ranked by {column}. > is yours.")
    for _, row in placed:
        if row.is_yours:
            print_text(f"Checks of {row.agent}: {in_words(row.checks)}.")
    print_text(f"{PADDED} Rows without a rank are not comparable, or lack that column.")


def _own(
    path: Path, registry: Registry, disclosure: Path | None, pad_missing: bool
) -> tuple[Row, Aggregation, Reports, dict[str, Any]]:
    from mlebench.agents.disclosure import load_disclosure
    from mlebench.analysis.leaderboards import disclosure_of, own_row
    from mlebench.results.sources import read_source

    source = read_source(path, partial=None)
    disclosed = load_disclosure(disclosure) if disclosure else {}
    row, result = own_row(source, registry, disclosed, pad_missing=pad_missing)
    return row, result, source, disclosure_of(source.groups, disclosed)


@group.command("export", short_help="Write the folder that a submission wants")
@click.argument("reports", metavar="REPORTS", type=GivenPath())
@click.option("--output-dir", required=True, type=GivenPath(file_okay=False), help="A new folder.")
@click.option("--experiment-id", help="The name of the experiment. Default: the agent's.")
@_disclosure_option
@pad_option
@json_option
@competitions_option
@runs_dir_of_subcommand
def export_command(
    runs_dir: Path,
    registry: Registry,
    reports: Path,
    output_dir: Path,
    experiment_id: str | None,
    disclosure: Path | None,
    pad_missing: bool,
    as_json: bool,
) -> None:
    """Write the folder that a submission to the published leaderboard wants, from the REPORTS of your agent."""
    from mlebench.analysis.export import export
    from mlebench.results.finding import find_group

    row, result, source, disclosed = _own(find_group(reports, runs_dir), registry, disclosure, pad_missing)
    written = export(output_dir, experiment_id or row.agent, source, row, result, disclosed)
    if as_json:
        print_json({"folder": str(output_dir), "files": [str(path) for path in written]})
        return
    for path in written:
        click.echo(path)


@group.command("disclose", short_help="Add what a row must tell about an agent")
@click.argument("group_name", metavar="GROUP", type=GivenPath())
@click.argument("entries", metavar="FIELDS", nargs=-1)
@runs_dir_of_subcommand
def disclose_command(runs_dir: Path, group_name: Path, entries: tuple[str, ...]) -> None:
    """Add FIELDS (each FIELD=VALUE) to what the row of GROUP discloses; without any, ask for what is missing."""
    import sys

    from mlebench.agents.disclosure import FIELDS, parsed, save_disclosure
    from mlebench.analysis.leaderboards import disclosure_of, undisclosed
    from mlebench.results.finding import find_group
    from mlebench.results.sources import groups_of

    run_group = find_group(group_name, runs_dir)
    given, groups = parsed(entries), groups_of(run_group)
    known = disclosure_of(groups, given)
    if not entries and sys.stdin.isatty():
        for name in undisclosed(known):
            given[name] = _asked(name)
    elif not entries and undisclosed(known):
        hint = f"Run: {_disclose_command(run_group, undisclosed(known))}"
        raise MlebenchError(f"{run_group} does not disclose: {', '.join(undisclosed(known))}.", hint=hint)
    for group in groups if given else ():
        click.echo(save_disclosure(group.folder, given))
    known |= given
    width = max(map(len, FIELDS))
    for name, (_, meaning) in FIELDS.items():
        click.echo(f"{name:{width}}  {_told(known[name]) if name in known else f'- ({meaning})'}")


def _asked(name: str) -> Any:
    """The answer of the user for one field, asked until it can be understood."""
    from mlebench.agents.disclosure import FIELDS, parsed_value

    while True:
        kind, meaning = FIELDS[name]
        try:
            return parsed_value(name, click.prompt(f"{name}: {meaning}{' (yes or no)' * (kind is bool)}", err=True))
        except MlebenchError as error:
            click.echo(error, err=True)


def _told(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return format_hours(value) if isinstance(value, float) else plain(str(value))  # the only amount among the fields
