"""`mlebench familiarity`: whether a model does better where it knows the texts about a competition."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlebench.base.wording import counted
from mlebench.cli.common import GivenPath, competitions_option, json_option, wide_option
from mlebench.cli.output import print_error, print_json, print_table, print_text
from mlebench.cli.progress import show_progress
from mlebench.cli.run import runs_dir_option
from mlebench.competition.registry import Registry

if TYPE_CHECKING:
    from mlebench.integrity.familiarity.check import Familiarity
    from mlebench.integrity.familiarity.documents import Document

_MOST_NOTES = 20


@click.command("familiarity", short_help="Whether results go with what a model has read before")
@click.option("--model", required=True, help="The model whose probabilities are measured.")
@click.option(
    "--documents",
    "folder",
    type=GivenPath(file_okay=False),
    help="Texts about competitions: DIR/<competition id>/ with .txt, .md and .html files.",
)
@click.option("--with-descriptions", is_flag=True, help="Measure our own descriptions too.")
@click.option("--run-group", "groups", multiple=True, type=GivenPath(), help="A graded run group (repeatable).")
@click.option("--output-dir", required=True, type=GivenPath(file_okay=False), help="Where to write the results.")
@click.option("--base-url", help="An OpenAI-compatible address. Default: $OPENAI_BASE_URL, or OpenAI's.")
@click.option("--no-model", is_flag=True, help="Ask no model, and use what --output-dir has.")
@click.option("--places", type=click.IntRange(min=1), default=1000, show_default=True, help="Per document, at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="Draws the places.")
@click.option(
    "--top", type=click.IntRange(1, 100), default=5, show_default=True, help="Tokens in the lists of the model."
)
@click.option(
    "--context",
    type=click.IntRange(min=100),
    default=4000,
    show_default=True,
    help="Characters before a place that the model sees.",
)
@click.option("--max-cost", type=click.FloatRange(min=0), default=10.0, show_default=True, help="USD to spend at most.")
@click.option("--price", default="5/25", show_default=True, help="USD per million tokens, sent/answered.")
@click.argument("more", metavar="", nargs=-1, type=GivenPath())
@runs_dir_option
@wide_option
@json_option
@competitions_option
def command(
    registry: Registry,
    model: str,
    folder: Path | None,
    with_descriptions: bool,
    groups: tuple[Path, ...],
    more: tuple[Path, ...],
    output_dir: Path,
    base_url: str | None,
    no_model: bool,
    places: int,
    seed: int,
    top: int,
    context: int,
    max_cost: float,
    price: str,
    runs_dir: Path,
    as_json: bool,
) -> None:
    """Measure how probable the texts about competitions are to a model, against how well agents did."""
    from mlebench.integrity.familiarity.check import measure_documents, relate
    from mlebench.integrity.familiarity.completions import Completions
    from mlebench.integrity.familiarity.measuring import Settings
    from mlebench.integrity.familiarity.outputs import ANSWERS_FOLDER, write_outputs
    from mlebench.integrity.familiarity.performance import performances
    from mlebench.integrity.model_client import ModelClient, Price
    from mlebench.results.finding import find_all
    from mlebench.results.groups import open_group, refuse_same_ids

    if more and not groups:
        raise click.UsageError(f"Got an unexpected argument ({more[0]}).")
    if folder is None and not with_descriptions:
        raise click.UsageError("Say what to measure: --documents DIR, --with-descriptions, or both.")
    completions = None
    if not no_model:
        client = ModelClient.from_environment(
            model, base_url, user="Familiarity", instead="--no-model", price=Price.read(price), most=max_cost
        )
        completions = Completions(client, top)
    opened = [open_group(path) for path in find_all((*groups, *more), runs_dir)]
    refuse_same_ids(opened)
    settings, notes = Settings(places, seed, top, context), list[str]()
    performed = performances(opened, registry, notes)
    ids = {name for agent in performed for name in (*agent.competitions, *agent.left_out)}
    documents = _documents(registry, folder, ids if with_descriptions else None, notes)
    with show_progress("Measuring", "document", total=len(documents)):
        method, measured = measure_documents(
            documents, model, settings, output_dir / ANSWERS_FOLDER, completions, notes
        )
    result = relate(
        measured,
        performed,
        model=model,
        method=method,
        settings=settings,
        notes=notes,
        spent=completions.client.spent if completions else 0.0,
    )
    path = write_outputs(output_dir, result)
    _draw(output_dir, result)
    if as_json:
        print_json(result.to_dict())
    else:
        _print(result, path)


def _documents(registry: Registry, folder: Path | None, described: set[str] | None, notes: list[str]) -> list[Document]:
    """The user's documents; with `described` our descriptions too, of those competitions and of those in the folder."""
    from mlebench.errors import MlebenchError
    from mlebench.integrity.familiarity.documents import OWN_DESCRIPTION, Document, read_documents

    documents = read_documents(folder, notes) if folder else []
    known, unknown = set(described or ()), []
    for name in sorted({document.competition_id for document in documents}):
        try:
            known.add(registry.get_competition(name).id)
        except MlebenchError:
            unknown.append(name)
    if unknown:
        notes.append(f"No competition has the name of these folders of documents: {', '.join(unknown[:5])}.")
    if described is not None:
        for name in sorted(known):
            text = registry.get_competition(name).declaration.description.strip()
            if text:
                documents.append(Document(name, OWN_DESCRIPTION, text))
    if not documents:
        raise MlebenchError(
            f"There is no document in {folder}." if folder else "There is nothing to measure.",
            hint="Put .txt, .md or .html files into DIR/<competition id>/, or name runs with --run-group.",
        )
    return documents


def _draw(folder: Path, result: Familiarity) -> None:
    """Write the plot, if there is anything to draw."""
    from mlebench.files.writing import write_atomically
    from mlebench.integrity.familiarity.outputs import PLOT_FILE
    from mlebench.page.charts.points import points_chart, svg_file

    drawn = [agent for agent in result.agents if agent.points]
    if not drawn:
        return
    series = [(f"{agent.agent}: Pearson {agent.pearson}; Spearman {agent.spearman}", agent.points) for agent in drawn]
    drawing = points_chart(
        series,
        f"Performance against familiarity of {result.model}",
        x_name="familiarity: mean probability of a token",
        y_name="performance",
        y_marks=[(0.0, "sample submission"), (1.0, "gold")],
    )
    write_atomically(folder / PLOT_FILE, svg_file(drawing))


def _print(result: Familiarity, path: Path) -> None:
    agents = [agent.agent for agent in result.agents]
    rows = []
    for competition in sorted(result.competitions, key=lambda competition: -competition.familiarity):
        name = competition.competition_id
        performance = [f"{agent.points[name][1]:.3f}" if name in agent.points else None for agent in result.agents]
        rows.append([name, f"{competition.familiarity:.4f}", len(competition.documents), *performance])
    print_table(["competition", "familiarity", "documents", *agents], rows, right=["familiarity", "documents", *agents])
    for agent in result.agents:
        print_text(
            f"{agent.agent}: {counted(len(agent.points), 'competition')}; Pearson {agent.pearson}; "
            f"Spearman {agent.spearman}."
        )
    for note in result.notes[:_MOST_NOTES]:
        print_error(note, label="note")
    if len(result.notes) > _MOST_NOTES:
        print_error(f"{len(result.notes) - _MOST_NOTES} more notes are in {path}.", label="note")
    print_text(f"Measured with {result.model} ({result.method}), {result.spent:.2f} USD. Details: {path}")
