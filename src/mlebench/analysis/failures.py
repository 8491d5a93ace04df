"""Why runs have no medal: one cause each, from a fixed list, with the line that shows it.

docs/commands/failures.md describes the causes. A run that was cut short or fell over is explained by that; one that
handed in something is explained by what it handed in; only then it is a matter of being good enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from signal import Signals
from typing import Any, Literal

from mlebench.analysis.causes import Cause
from mlebench.analysis.log_evidence import Kind, last_error, last_failure, last_line, read_log
from mlebench.analysis.submission_evidence import is_sample, misunderstood_form
from mlebench.base import progress
from mlebench.base.codes import RefusalCode
from mlebench.base.findings import Evidence, Finding
from mlebench.competition.declaration import Competition
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import EDITIONS
from mlebench.results.artifacts import read_metrics, read_report
from mlebench.results.groups import RunGroup
from mlebench.results.names import AGENT_LOG, METRICS_FILE, REPORT_TEXT, RUN_FILE
from mlebench.results.result_line import matching_seed, result_of_run
from mlebench.results.runs import Run
from mlebench.results.sources import declaration_of

UNREADABLE_SUBMISSION = "submission-unreadable"  # the code of a run that left something else in its submission's place
FAR = 0.2  # of the way from the sample to gold, or of the score: validation this much better than the test overfits
ROUNDING = 1e-9  # a score that is this close to perfect is perfect
# By exit code: a shell adds 128 to the number of a signal, Python subtracts it from 256. An interrupt is left out,
# which Python tells by an exception, and a hang-up, because 255 is an exit code of many programs.
_FATAL = ("SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGSEGV", "SIGPIPE", "SIGALRM",
          "SIGTERM", "SIGXCPU", "SIGXFSZ", "SIGSYS")  # fmt: skip
_SIGNALS = {code: name for name in _FATAL for code in (128 + Signals[name], 256 - Signals[name])}
_NOT_FOUND = 127  # the exit code of a shell that does not find a program
_BY_KIND: dict[Kind, Cause] = {
    "host memory": Cause.OUT_OF_HOST_MEMORY,
    "GPU memory": Cause.OUT_OF_GPU_MEMORY,
    "disk": Cause.DISK_OR_OUTPUT,
    "package": Cause.PACKAGE_MISSING,
    "signal": Cause.KILLED,
    "exception": Cause.CRASH,
}


@dataclass(frozen=True)
class Failure:
    """Why a run has no medal: a finding whose code is the cause, and what the run was.

    `detail` narrows the cause down: the code of a refusal, the name of an exception, a package or a signal.
    """

    finding: Finding
    detail: str
    run_group: str
    agent: str
    competition_id: str
    category: str
    seed: int

    @property
    def run_id(self) -> str:
        """The run that failed."""
        return self.finding.subject

    @property
    def code(self) -> Cause:
        """The cause."""
        return Cause(self.finding.code)

    @property
    def cause(self) -> str:
        """The cause in words."""
        return self.code.words

    @property
    def evidence(self) -> str:
        """The line that shows it."""
        return self.finding.evidence.quotation or ""

    def to_dict(self) -> dict[str, Any]:
        """The failure as plain values."""
        shown = self.finding.evidence
        return {
            "run_id": self.run_id,
            "run_group": self.run_group,
            "agent": self.agent,
            "competition_id": self.competition_id,
            "category": self.category,
            "seed": self.seed,
            "code": self.code.value,
            "cause": self.cause,
            "detail": self.detail,
            "evidence": self.evidence,
            "file": str(shown.file) if shown.file else None,
            "line": shown.line,
        }


def failures(group: RunGroup, registry: Registry) -> list[Failure]:
    """The failures of a group: its runs that have ended without a medal."""
    found = []
    for run in progress.each(group.runs, "explain", group.folder.name, unit="runs"):
        if not run.record.has_ended or run.report is None or run.report.report.any_medal:
            continue
        record = run.record
        competition = declaration_of(registry, record.competition_id, run.folder)
        reason = explain(run, competition, _sample_files(group, registry, run))
        finding = Finding(record.run_id, reason.cause, "error", reason.message, evidence=reason.evidence)
        found.append(
            Failure(
                finding,
                reason.detail,
                group.name,
                record.agent,
                record.competition_id,
                competition.category,
                record.seed,
            )
        )
    return found


def counts(found: Iterable[Failure], by: Literal["agent", "category"]) -> dict[str, Counter[str]]:
    """How often each cause occurs per agent or per category."""
    counted: dict[str, Counter[str]] = {}
    for failure in found:
        counted.setdefault(getattr(failure, by), Counter())[failure.cause] += 1
    return counted


def _sample_files(group: RunGroup, registry: Registry, run: Run) -> list[Path]:
    """Where the sample submission may be; a copied folder may be without it."""
    folders = [registry.data_dir]
    if group.data_dir is not None:
        folders.insert(0, group.data_dir)
    edition = next(edition for edition in EDITIONS if edition == run.record.edition)
    declaration = registry.get_competition(run.record.competition_id).declaration
    samples = [LocalCompetition(declaration, folder, edition).sample_submission for folder in folders]
    return [path for path in samples if path.is_file()]


@dataclass(frozen=True)
class Reason:
    """A cause, what narrows it down, and where it shows."""

    cause: Cause
    detail: str
    evidence: Evidence

    @property
    def message(self) -> str:
        """The cause and its detail in words."""
        words = self.detail
        if self.cause is Cause.FORMAT and (code := RefusalCode.known(self.detail)):
            words = code.words
        return f"{self.cause.words}: {words}" if words else self.cause.words


def explain(run: Run, competition: Competition, samples: Sequence[Path] = ()) -> Reason:
    """Why a run has no medal."""
    if run.report is None:
        raise ValueError("a run without a report cannot be explained")
    return _Explanation(run, competition, samples).reason()


class _Explanation:
    """One run while its cause is looked for."""

    def __init__(self, run: Run, competition: Competition, samples: Sequence[Path]) -> None:
        assert run.report is not None
        self.run, self.record, self.competition, self.samples = run, run.record, competition, samples
        self.saved, self.report = run.report, run.report.report
        self.log = read_log(run.folder)

    def reason(self) -> Reason:
        for search in (
            self._ended_by_others,
            self._exceeded_a_budget,
            self._crashed,
            self._handed_in,
            self._artifacts,
            self._not_good_enough,
        ):
            found = search()
            if found is not None:
                return found
        return self._in_log(Cause.UNKNOWN, "", last_line(self.log))

    def _in_log(self, cause: Cause, detail: str, quotation: str) -> Reason:
        return Reason(cause, detail, Evidence(self.run.folder / AGENT_LOG, None, quotation))

    def _in_record(self, cause: Cause, detail: str = "") -> Reason:
        return Reason(cause, detail, Evidence(self.run.folder / RUN_FILE, None, self.record.error or ""))

    def _in_submission(self, cause: Cause, detail: str, quotation: str, line: int | None = None) -> Reason:
        return Reason(cause, detail, Evidence(self.run.submission, line, quotation))

    def _ended_by_others(self) -> Reason | None:
        if self.record.status == "infrastructure":
            return self._in_record(Cause.INFRASTRUCTURE)
        if self.record.status == "cancelled":
            return self._in_record(Cause.CANCELLED)
        return None

    def _exceeded_a_budget(self) -> Reason | None:
        status = self.record.status
        if status == "timeout":
            return self._in_record(Cause.TIMEOUT)
        if status == "memory":
            return self._in_record(Cause.OUT_OF_HOST_MEMORY, "budget")
        if status in ("disk", "output"):
            return self._in_record(Cause.DISK_OR_OUTPUT, status)
        if status == "budget":
            return self._in_record(Cause.MODEL_BUDGET)
        return None

    def _crashed(self) -> Reason | None:
        """A failure that ended the run or left it without a submission; what a run survived does not count."""
        code = self.record.exit_code
        if code == 0 and self.report.submission_exists:
            return None
        found = last_failure(self.log)
        if found is not None and found.kind in ("host memory", "GPU memory"):
            return self._in_log(_BY_KIND[found.kind], "", found.line)
        killed = _SIGNALS.get(code or 0)
        if killed == "SIGXFSZ" or (found is not None and found.kind == "disk"):
            return self._in_log(Cause.DISK_OR_OUTPUT, "disk", found.line if found else last_line(self.log))
        if killed is not None:
            return self._in_log(Cause.KILLED, killed, f"exit code {code}: {last_line(self.log)}")
        if code == _NOT_FOUND and (found is None or found.kind != "package"):
            return self._in_log(Cause.PACKAGE_MISSING, "", last_line(self.log) or f"exit code {code}")
        if found is not None:
            return self._in_log(_BY_KIND[found.kind], found.detail, found.line)
        if code not in (0, None):
            shown = last_error(self.log) or (self.record.error or f"exit code {code}")
            return self._in_log(Cause.CRASH, f"exit code {code}", shown)
        return None

    def _is_sample(self) -> bool:
        known = self.competition.sample_submission_score
        if self.samples and self.run.has_submission:
            with self.run.submission_with_true_names() as submission:
                return any(is_sample(submission, sample) for sample in self.samples)
        is_real = not self.saved.is_twin
        return is_real and known is not None and self.report.score == round(known, 5)

    def _handed_in(self) -> Reason | None:
        """Nothing, something that breaks a rule, or the sample."""
        report = self.report
        if not report.submission_exists:
            if self.record.code == UNREADABLE_SUBMISSION:  # a folder or a link of that name
                return self._in_record(Cause.NO_SUBMISSION)
            return self._in_log(Cause.NO_SUBMISSION, "", last_line(self.log) or self.record.error or "")
        if not report.valid_submission:
            rule = report.refusal_code.value if report.refusal_code else ""
            return self._in_submission(Cause.FORMAT, rule, report.refusal or "", report.refusal_line)
        if self._is_sample():
            quotation = f"the submission is the sample submission; score {report.score}"
            return self._in_submission(Cause.SAMPLE_HANDED_IN, "", quotation)
        return None

    def _artifacts(self) -> Reason | None:
        """What the artifact contract asks for, of runs whose instructions have it."""
        if self.record.variant != "lite":
            return None
        result = result_of_run(self.run.folder).result
        problem = matching_seed(self.record, result) if result else None
        if problem:
            return self._in_log(Cause.WRONG_SEED, "", problem)
        left = self.run.submission.parent
        missing = [
            name
            for name, exists in ((METRICS_FILE, read_metrics(left).exists), (REPORT_TEXT, read_report(left).exists))
            if not exists
        ]
        if missing:
            quotation = f"{' and '.join(missing)} not in submission/"
            return Reason(Cause.MISSING_ARTIFACT, ", ".join(missing), Evidence(left, None, quotation))
        return None

    def _not_good_enough(self) -> Reason | None:
        """A valid submission of its own that was not good enough."""
        score = self.report.score
        if score is None:
            return None
        metrics = read_metrics(self.run.submission.parent)
        if metrics.problem is None and (wrong := metrics.mismatch(self.competition)):
            evidence = Evidence(self.run.submission.parent / METRICS_FILE, None, wrong.sentence)
            return Reason(Cause.METRIC_MISUNDERSTOOD, wrong.field, evidence)
        with self.run.submission_with_true_names() as submission:
            form = misunderstood_form(submission, self.samples, self.competition, score)
        if form is not None:
            return self._in_submission(Cause.METRIC_MISUNDERSTOOD, form[0], form[1])
        claimed = metrics.validation_score if metrics.problem is None else None
        perfect = 0.0 if self.competition.better == "lower" else 1.0
        if any(value is not None and abs(value - perfect) < ROUNDING for value in (claimed, score)):
            quotation = f"validation {claimed}, test {score:g}, perfect is {perfect:g}"
            return self._in_submission(Cause.SUSPICIOUSLY_PERFECT, "", quotation)
        if claimed is not None:
            gap = claimed - score if self.competition.better == "higher" else score - claimed
            if gap > FAR * self._scale(score):
                return self._in_submission(Cause.OVERFITTING, "", f"validation {claimed:g}, test {score:g}")
        if self.saved.is_twin or self.report.median_threshold is None:
            quotation = f"score {score:g}; there are no medals on this data"
            return self._in_submission(Cause.UNKNOWN, "no leaderboard", quotation)
        median = f"score {score:g}, median {self.report.median_threshold:g}, bronze {self.report.bronze_threshold:g}"
        cause = Cause.ABOVE_MEDIAN if self.report.above_median else Cause.BELOW_MEDIAN
        return self._in_submission(cause, "", median)

    def _scale(self, score: float) -> float:
        """What a large difference is measured by: the distance from the sample to gold, or else the score."""
        sample, gold = self.competition.sample_submission_score, self.report.gold_threshold
        if sample is not None and gold is not None and not self.saved.is_twin and sample != gold:
            return abs(gold - sample)
        return abs(score)
