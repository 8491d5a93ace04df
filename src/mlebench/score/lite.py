"""The Lite score of one run: four dimensions, gates, a band, and the reason of every component.

docs/scores.md has the formulas with a worked example.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from mlebench.base.amounts import format_bytes, format_seconds
from mlebench.competition.declaration import Competition
from mlebench.results.artifacts import Metrics, Report, model_in_code, read_metrics, read_report
from mlebench.results.measures import human_percentile
from mlebench.results.model_usage import ModelUsage, counted_usage
from mlebench.results.names import METRICS_FILE, REPORT_TEXT, SUBMISSION_FILE
from mlebench.results.replays import ReplayRecord
from mlebench.results.reports import SavedReport
from mlebench.results.result_line import Parsed, matching_seed, result_of_run
from mlebench.results.runs import Run
from mlebench.score.config import Budgets
from mlebench.score.declared import contradictions, environment

WEIGHTS = {"metric_quality": 0.55, "efficiency": 0.15, "reproducibility": 0.15, "operational_correctness": 0.15}
UNPARSED_AT_MOST = 39.99
LITE = "lite"  # the variant of the instructions that asks for the artifacts of a Lite score
Band: TypeAlias = Literal["top quartile", "competitive", "partial", "where most unassisted agents are"]
_BANDS: tuple[tuple[float, Band], ...] = ((85.0, "top quartile"), (70.0, "competitive"), (40.0, "partial"))
_MB = 1 << 20  # bytes, as budgets count them
_LOWEST: Band = "where most unassisted agents are"
# The place of a score on synthetic data, from 0 to 100, and in words what it means; None where it cannot be told.
Synthetic: TypeAlias = Callable[[SavedReport], tuple[float | None, str]]


@dataclass(frozen=True)
class Dimension:
    """A value from 0 to 100, None where it cannot be told, and its reasons."""

    value: float | None
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class RunScore:
    """The Lite score of one run; values are exact and rounded only where they are shown."""

    run_id: str
    competition_id: str
    seed: int
    overall: float | None
    metric_quality: Dimension
    efficiency: Dimension
    reproducibility: Dimension
    operational_correctness: Dimension
    artifact_validity: Dimension
    gates: tuple[str, ...]
    contradictions: tuple[str, ...] = ()
    parsed: bool = True
    synthetic: bool = False
    validation_gap: float | None = None
    model_usage: ModelUsage | None = None

    def to_dict(self) -> dict[str, Any]:
        """The score as plain values, rounded once, with the reasons beside them."""
        names = (*WEIGHTS, "artifact_validity")
        return {
            "run_id": self.run_id,
            "competition_id": self.competition_id,
            "seed": self.seed,
            "overall": rounded(self.overall),
            **{name: rounded(getattr(self, name).value) for name in names},
            "band": band(self.overall),
            "synthetic": self.synthetic,
            "parsed": self.parsed,
            "validation_gap": self.validation_gap,
            "model_usage": None if self.model_usage is None else self.model_usage.to_dict(),
            "gates": list(self.gates),
            "contradictions": list(self.contradictions),
            "reasons": {name: list(getattr(self, name).reasons) for name in names},
        }


def rounded(value: float | None) -> float | None:
    """A value as it is shown."""
    return None if value is None else round(value, 2)


def band(overall: float | None) -> Band | None:
    """The band of an overall score, as it is shown.

    >>> band(84.99), band(85.0)
    ('competitive', 'top quartile')
    """
    if overall is None:
        return None
    return next((name for least, name in _BANDS if round(overall, 2) >= least), _LOWEST)


def combined(values: dict[str, float | None]) -> float | None:
    """0.55 metric quality and 0.15 of each other dimension; None if one of them is."""
    total = 0.0
    for name, weight in WEIGHTS.items():
        value = values[name]
        if value is None:
            return None
        total += weight * value
    return total


def score_run(
    run: Run,
    competition: Competition,
    budgets: Budgets,
    *,
    strict: bool = False,
    synthetic: Synthetic | None = None,
) -> RunScore:
    """Score one graded run."""
    if run.report is None:
        raise ValueError("a run without a report has no score")
    return _Scored(run, run.report, competition, budgets, strict, synthetic).score()


@dataclass
class _Scored:
    """One run while it is scored."""

    run: Run
    report: SavedReport
    competition: Competition
    budgets: Budgets
    strict: bool
    synthetic: Synthetic | None
    parsed: Parsed = field(init=False)
    metrics: Metrics = field(init=False)
    text: Report = field(init=False)

    def score(self) -> RunScore:
        self.parsed = result_of_run(self.run.folder)
        left = self.run.submission.parent
        self.metrics, self.text = read_metrics(left), read_report(left)
        quality, is_synthetic = self._quality()
        efficiency = self._efficiency()
        validity = self._validity()
        reproducibility = self._reproducibility()
        operations, gap = self._operations(validity)
        overall = combined(
            {
                "metric_quality": quality.value,
                "efficiency": efficiency.value,
                "reproducibility": reproducibility.value,
                "operational_correctness": operations.value,
            }
        )
        overall, gates = self._gated(overall)
        record = self.run.record
        if record.sample_handed_in:
            note = "the submission is the sample submission as it is"
            quality = Dimension(quality.value, (*quality.reasons, note))
        return RunScore(
            run_id=record.run_id,
            competition_id=record.competition_id,
            seed=record.seed,
            overall=overall,
            metric_quality=quality,
            efficiency=efficiency,
            reproducibility=reproducibility,
            operational_correctness=operations,
            artifact_validity=validity,
            gates=gates,
            contradictions=tuple(contradictions(self.run, self.parsed)),
            parsed=self.parsed.result is not None,
            synthetic=is_synthetic,
            validation_gap=gap,
            model_usage=counted_usage(self.run.record),
        )

    @property
    def _has_submission(self) -> bool:
        return self.report.report.submission_exists

    @property
    def _is_valid(self) -> bool:
        return self.report.report.valid_submission

    def _quality(self) -> tuple[Dimension, bool]:
        report = self.report.report
        if not self._has_submission:
            return Dimension(0.0, ("there is no submission",)), False
        if not self._is_valid:
            return Dimension(0.0, (f"the submission was refused: {report.refusal or 'no reason given'}",)), False
        if report.score is None:
            return Dimension(0.0, ("the report has no score",)), False
        if self.report.is_twin:
            if self.synthetic is None:
                return Dimension(None, ("on synthetic data there are no humans to compare with",)), False
            value, why = self.synthetic(self.report)
            return Dimension(value, (f"SYNTHETIC: {why}",)), True
        value = human_percentile(self.report, self.competition)
        if value is None:
            return Dimension(None, ("no human scores are known for this competition",)), False
        return Dimension(
            value, (f"the score {report.score:g} beats or equals {value:.2f} % of the leaderboard",)
        ), False

    def _used(self) -> tuple[float | None, float | None]:
        """(seconds, MB) as measured from outside."""
        usage = self.run.record.usage
        seconds, peak = usage.get("seconds"), usage.get("peak_memory_bytes")
        return (None if seconds is None else float(seconds)), (None if peak is None else float(peak) / (1 << 20))

    def _exceeded(self) -> list[str]:
        seconds, memory = self._used()
        found = []
        if (seconds or 0.0) > self.budgets.seconds:
            found.append(f"the time budget of {format_seconds(self.budgets.seconds)} was exceeded")
        elif self.run.record.status == "timeout":
            found.append("the run was stopped at its time limit")
        if (memory or 0.0) > self.budgets.memory_mb:
            found.append(f"the memory budget of {format_bytes(self.budgets.memory_mb * _MB)} was exceeded")
        elif self.run.record.status == "memory":
            found.append("the run was stopped at its memory limit")
        return found

    def _efficiency(self) -> Dimension:
        exceeded = self._exceeded()
        if exceeded:
            return Dimension(0.0, tuple(exceeded))
        seconds, memory = self._used()
        time_share = 1.0 if seconds is None else seconds / self.budgets.seconds
        memory_share = 1.0 if memory is None else memory / self.budgets.memory_mb
        reasons = (
            f"time: {format_seconds(seconds, none='unknown')} of {format_seconds(self.budgets.seconds)}",
            f"memory: {'unknown' if memory is None else format_bytes(memory * _MB)} "
            f"of {format_bytes(self.budgets.memory_mb * _MB)}",
        )
        return Dimension(100.0 * (1.0 - (time_share + memory_share) / 2.0), reasons)

    def _validity(self) -> Dimension:
        parts = (
            (0.5, self._is_valid, "the submission is valid", self._submission_problem()),
            (0.25, self.metrics.problem is None, f"{METRICS_FILE} has its form", self.metrics.problem),
            (0.25, self.text.problem is None, f"{REPORT_TEXT} has its form", self.text.problem),
        )
        value = sum(weight for weight, is_right, _, _ in parts if is_right)
        return Dimension(100.0 * value, tuple(str(good if is_right else bad) for _, is_right, good, bad in parts))

    def _submission_problem(self) -> str:
        return "the submission is not valid" if self._has_submission else "there is no submission"

    def _reproducibility(self) -> Dimension:
        if self.parsed.result is None:
            return Dimension(0.0, (f"unparsed: {self.parsed.problem}",))
        problem = matching_seed(self.run.record, self.parsed.result)
        if problem:
            return Dimension(0.0, (problem,))
        is_recorded, why = environment(self.run)
        replay = ReplayRecord.load(self.run.folder)
        worth, how = replay.worth(self.run.record) if replay else (0.0, "no replay was made")
        value = 100.0 * (1.0 + float(is_recorded) + worth) / 3.0
        return Dimension(value, ("the declared seed is the assigned one", why, how))

    def _operations(self, validity: Dimension) -> tuple[Dimension, float | None]:
        record = self.run.record
        exceeded = self._exceeded()
        ended_well = not exceeded and record.exit_code == 0
        how = exceeded[0] if exceeded else f"exit code {record.exit_code}"
        mismatch = None if self.metrics.problem else self.metrics.mismatch(self.competition)
        wrong_metric = mismatch.sentence if mismatch else self.metrics.problem
        gap, gap_words = self._gap() if wrong_metric is None else (None, "")
        wrong_report = self.text.problem or model_in_code(self.text, self.run.code)
        parts = (
            (float(ended_well), f"within budget, {how}" if ended_well else how),
            (float(self._is_valid), "the submission is valid" if self._is_valid else self._submission_problem()),
            ((validity.value or 0.0) / 100.0, f"artifact validity {validity.value or 0.0:g} of 100"),
            (
                float(wrong_metric is None),
                wrong_metric or f"{METRICS_FILE} names the right metric and direction{gap_words}",
            ),
            (float(wrong_report is None), wrong_report or f"{REPORT_TEXT} is complete, and its model is in code/"),
        )
        return Dimension(100.0 * sum(value for value, _ in parts) / len(parts), tuple(why for _, why in parts)), gap

    def _gap(self) -> tuple[float | None, str]:
        """By how much validation was better than the test, and words for it."""
        claimed, tested = self.metrics.validation_score, self.report.report.score
        if claimed is None or tested is None:
            return None, ""
        gap = claimed - tested if self.competition.better == "higher" else tested - claimed
        return gap, f"; validation {claimed:g}, test {tested:g}"

    def _gated(self, overall: float | None) -> tuple[float | None, tuple[str, ...]]:
        gates = []
        missing = [
            name
            for name, exists in (
                (SUBMISSION_FILE, self._has_submission),
                (METRICS_FILE, self.metrics.exists),
                (REPORT_TEXT, self.text.exists),
            )
            if not exists
        ]
        if SUBMISSION_FILE in missing or (self.strict and missing):
            overall = 0.0
            gates.append(f"overall is 0: {', '.join(missing)} missing")
        if self.parsed.result is None:
            overall = None if overall is None else min(overall, UNPARSED_AT_MOST)
            gates.append(f"overall is at most {UNPARSED_AT_MOST}: {self.parsed.problem}")
        left_none = not self.metrics.exists and not self.text.exists and self.parsed.result is None
        if self.run.record.variant != LITE and left_none:
            variant = self.run.record.variant
            gates.append(f"nobody asked for artifacts: the instructions were the variant {variant}, not {LITE}")
        return overall, tuple(gates)
