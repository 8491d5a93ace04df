"""A table of all runs, and each with its facts, files and log."""

from __future__ import annotations

from pathlib import Path

from mlebench.page.facts import PageFacts, RunFacts
from mlebench.page.files import link
from mlebench.page.markup import Child, Markup, element, preformatted
from mlebench.page.outcomes import outcome
from mlebench.page.quantities import duration, memory, number, percent, period
from mlebench.page.sections.section import Section
from mlebench.page.shared import MANY, shortened
from mlebench.page.tables import (
    Cell,
    Column,
    folded,
    medal_badge,
    medal_rank,
    note,
    number_cell,
    pairs,
    percent_cell,
    section,
    table,
    text_cell,
)
from mlebench.results.checks import cell_of
from mlebench.score.lite import WEIGHTS, rounded

_REASONS = 400  # characters
_HASH = 12  # characters of a sum; run.json has all of it


def runs(page: PageFacts, folder: Path) -> Markup:
    """All runs: a table, and below it the facts of each to open."""
    rows = []
    for run in page.runs:
        record = run.run.record
        row = [
            Cell(element("a", record.competition_id, href=f"#{run.anchor}")),
            text_cell(run.label) if page.is_comparison else None,
            number_cell(record.seed),
            text_cell(record.status),
            number_cell(run.score),
            Cell(medal_badge(run.medal, outcome(run)), medal_rank(run.medal)),
            percent_cell(run.percentile),
            number_cell(run.seconds, duration(run.seconds)),
            number_cell(run.memory, memory(run.memory)),
            text_cell(run.failure.cause if run.failure else None),
            text_cell(_checks(run)),
        ]
        rows.append([cell for cell in row if cell is not None])
    names = ["competition", *(["agent"] if page.is_comparison else []), "seed", "status", "score", "outcome"]
    names += ["percentile", "time", "memory", "cause", "checks"]
    numeric = {"seed", "score", "percentile", "time", "memory"}
    columns = [Column(name, is_number=name in numeric) for name in names]
    each_run = [_details(run, page, folder) for run in page.runs]
    return section(
        "runs",
        "Runs",
        note("Each link opens a run below: its facts, its files and the end of its log."),
        table("All runs", columns, rows, details=[run.anchor for run in page.runs], is_named=True),
        element("div", each_run, class_="runs many" if len(each_run) > MANY else "runs"),
    )


def _details(run: RunFacts, page: PageFacts, folder: Path) -> Markup:
    record = run.run.record
    title = [element("b", record.competition_id), f" seed {record.seed}"]
    if page.is_comparison:
        title.append(f", {run.label}")
    summary = [title, " ", medal_badge(run.medal, outcome(run))]
    return folded(summary, pairs(_facts(run)), _lite(run), _files(run, folder), _log(run), id=run.anchor)


def _facts(run: RunFacts) -> list[tuple[str, Child]]:
    record = run.run.record
    facts: list[tuple[str, Child]] = [
        ("run", record.run_id),
        ("status", record.status + (f", exit code {record.exit_code}" if record.exit_code is not None else "")),
        (
            "score",
            f"{number(run.score)}, percentile {percent(run.percentile)}" if run.score is not None else None,
        ),
        ("refused", run.report.report.refusal if run.report else None),
        ("cause", _cause(run)),
        ("error", record.error),
        ("time", _used(duration(run.seconds), run.time_share)),
        ("memory", _used(memory(run.memory), run.memory_share)),
        ("ran", period(record.started_at, record.ended_at) if record.started_at else None),
        ("attempt", str(record.attempt) if record.attempt > 1 else None),
        ("network", f"{len(record.network_attempts)} attempts" if record.network_attempts else None),
        ("data", record.data),
        ("checks", cell_of(run.run.checks)),
        ("disqualified", "for plagiarism: it has no medal" if run.report and run.report.is_disqualified else None),
    ]
    return [(name, value) for name, value in facts if value is not None]


def _checks(run: RunFacts) -> str:
    """Which checks a run passed, failed or never had; in one word where it is the same of all."""
    results = run.run.checks
    return next(iter(results.values())).words if len(set(results.values())) == 1 else cell_of(results)


def _used(amount: str, share: float | None) -> str:
    return amount if share is None else f"{amount}, {percent(share)} of the budget"


def _cause(run: RunFacts) -> str | None:
    if run.failure is None:
        return None
    words = [run.failure.finding.message, shortened(run.failure.evidence)]
    return ": ".join(word for word in words if word)


def _lite(run: RunFacts) -> Markup | None:
    score = run.lite
    if score is None:
        return None
    rows = []
    given: set[str] = set()
    for name in (*WEIGHTS, "artifact_validity"):
        dimension = getattr(score, name)
        value = rounded(dimension.value)
        shown = "–" if value is None else f"{value:.2f}"
        new = [reason for reason in dimension.reasons if reason not in given]
        given.update(new)
        reasons = shortened("; ".join(new), _REASONS) or "for reasons given above"
        rows.append((f"{name.replace('_', ' ')} {shown}", reasons))
    overall = rounded(score.overall)
    gates = [note(reason) for reason in (*score.gates, *score.contradictions)]
    return folded(f"Lite score {'–' if overall is None else f'{overall:.2f}'}", pairs(rows), gates)


def _files(run: RunFacts, folder: Path) -> Markup | None:
    if not run.files:
        return None
    listed = []
    for file in run.files:
        name: Child = file.name if file.path is None else element("a", file.name, href=link(file.path, folder))
        listed.append(element("li", name, element("code", file.sha256[:_HASH]) if file.sha256 else None))
    return element("ul", listed, class_="files", aria_label="Files")


def _log(run: RunFacts) -> Markup | None:
    if not run.log:
        return None
    return folded("Last lines of agent.log", preformatted(run.log))


SECTION = Section(place=90, anchor="runs", name="Runs", draw=runs)
