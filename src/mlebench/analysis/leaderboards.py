"""Leaderboards of agents: the published rows, rows of your own among them, and the folder a submission wants."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from mlebench import facts
from mlebench.agents.disclosure import FIELDS, OPTIONAL
from mlebench.analysis.aggregate import Aggregation, aggregate
from mlebench.base.amounts import format_hours
from mlebench.base.wording import cell_text
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import DEFAULT_EDITION
from mlebench.results.checks import CHECKS
from mlebench.results.groups import RunGroup
from mlebench.results.sources import Reports, disclosed_by

Column: TypeAlias = Literal["low", "medium", "high", "all"]
COLUMNS: tuple[Column, ...] = ("low", "medium", "high", "all")
HEADER = (
    "Agent",
    "LLM(s) used",
    "Low == Lite (%)",
    "Medium (%)",
    "High (%)",
    "All (%)",
    "Running Time (hours)",
    "Date",
    "Source Code Available",
    "Grading Reports Available",
)
PADDED = "* Missing runs count as failures."
SEEDS_NEEDED = 3


@dataclass(frozen=True)
class Cell:
    """Any-medal percentage with its standard error; `padded` says that missing runs count as failures in it."""

    mean: float
    standard_error: float | None  # one seed has none
    padded: bool = False

    def __str__(self) -> str:
        error = "" if self.standard_error is None else f" ± {self.standard_error:.2f}"
        return f"{self.mean:.2f}{error}{'*' * self.padded}"


@dataclass(frozen=True)
class Row:
    """One agent.

    `is_yours` is not published; `missing` says what such a row lacks to be published, `undisclosed` which fields.
    """

    agent: str
    models: str
    cells: dict[Column, Cell]
    hours: str
    date: str
    source_code: str
    grading_reports: str = "yes"
    comparable: bool = True
    notes: str = ""
    is_yours: bool = False
    missing: tuple[str, ...] = field(default=())
    undisclosed: tuple[str, ...] = field(default=())
    checks: dict[str, dict[str, int]] = field(default_factory=dict)  # how many runs passed or failed which

    def texts(self) -> list[str]:
        """The row in the published columns."""
        cells = [str(self.cells[name]) if name in self.cells else "N/A" for name in COLUMNS]
        marks = {"yes": "✓", "no": "✗"}
        available = [marks.get(answer, answer) for answer in (self.source_code, self.grading_reports)]
        return [self.agent, self.models, *cells, self.hours, self.date, *available]

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values."""
        cells: dict[str, Any] = {
            name: {"mean": cell.mean, "standard_error": cell.standard_error, "padded": cell.padded}
            for name, cell in self.cells.items()
        }
        return {
            "agent": self.agent,
            "models": self.models,
            **cells,
            "hours": self.hours,
            "date": self.date,
            "grading_reports": self.grading_reports,
            "source_code": self.source_code,
            "comparable": self.comparable,
            "notes": self.notes,
            "yours": self.is_yours,
            "missing": list(self.missing),
            "undisclosed": list(self.undisclosed),
            "checks": self.checks or {name: {} for name in CHECKS},
        }


def published_rows() -> list[Row]:
    """The published results."""
    rows = []
    for agent in facts.published_agents():
        padded = agent["padded"].split()
        cells = {
            name: Cell(float(agent[name]), float(agent[f"{name}_sem"]), name in padded)
            for name in COLUMNS
            if agent[name]
        }
        notes = "; ".join(text for text in (agent["notes"], agent["models_note"]) if text)
        rows.append(
            Row(
                agent=agent["agent"],
                models=agent["models"],
                cells=cells,
                hours=agent["hours"],
                date=agent["date"],
                source_code=agent["source_code"],
                grading_reports=agent["grading_reports"],
                comparable=agent["comparable"] == "yes",
                notes=notes,
            )
        )
    return rows


