"""Which checks the runs had, what was found, and passages that match public notebooks, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlebench.page.facts import PageFacts, RunFacts
from mlebench.page.markup import Markup, element, preformatted
from mlebench.page.sections.section import Section
from mlebench.page.shared import shortened
from mlebench.page.tables import Cell, Column, folded, note, number_cell, section, table, text_cell
from mlebench.results.checks import CHECKS, CheckResult, counts_of, in_words

_MOST_FINDINGS, _MOST_PASSAGES, _MOST_LINES, _LONGEST_LINE = 5, 3, 30, 160


def checks(page: PageFacts, _: Path) -> Markup | None:
    """What the checks found; nothing where no run had any."""
    results = {run.anchor: run.run.checks for run in page.runs}
    if all(result is CheckResult.NEVER for one in results.values() for result in one.values()):
        return None
    columns = [
        Column("competition"),
        *([Column("agent")] if page.is_comparison else []),
        Column("seed", is_number=True),
    ]
    columns += [*(Column(name) for name in CHECKS), Column("highest similarity", is_number=True)]
    rows = []
    for run in page.runs:
        entry = run.run.reports.checks.entry("plagiarism", run.run.record.run_id) or {}
        similarity = entry.get("highest_similarity")
        row = [
            Cell(element("a", run.run.record.competition_id, href=f"#{run.anchor}")),
            text_cell(run.label) if page.is_comparison else None,
            number_cell(run.run.record.seed),
            *(text_cell(result.words) for result in results[run.anchor].values()),
            number_cell(similarity if isinstance(similarity, int | float) else None),
        ]
        rows.append([cell for cell in row if cell is not None])
    return section(
        "checks",
        "Checks",
        note(f"{in_words(counts_of(results.values()))}."),
        table("Checks of runs", columns, rows, is_named=True),
        [found for run in page.runs if (found := _found(run)) is not None],
    )


def _found(run: RunFacts) -> Markup | None:
    """What was found about a run, to open."""
    record, kept = run.run.record, run.run.reports.checks
    parts: list[Markup] = []
    entry = kept.entry("violations", record.run_id)
    strong = [one for one in _objects(entry, "findings") if one.get("strength") == "strong"]
    listed = [
        element("li", f"{_text(one, 'rule').replace('_', ' ')}: {_text(one, 'message')} ", element("code", _place(one)))
        for one in strong[:_MOST_FINDINGS]
    ]
    if listed:
        parts.append(element("ul", listed))
    entry = kept.entry("plagiarism", record.run_id)
    if run.run.checks["plagiarism"] is CheckResult.FAILED and entry is not None:
        kernel = shortened(Path(_text(entry, "kernel")).name)
        parts.append(note(f"Disqualified: the code matches {kernel}."))
        parts += [_passage(one, kernel) for one in _objects(entry, "passages")[:_MOST_PASSAGES]]
    if not parts:
        return None
    title = [element("b", record.competition_id), f" seed {record.seed}: what was found"]
    return folded(title, parts)


def _passage(passage: Mapping[str, Any], kernel: str) -> Markup:
    sides = ((f"{_text(passage, 'file')}:{passage.get('line', '?')}", "code"), (kernel, "kernel_code"))
    columns = [
        element("div", element("p", shortened(name)), preformatted(_lines(passage.get(field))), class_="side")
        for name, field in sides
    ]
    return element("div", columns, class_="sides")


def _lines(value: Any) -> list[str]:
    return [str(line)[:_LONGEST_LINE] for line in value[:_MOST_LINES]] if isinstance(value, list) else []


def _objects(entry: Mapping[str, Any] | None, name: str) -> list[Mapping[str, Any]]:
    listed = entry.get(name) if entry is not None else None
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _text(entry: Mapping[str, Any], name: str) -> str:
    return str(entry.get(name) or "")


def _place(finding: Mapping[str, Any]) -> str:
    file = Path(_text(finding, "file")).name
    return f"{file}:{finding['line']}" if isinstance(finding.get("line"), int) else file


SECTION = Section(place=75, anchor="checks", name="Checks", draw=checks)
