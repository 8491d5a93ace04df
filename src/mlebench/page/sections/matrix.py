"""The matrix: a row per competition, a cell per run, ranked, and to be sorted, grouped, filtered and exported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from mlebench.competition.leaderboard import MEDALS
from mlebench.page.charts import GROUPS
from mlebench.page.facts import CompetitionFacts, GroupFacts, PageFacts, RunFacts
from mlebench.page.markup import Markup
from mlebench.page.outcomes import MARKS, OUTCOMES, outcome
from mlebench.page.quantities import duration, number, percent
from mlebench.page.run_facts import LiveState
from mlebench.page.sections.section import Section
from mlebench.page.templating import template

# What may become of runs that have not ended: a live page explains it before it is there.
_TO_COME = {*MEDALS, "above median", "below median", "not valid", "failed", "timed out", "not graded"}
_BANDS = (25.0, 50.0, 75.0, 90.0)  # percentiles where the colour of a cell changes


@dataclass(frozen=True)
class MatrixCell:
    """A run in the matrix: its mark, its percentile in short, and all that a reader without eyes for it is told."""

    run: RunFacts
    outcome: str
    css_class: str
    cut: str
    mark: str
    short: str
    words: str
    values: str


@dataclass(frozen=True)
class MatrixRow:
    """A competition: for every group its cells seed by seed and its mean percentile; the difference of the means."""

    facts: CompetitionFacts
    groups: tuple[tuple[tuple[tuple[MatrixCell, ...], ...], float | None], ...]
    difference: float | None

    @property
    def rank(self) -> tuple[bool, float, str]:
        """What rows are ranked by: the best mean percentile first, unknown ones last."""
        known = [value for _, value in self.groups if value is not None]
        return not known, -mean(known) if known else 0.0, self.facts.competition.id.lower()


def matrix(page: PageFacts, _: Path) -> Markup:
    """Competitions against agents and seeds."""
    return drawn_matrix(page, matrix_rows(page))


def drawn_matrix(page: PageFacts, rows: Sequence[MatrixRow]) -> Markup:
    """The matrix with rows that are known already."""
    found = [cell for row in rows for seeds, _ in row.groups for cells in seeds for cell in cells]
    is_live = any(cell.run.live for cell in found)
    possible = {cell.outcome for cell in found} | (_TO_COME if is_live else set())
    outcomes = [name for name in OUTCOMES if name in possible]
    declarations = [row.facts.competition.declaration for row in rows]
    difference = None
    if page.is_comparison:
        two = len(page.groups) == 2
        difference = "difference" if two else "spread"
    return template(
        "matrix.html",
        page=page,
        rows=rows,
        colours=[f"group-{place % GROUPS}" for place in range(len(page.groups))],
        outcomes=[(name, MARKS.get(name, "")) for name in outcomes],
        categories=sorted({declaration.category for declaration in declarations}),
        complexities=sorted({declaration.group for declaration in declarations if declaration.group}),
        seeds=sorted({run.run.record.seed for run in page.runs}),
        difference=difference,
        count=len(found),
        is_any_cut=is_live or any(cell.cut for cell in found),
        teams=" or ".join(page.kinds_of_rivals).replace("humans", "teams"),
    )


def matrix_rows(page: PageFacts, cell_of: Callable[[RunFacts], MatrixCell] | None = None) -> list[MatrixRow]:
    """The rows of the matrix, ranked; `cell_of` may know cells of runs that have not changed."""
    rows = (_row(facts, page, cell_of or matrix_cell) for facts in page.competitions)
    return sorted(rows, key=lambda row: row.rank)


def _row(facts: CompetitionFacts, page: PageFacts, cell_of: Callable[[RunFacts], MatrixCell]) -> MatrixRow:
    groups = tuple(_of_group(facts, group, cell_of) for group in page.groups)
    means = [value for _, value in groups]
    known = [value for value in means if value is not None]
    difference = None
    if len(known) == len(means) == 2:
        difference = known[0] - known[1]
    elif len(known) == len(means) > 2:
        difference = max(known) - min(known)
    return MatrixRow(facts, groups, difference)


def _of_group(
    facts: CompetitionFacts, group: GroupFacts, cell_of: Callable[[RunFacts], MatrixCell]
) -> tuple[tuple[tuple[MatrixCell, ...], ...], float | None]:
    runs = [run for run in facts.runs if run.label == group.label]
    by_seed: dict[int, list[MatrixCell]] = {seed: [] for seed in group.seeds}
    for run in runs:
        by_seed[run.run.record.seed].append(cell_of(run))
    cells = tuple(map(tuple, by_seed.values()))
    percentiles = [run.counted_percentile for run in runs if run.counted_percentile is not None]
    return cells, mean(percentiles) if percentiles else None


def matrix_cell(run: RunFacts) -> MatrixCell:
    """The cell of a run."""
    name, record = outcome(run), run.run.record
    css_class = name.replace(" ", "-")
    if name in ("above median", "below median") and run.percentile is not None:
        css_class += f" p{sum(run.percentile >= band for band in _BANDS)}"
    cut = ""
    if record.status in ("timeout", "memory", "failed") and name not in ("failed", "timed out"):
        css_class += " cut"  # it ended badly, though what it left counts
        cut = record.status
    words = [f"seed {record.seed}", name]
    if cut:
        words.append({"timeout": "timed out", "memory": "out of memory"}.get(record.status, record.status))
    if run.percentile is not None:
        words.append(f"percentile {percent(run.percentile)}")
    if run.score is not None:
        words.append(f"score {number(run.score)}")
    if run.seconds is not None:
        words.append(duration(run.seconds))
    if run.live:
        words += _live_words(run.live)
    is_placed = run.percentile is not None and run.score is not None
    shown = run.percentile if is_placed else run.live.percentile if run.live else None
    values = (run.score, run.percentile, run.seconds, run.memory)
    return MatrixCell(
        run,
        name,
        css_class,
        cut,
        MARKS.get(name, ""),
        "" if shown is None else f"{shown:.0f}",
        ", ".join(words),
        ";".join("" if value is None else f"{value:.10g}" for value in values),
    )


def _live_words(live: LiveState) -> list[str]:
    """What is known of a run that has not ended; its snapshots do not count."""
    words = [live.about] if live.about else []
    if live.score is not None:
        place = "" if live.percentile is None else f", percentile {percent(live.percentile)}"
        words.append(f"last snapshot {number(live.score)}{place}")
    return words


SECTION = Section(place=30, anchor="matrix", name="Matrix", draw=matrix)