def own_row(
    source: Reports, registry: Registry, disclosed: dict[str, Any], *, pad_missing: bool = False
) -> tuple[Row, Aggregation]:
    """The row of an agent of yours, with what it lacks to be published, and the aggregation behind it."""
    result = aggregate(source, registry, pad_missing=pad_missing)
    known = disclosure_of(source.groups, disclosed)
    cells: dict[Column, Cell] = {}
    for name in COLUMNS:
        if name in result.splits:
            split = result.splits[name]
            medal = split.shares["any_medal"]
            error = medal.standard_error if split.num_seeds_averaged > 1 else None
            cells[name] = Cell(medal.mean, error, split.padded > 0)
    why_not = []
    if known.get("held_out_signal") is True:
        why_not.append("Test-set feedback")
    if result.edition != DEFAULT_EDITION:
        why_not.append(f"Edition {result.edition}")
    row = Row(
        agent=str(known.get("agent") or source.name),
        models=str(known.get("models", "?")),
        cells=cells,
        hours=format_hours(known["hours"]) if "hours" in known else "?",
        date=max(saved.report.created_at for saved in source.reports).date().isoformat(),
        source_code=str(known.get("source_code", "no")),
        comparable=not why_not,
        notes="; ".join(why_not),
        is_yours=True,
        missing=tuple(_missing(result, known, cells)),
        undisclosed=tuple(undisclosed(known)),
        checks=result.checks,
    )
    return row, result


def disclosure_of(groups: Sequence[RunGroup], disclosed: dict[str, Any]) -> dict[str, Any]:
    """What is disclosed about an agent: what was measured, what its groups tell, and what was given."""
    known: dict[str, Any] = {}
    if groups:
        known["agent"] = groups[0].agent
    records = [run.record for group in groups for run in group.runs if run.record.has_conditions]
    if records:
        first = records[0]
        known["internet"] = any(record.network != "none" for record in records)
        cpus, gpus = first.hardware.get("cpus"), (first.hardware.get("gpus") or [])[: first.limits.get("gpus") or 0]
        if cpus:
            known["hardware"] = f"{first.limits.get('cpus') or cpus:g} CPUs, {', '.join(gpus) or 'no GPU'}"
        seconds = [record.limits.get("seconds") for record in records]
        if None not in seconds:
            known["hours"] = max(float(limit or 0) for limit in seconds) / 3600
    from_groups = [disclosed_by(group) for group in groups]
    for values in from_groups:
        known |= values
    # What is true of one group is true of the row that it is part of.
    known |= {name: True for values in from_groups for name, value in values.items() if value is True}
    return known | disclosed


def undisclosed(known: dict[str, Any]) -> list[str]:
    """The fields that a row needs and that nobody has disclosed."""
    return [name for name in FIELDS if name not in known and name not in OPTIONAL]


def _missing(result: Aggregation, known: dict[str, Any], cells: dict[Column, Cell]) -> list[str]:
    """What keeps a row from being published, one phrase each."""
    lacks = []
    if not cells:
        lacks.append("a complete split (low, medium, high or all)")
    seeds = min((result.splits[name].num_seeds_averaged for name in cells), default=0)
    if cells and seeds < SEEDS_NEEDED:
        lacks.append(f"{SEEDS_NEEDED} seeds (there are {seeds})")
    lacks += [f"{name} ({FIELDS[name][1]})" for name in undisclosed(known)]
    return lacks


def ranked(rows: Sequence[Row], by: Column) -> list[tuple[int | None, Row]]:
    """(rank, row), the best first; last and without a rank those that are not comparable or lack the column.

    Of published rows two decimals are known, so that these decide.
    """
    counted = [(round(row.cells[by].mean, 2), row) for row in rows if row.comparable and by in row.cells]
    placed: list[tuple[int | None, Row]] = []
    for mean, row in sorted(counted, key=lambda entry: -entry[0]):
        placed.append((1 + sum(other > mean for other, _ in counted), row))
    return placed + [(None, row) for row in rows if not (row.comparable and by in row.cells)]


def as_csv(rows: Sequence[Row]) -> str:
    """The rows as CSV, in the published columns and with their notes behind."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*HEADER, "Notes"])
    writer.writerows(map(cell_text, [*row.texts(), row.notes]) for row in rows)
    return text.getvalue()


def as_markdown(rows: Sequence[Row], *, header: bool = True) -> str:
    """The rows as a Markdown table, in the published columns; below it what stars and rows with notes mean."""
    lines = [_line(HEADER), _line(["---"] * len(HEADER))] if header else []
    lines += [_line(row.texts()) for row in rows]
    below = [PADDED] if any(cell.padded for row in rows for cell in row.cells.values()) else []
    below += dict.fromkeys(f"{row.agent} ({row.models}): {row.notes.rstrip('.')}." for row in rows if row.notes)
    return "\n".join([*lines, *(line for note in below for line in ("", _escaped(note)))]) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_escaped, cells)) + " |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
