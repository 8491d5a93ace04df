"""Why runs have no medal: one cause each, from a fixed list, with the line that shows it.

docs/commands/failures.md describes the causes. A run that was cut short or fell over is explained by that; one that
handed in something is explained by what it handed in; only then it is a matter of being good enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from signal import Signals
from typing import Any, Literal, TypeAlias

from mlebench.analysis.log_evidence import Found, last_error, last_failure, last_line, read_log
from mlebench.analysis.submissions import format_rule, is_sample, misunderstood_form
from mlebench.base import progress
from mlebench.competition.declaration import Competition
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import EDITIONS
from mlebench.results.artifacts import read_metrics, read_report
from mlebench.results.groups import RunGroup
from mlebench.results.names import METRICS_FILE, REPORT_TEXT
from mlebench.results.result_line import matching_seed, result_of_run
from mlebench.results.runs import Run
from mlebench.results.sources import declaration_of

Cause: TypeAlias = Literal[
    "infrastructure",
    "cancelled",
    "timeout",
    "out of memory (host)",
    "out of memory (GPU)",
    "disk or output budget",
    "killed by the system",
    "package missing",
    "crash",
    "format",
    "sample handed in",
    "no submission",
    "wrong seed",
    "missing artifact",
    "metric misunderstood",
    "suspiciously perfect",
    "overfitting",
    "below median",
    "above median",
    "unknown",
]
FAR = 0.2  # of the way from the sample to gold, or of the score: validation this much better than the test overfits
ROUNDING = 1e-9  # a score that is this close to perfect is perfect
# By exit code: a shell adds 128 to the number of a signal, Python subtracts it from 256. An interrupt is left out,
# which Python tells by an exception, and a hang-up, because 255 is an exit code of many programs.
_FATAL = ("SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGSEGV", "SIGPIPE", "SIGALRM",
          "SIGTERM", "SIGXCPU", "SIGXFSZ", "SIGSYS")  # fmt: skip
_SIGNALS = {code: name for name in _FATAL for code in (128 + Signals[name], 256 - Signals[name])}
_NOT_FOUND = 127  # the exit code of a shell that does not find a program
_CAUSES: dict[str, Callable[[Found], tuple[Cause, str]]] = {
    "package": lambda found: ("package missing", found.detail),
    "signal": lambda found: ("killed by the system", found.detail),
    "exception": lambda found: ("crash", found.detail),
}


@dataclass(frozen=True)
class Failure:
    """Why a run has no medal; `detail` narrows the cause down (a rule, an exception), `evidence` is a line."""

    run_id: str
    run_group: str
    agent: str
    competition_id: str
    category: str
    seed: int
    cause: Cause
    detail: str
    evidence: str

    def to_dict(self) -> dict[str, Any]:
        """The failure as plain values."""
        return asdict(self)


def failures(group: RunGroup, registry: Registry) -> list[Failure]:
    """The failures of a group: its runs that have ended without a medal."""
    found = []
    for run in progress.each(group.runs, "explain", group.folder.name, unit="runs"):
        if not run.record.has_ended or run.report is None or run.report.report.any_medal:
            continue
        competition = declaration_of(registry, run.record.competition_id, run.folder)
        cause, detail, evidence = explain(run, competition, _sample_files(group, registry, run))
        record = run.record
        found.append(
            Failure(
                record.run_id,
                group.name,
                record.agent,
                record.competition_id,
                competition.category,
                record.seed,
                cause,
                detail,
                evidence,
            )
        )
    return found


def counts(found: Iterable[Failure], by: Literal["agent", "category"]) -> dict[str, Counter[str]]:
    """How often each cause occurs per agent or per category."""
    counted: dict[str, Counter[str]] = {}
    for each in found:
        counted.setdefault(getattr(each, by), Counter())[each.cause] += 1
    return counted


def _sample_files(group: RunGroup, registry: Registry, run: Run) -> list[Path]:
    """Where the sample submission may be; a copied folder may be without it."""
    places = [registry.data_dir]
    if group.data_dir is not None:
        places.insert(0, group.data_dir)
    edition = next(each for each in EDITIONS if each == run.record.edition)
    declaration = registry.get_competition(run.record.competition_id).declaration
    samples = [LocalCompetition(declaration, each, edition).sample_submission for each in places]
    return [path for path in samples if path.is_file()]


def explain(run: Run, competition: Competition, samples: Sequence[Path] = ()) -> tuple[Cause, str, str]:
    """(cause, detail, the line that shows it) of a run without a medal."""
    if run.report is None:
        raise ValueError("a run without a report cannot be explained")
    return _Explained(run, competition, samples).cause()


class _Explained:
    """One run while its cause is looked for."""

    def __init__(self, run: Run, competition: Competition, samples: Sequence[Path]) -> None:
        assert run.report is not None
        self.run, self.record, self.competition, self.samples = run, run.record, competition, samples
        self.saved, self.report = run.report, run.report.report
        self.log = read_log(run.folder)

    def cause(self) -> tuple[Cause, str, str]:
        for look in (self._ended_by_others, self._cut_short, self._fell_over, self._handed_in, self._lite, self._worth):
            found = look()
            if found is not None:
                return found
        return "unknown", "", last_line(self.log)

    def _ended_by_others(self) -> tuple[Cause, str, str] | None:
        if self.record.status == "infrastructure":
            return "infrastructure", "", self.record.error or ""
        if self.record.status == "cancelled":
            return "cancelled", "", self.record.error or ""
        return None

    def _cut_short(self) -> tuple[Cause, str, str] | None:
        """A budget was exceeded."""
        status, error = self.record.status, self.record.error or ""
        if status == "timeout":
            return "timeout", "", error
        if status == "memory":
            return "out of memory (host)", "budget", error
        if status in ("disk", "output"):
            return "disk or output budget", status, error
        return None

    def _fell_over(self) -> tuple[Cause, str, str] | None:
        """A failure that ended the run or left it without a submission; what a run survived does not count."""
        code = self.record.exit_code
        if code == 0 and self.report.submission_exists:
            return None
        found = last_failure(self.log)
        if found is not None and found.kind in ("host memory", "GPU memory"):
            return ("out of memory (GPU)" if found.kind == "GPU memory" else "out of memory (host)"), "", found.line
        killed = _SIGNALS.get(code or 0)
        if killed == "SIGXFSZ" or (found is not None and found.kind == "disk"):
            return "disk or output budget", "disk", found.line if found else last_line(self.log)
        if killed is not None:
            return "killed by the system", killed, f"exit code {code}: {last_line(self.log)}"
        if code == _NOT_FOUND and (found is None or found.kind != "package"):
            return "package missing", "", last_line(self.log) or f"exit code {code}"
        if found is not None:
            return *_CAUSES[found.kind](found), found.line
        if code not in (0, None):
            return "crash", f"exit code {code}", last_error(self.log) or (self.record.error or f"exit code {code}")
        return None

    def _is_sample(self) -> bool:
        known = self.competition.sample_submission_score
        if self.samples and self.run.has_submission:
            return any(is_sample(self.run.submission, each) for each in self.samples)
        is_real = not self.saved.is_twin
        return is_real and known is not None and self.report.score == round(known, 5)

    def _handed_in(self) -> tuple[Cause, str, str] | None:
        """Nothing, something that breaks a rule, or the sample."""
        if not self.report.submission_exists:
            error = self.record.error or ""
            if error.startswith(f"{self.run.submission.name} is "):  # there is a folder or a link of that name
                return "no submission", "", error
            return "no submission", "", last_line(self.log) or self.report.refusal or ""
        if not self.report.valid_submission:
            return "format", format_rule(self.report.refusal or ""), self.report.refusal or ""
        if self._is_sample():
            return "sample handed in", "", f"the submission is the sample submission; score {self.report.score}"
        return None

    def _lite(self) -> tuple[Cause, str, str] | None:
        """What the artifact contract asks for, of runs that were told about it."""
        if self.record.variant != "lite":
            return None
        result = result_of_run(self.run.folder).result
        problem = matching_seed(self.record, result) if result else None
        if problem:
            return "wrong seed", "", problem
        left = self.run.submission.parent
        missing = [
            name
            for name, exists in ((METRICS_FILE, read_metrics(left).exists), (REPORT_TEXT, read_report(left).exists))
            if not exists
        ]
        if missing:
            return "missing artifact", ", ".join(missing), f"{' and '.join(missing)} not in submission/"
        return None

    def _worth(self) -> tuple[Cause, str, str] | None:
        """A valid submission of its own that was not good enough."""
        score = self.report.score
        if score is None:
            return None
        metrics = read_metrics(self.run.submission.parent)
        if metrics.problem is None and (wrong := metrics.names(self.competition)):
            return "metric misunderstood", "direction" if "better" in wrong else "metric", wrong
        form = misunderstood_form(self.run.submission, self.samples, self.competition, score)
        if form is not None:
            return "metric misunderstood", form[0], form[1]
        claimed = metrics.validation_score if metrics.problem is None else None
        perfect = 0.0 if self.competition.better == "lower" else 1.0
        if any(each is not None and abs(each - perfect) < ROUNDING for each in (claimed, score)):
            return "suspiciously perfect", "", f"validation {claimed}, test {score:g}, perfect is {perfect:g}"
        if claimed is not None:
            gap = claimed - score if self.competition.better == "higher" else score - claimed
            if gap > FAR * self._scale(score):
                return "overfitting", "", f"validation {claimed:g}, test {score:g}"
        if self.saved.is_twin or self.report.median_threshold is None:
            return "unknown", "no leaderboard", f"score {score:g}; there are no medals on this data"
        median = f"score {score:g}, median {self.report.median_threshold:g}, bronze {self.report.bronze_threshold:g}"
        return ("above median" if self.report.above_median else "below median"), "", median

    def _scale(self, score: float) -> float:
        """What a large difference is measured by: the way from the sample to gold, or else the score."""
        sample, gold = self.competition.sample_submission_score, self.report.gold_threshold
        if sample is not None and gold is not None and not self.saved.is_twin and sample != gold:
            return abs(gold - sample)
        return abs(score)
