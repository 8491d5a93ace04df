"""Why runs have no medal."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from mlebench.base.wording import counted
from mlebench.page.charts import GROUPS, Part, stacked_chart
from mlebench.page.facts import PageFacts
from mlebench.page.markup import Markup, element
from mlebench.page.sections.section import Section
from mlebench.page.shared import MANY, group_legend, shortened
from mlebench.page.tables import (
    Cell,
    Column,
    figure,
    folded,
    note,
    number_cell,
    section,
    table,
    text_cell,
)


def failures(page: PageFacts, _: Path) -> Markup:
    """Why runs have no medal."""
    found = [failure for group in page.groups for failure in group.failures]
    if not found:
        words = (
            "Every run that was graded has a medal."
            if any(group.graded for group in page.groups)
            else "Nothing is graded."
        )
        return section("failures", "Failures by cause", note(words))
    total = Counter(failure.cause for failure in found)
    causes = [cause for cause, _ in total.most_common()]
    counts = {group.label: Counter(failure.cause for failure in group.failures) for group in page.groups}
    words = ", ".join(f"{cause} {count}" for cause, count in total.most_common())
    parts = [
        Part(label, f"group-{place % GROUPS}", [counts[label][cause] for cause in causes])
        for place, label in enumerate(counts)
    ]
    chart = stacked_chart(list(causes), parts, f"Runs without a medal by cause: {words}.")
    anchors = {run.run.record.run_id: run for run in page.runs}
    rows = []
    for failure in found:
        run = anchors[failure.run_id]
        row = [
            Cell(element("a", failure.competition_id, href=f"#{run.anchor}")),
            text_cell(run.label) if page.is_comparison else None,
            number_cell(failure.seed),
            text_cell(failure.finding.message),
            Cell(shortened(failure.evidence)),
        ]
        rows.append([cell for cell in row if cell is not None])
    names = ["competition", *(["agent"] if page.is_comparison else []), "seed", "cause", "shown by"]
    columns = [Column(name, is_number=name == "seed") for name in names]
    listed = table("Runs without a medal", columns, rows, is_named=True)
    return section(
        "failures",
        "Failures by cause",
        group_legend(page),
        figure("Runs without a medal", chart, f"{counted(len(found), 'run')} without a medal: {words}."),
        listed if len(rows) <= MANY else folded(f"Why each of the {len(rows)} runs has none", listed),
    )


SECTION = Section(place=70, anchor="failures", name="Failures", draw=failures)
