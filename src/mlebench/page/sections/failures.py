"""Why runs have no medal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from mlebench.analysis.failures import Failure
from mlebench.page.charts import GROUPS, Part, stacked_chart
from mlebench.page.facts import PageFacts
from mlebench.page.markup import Markup, element
from mlebench.page.sections.section import Section
from mlebench.page.shared import MANY, shortened
from mlebench.page.tables import Cell, Column, number_cell, table, text_cell
from mlebench.page.templating import template


def failures(page: PageFacts, _: Path) -> Markup:
    """Why runs have no medal."""
    found = [failure for group in page.groups for failure in group.failures]
    total = Counter(failure.cause for failure in found)
    words = ", ".join(f"{cause} {count}" for cause, count in total.most_common())
    return template(
        "failures.html",
        page=page,
        chart=_chart(page, [cause for cause, _ in total.most_common()], words) if found else None,
        words=words,
        count=len(found),
        many=MANY,
        table=_table(page, found) if found else None,
        is_graded=any(group.graded for group in page.groups),
    )


def _chart(page: PageFacts, causes: Sequence[str], words: str) -> Markup:
    counts = {group.label: Counter(failure.cause for failure in group.failures) for group in page.groups}
    parts = [
        Part(label, f"group-{place % GROUPS}", [counts[label][cause] for cause in causes])
        for place, label in enumerate(counts)
    ]
    return stacked_chart(causes, parts, f"Runs without a medal by cause: {words}.")


def _table(page: PageFacts, found: Sequence[Failure]) -> Markup:
    runs = {run.run.record.run_id: run for run in page.runs}
    rows = []
    for failure in found:
        run = runs[failure.run_id]
        row = [Cell(element("a", failure.competition_id, href=f"#{run.anchor}"))]
        row += [text_cell(run.label)] if page.is_comparison else []
        row += [number_cell(failure.seed), text_cell(failure.finding.message), Cell(shortened(failure.evidence))]
        rows.append(row)
    names = ["competition", *(["agent"] if page.is_comparison else []), "seed", "cause", "shown by"]
    columns = [Column(name, is_number=name == "seed") for name in names]
    return table("Runs without a medal", columns, rows, is_named=True)


SECTION = Section(place=70, anchor="failures", name="Failures", draw=failures)
