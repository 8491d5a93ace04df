"""`mlebench leaderboard`: published results of agents, and yours among them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlebench.cli.common import competitions_option, json_option, wide_option
from mlebench.cli.output import print_error, print_json, print_table, print_text
from mlebench.cli.sources import pad_option
from mlebench.registry import Registry

if TYPE_CHECKING:
    from mlebench.analysis.aggregate import Aggregation
    from mlebench.analysis.leaderboards import Column, Row
    from mlebench.analysis.sources import Reports

_BY = ("all", "low", "medium", "high")
_reports_option = click.option(
    "--reports",
    "sources",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A run group, grading report or folder with reports of one agent of yours (repeatable).",
)
_disclosure_option = click.option(
    "--disclosure",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
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
@wide_option
@json_option
@competitions_option
@click.pass_context
def group(
    context: click.Context,
    registry: Registry,
    sources: tuple[Path, ...],
    disclosure: Path | None,
    by: Column | None,
    form: str | None,
    mine: bool,
    pad_missing: bool,
    as_json: bool,
) -> None:
    """Rank your agents among the published ones; `leaderboard export` writes what a submission wants."""
    if context.invoked_subcommand is not None:
        return
    from mlebench.analysis.leaderboards import as_csv, as_markdown, published_rows, ranked

    own = [_own(path, registry, disclosure, pad_missing)[0] for path in sources]
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
    for row in own:
        if row.missing:
            print_error(f"To be published, the row of {row.agent} lacks: {'; '.join(row.missing)}.", label="note")


def _column(own: Sequence[Row]) -> Column:
    """The first column that all your rows have."""
    for name in _BY:
        if all(name in row.cells for row in own):
            return name  # type: ignore[return-value]
    raise click.UsageError("Your rows have no complete split in common; use --pad-missing, or --by with one of them.")


def _print(placed: Sequence[tuple[int | None, Row]], column: Column) -> None:
    from mlebench.analysis.leaderboards import COLUMNS

    header = ["rank", "agent", "models", *COLUMNS, "hours", "date", "notes"]
    rows = []
    for rank, row in placed:
        cells = [f"{row.cells[each]}{'*' * row.cells[each].padded}" if each in row.cells else None for each in COLUMNS]
        agent = f"> {row.agent}" if row.is_yours else row.agent
        models = row.models if len(row.models) <= 40 else f"{row.models[:37]}..."
        notes = row.notes if not row.comparable else ""
        rows.append([rank, agent, models, *cells, row.hours, row.date, notes])
    print_table(
        header,
        rows,
        right=["rank", *COLUMNS, "hours"],
        drop=["notes", "date", "hours", *(each for each in reversed(COLUMNS) if each != column), "models"],
        shorten={"models": 16},
        wrap={"agent": 20, "notes": 20},
        styles={"agent": {f"> {row.agent}": "bold green" for _, row in placed if row.is_yours}},
    )
    print_text(f"\nAny medal in percent, mean ± standard error over seeds; ranked by {column}. > is yours.")
    print_text("* Missing runs count as failures. Rows without a rank are not comparable, or lack that column.")


def _own(
    path: Path, registry: Registry, disclosure: Path | None, pad_missing: bool
) -> tuple[Row, Aggregation, Reports, dict[str, Any]]:
    from mlebench.analysis.disclosure import load_disclosure
    from mlebench.analysis.leaderboards import disclosure_of, own_row
    from mlebench.analysis.sources import read_source

    source = read_source(path)
    disclosed = load_disclosure(disclosure) if disclosure else {}
    row, result = own_row(source, registry, disclosed, pad_missing=pad_missing)
    return row, result, source, disclosure_of(source, disclosed)


@group.command("export", short_help="Write the folder that a submission wants")
@click.argument("reports", metavar="REPORTS", type=click.Path(path_type=Path))
@click.option("--output-dir", required=True, type=click.Path(path_type=Path, file_okay=False), help="A new folder.")
@click.option("--experiment-id", help="The name of the experiment. Default: the agent's.")
@_disclosure_option
@pad_option
@json_option
@competitions_option
def export_command(
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

    row, result, source, disclosed = _own(reports, registry, disclosure, pad_missing)
    written = export(output_dir, experiment_id or row.agent, source, row, result, disclosed)
    if as_json:
        print_json({"folder": str(output_dir), "files": [str(path) for path in written]})
        return
    for path in written:
        click.echo(path)
