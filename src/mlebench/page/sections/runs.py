"""Each run, to be opened where it is clicked: its facts, its activity, its log, code and files."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mlebench.page.activity import Step
from mlebench.page.charts import over_time_chart
from mlebench.page.facts import CompetitionFacts, PageFacts, RunFacts
from mlebench.page.files import link
from mlebench.page.markup import Markup
from mlebench.page.outcomes import outcome
from mlebench.page.quantities import duration, memory, moment, number, percent, period
from mlebench.page.sections.over_time import points_of
from mlebench.page.sections.section import Section
from mlebench.page.shared import shortened
from mlebench.page.templating import template
from mlebench.results.checks import cell_of
from mlebench.results.names import AGENT_LOG
from mlebench.score.lite import WEIGHTS, rounded

_REASONS = 400  # characters
_HASH = 12  # characters of a sum; run.json has all of it
_CHARTS = 60  # runs; of more, scores over time are drawn by competition only
_STEPS = 40  # steps that are listed of a run beside many others
_ATTEMPTS = 20


@dataclass(frozen=True)
class LiteLine:
    """A dimension of the Lite score of a run, with its reasons."""

    name: str
    reasons: str


def runs(page: PageFacts, folder: Path) -> Markup:
    """All runs, each below its address."""
    by_id = {facts.competition.id: facts for facts in page.competitions}
    few = len(page.runs) <= _CHARTS
    return template(
        "runs.html",
        page=page,
        articles=[run_article(run, page, folder, by_id[run.run.record.competition_id], few=few) for run in page.runs],
    )


def run_article(
    run: RunFacts, page: PageFacts, folder: Path, facts: CompetitionFacts, *, few: bool = True, with_log: bool = True
) -> Markup:
    """All that the page tells about one run."""
    record = run.run.record
    return template(
        "run.html",
        run=run,
        record=record,
        is_comparison=page.is_comparison,
        outcome=outcome(run),
        facts=_facts(run),
        lite=_lite(run),
        files=[
            (file, link(file.path, folder) if file.path else None, (file.sha256 or "")[:_HASH]) for file in run.files
        ],
        log_link=next((link(file.path, folder) for file in run.files if file.name == AGENT_LOG and file.path), None),
        attempts=record.network_attempts[:_ATTEMPTS],
        with_log=with_log,
        chart=_chart(run, facts) if few else None,
        steps=_steps(run.steps, 400 if few else _STEPS),
        replay=f"mlebench replay {shlex.quote(str(run.run.folder))}",
    )


def _facts(run: RunFacts) -> list[tuple[str, str]]:
    record = run.run.record
    facts: list[tuple[str, str | None]] = [
        ("run", record.run_id),
        ("status", record.status + (f", exit code {record.exit_code}" if record.exit_code is not None else "")),
        ("score", f"{number(run.score)}, percentile {percent(run.percentile)}" if run.score is not None else None),
        ("refused", run.report.report.refusal if run.report else None),
        ("cause", _cause(run)),
        ("error", record.error),
        ("time", _used(duration(run.seconds), run.time_share) if record.has_ended else None),
        ("memory", _used(memory(run.memory), run.memory_share) if record.has_ended else None),
        ("ran", period(record.started_at, record.ended_at) if record.started_at and record.ended_at else None),
        ("began", moment(record.started_at) if record.started_at and not record.ended_at else None),
        ("attempt", str(record.attempt) if record.attempt > 1 else None),
        ("on", record.node),
        ("data", record.data),
        ("models", _models(run)),
        ("checks", cell_of(run.run.checks)),
        ("disqualified", "for plagiarism: it has no medal" if run.report and run.report.is_disqualified else None),
        ("not promised", "; ".join(record.not_promised[:5]) or None),
    ]
    return [(name, value) for name, value in facts if value is not None]


def _models(run: RunFacts) -> str | None:
    if run.tokens is None:
        return None
    return f"{run.tokens:,} tokens, " + ("price unknown" if run.usd is None else f"{run.usd:.4f} USD")


def _used(amount: str, share: float | None) -> str:
    return amount if share is None else f"{amount}, {percent(share)} of the budget"


def _cause(run: RunFacts) -> str | None:
    if run.failure is None:
        return None
    words = [run.failure.finding.message, shortened(run.failure.evidence)]
    return ": ".join(word for word in words if word)


def _lite(run: RunFacts) -> dict[str, object] | None:
    score = run.lite
    if score is None:
        return None
    lines, given = [], set[str]()
    for name in (*WEIGHTS, "artifact_validity"):
        dimension = getattr(score, name)
        value = rounded(dimension.value)
        new = [reason for reason in dimension.reasons if reason not in given]
        given.update(new)
        shown = f"{name.replace('_', ' ')} {'–' if value is None else f'{value:.2f}'}"
        lines.append(LiteLine(shown, shortened("; ".join(new), _REASONS) or "for reasons given above"))
    overall = rounded(score.overall)
    return {
        "overall": "–" if overall is None else f"{overall:.2f}",
        "lines": lines,
        "gates": [*score.gates, *score.contradictions],
    }


def _chart(run: RunFacts, facts: CompetitionFacts) -> Markup | None:
    """The score over time, and beside it what the agent thought its score was."""
    thought = [
        (step.seconds, step.validation_score)
        for step in run.steps
        if step.seconds is not None and step.validation_score is not None
    ]
    lines = [(0, "score", points_of(run)), (1, "the agent's own validation score", thought)]
    known = [line for line in lines if line[2]]
    if not known:
        return None
    label = "Score over the time of this run, and the validation scores of its agent where it tells them"
    return over_time_chart(known, facts.thresholds, label, lower_is_better=facts.lower_is_better)


def _steps(steps: Sequence[Step], most: int) -> dict[str, object] | None:
    if not steps:
        return None
    return {"shown": steps[:most], "all": len(steps)}


SECTION = Section(place=90, anchor="runs", name="Runs", draw=runs)
