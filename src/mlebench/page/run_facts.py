"""One run as the page tells it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from mlebench.analysis.failures import Failure
from mlebench.page.activity import ModelCalls, Step
from mlebench.page.contents import Contents
from mlebench.page.files import File
from mlebench.results.model_usage import ModelUsage, counted_usage
from mlebench.results.reports import SavedReport
from mlebench.results.runs import Run
from mlebench.score.lite import RunScore


@dataclass(frozen=True)
class LiveState:
    """Where a run stands that has not ended, and what its last graded snapshot is worth, which does not count."""

    outcome: Literal["running", "waiting"]
    about: str = ""
    score: float | None = None
    percentile: float | None = None


@dataclass(frozen=True)
class RunFacts:
    """One run: where it is on the page, what it scored, why it has no medal, and what it left."""

    anchor: str
    label: str
    run: Run
    percentile: float | None
    counted_percentile: float | None  # 0 where it is graded without a valid submission: a failure is not left out
    failure: Failure | None
    lite: RunScore | None
    files: tuple[File, ...]
    contents: Contents = field(default_factory=Contents)
    steps: tuple[Step, ...] = ()
    calls: tuple[ModelCalls, ...] = ()
    address: str | None = None  # of a page of its own, where it is not on this page
    live: LiveState | None = None  # of a run that has not ended, where that is known

    @property
    def href(self) -> str:
        """Where a link to it leads."""
        return self.address or f"#{self.anchor}"

    @cached_property
    def report(self) -> SavedReport | None:
        """Its report, if it was graded and is over."""
        return self.run.report if self.run.record.has_ended else None

    @cached_property
    def score(self) -> float | None:
        """Its score, if it has a valid submission."""
        return self.report.report.score if self.report else None

    @cached_property
    def medal(self) -> str | None:
        """Its medal; none on twins."""
        return self.report.report.medal if self.report and not self.report.is_twin else None

    @property
    def seconds(self) -> float | None:
        """How long it took."""
        return _amount(self.run.record.usage.get("seconds"))

    @property
    def memory(self) -> float | None:
        """The most memory that it had, in bytes."""
        return _amount(self.run.record.usage.get("peak_memory_bytes"))

    @property
    def time_share(self) -> float | None:
        """The part of its time that it used, in percent."""
        return _share(self.seconds, _amount(self.run.record.limits.get("seconds")))

    @property
    def memory_share(self) -> float | None:
        """The part that it used of its memory, or of the machine's where that is less, in percent."""
        rooms = (self.run.record.limits.get("memory_bytes"), self.run.record.hardware.get("memory_bytes"))
        known = [room for room in map(_amount, rooms) if room]
        return _share(self.memory, min(known, default=None))

    @property
    def counted_usage(self) -> ModelUsage | None:
        """What the gateway counted of its calls of models; None where its agent had none."""
        return counted_usage(self.run.record)

    @property
    def usd(self) -> float | None:
        """What its calls of models cost in US dollars, where that was counted: by its record, or else call by call."""
        if self.counted_usage is not None:
            return self.counted_usage.usd
        known = [calls.usd for calls in self.calls if calls.usd is not None]
        return sum(known) if known else None

    @property
    def tokens(self) -> int | None:
        """The tokens of its calls of models, where they were counted."""
        if self.counted_usage is not None:
            return self.counted_usage.tokens
        return sum(calls.input_tokens + calls.output_tokens for calls in self.calls) if self.calls else None


def _amount(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _share(used: float | None, budget: float | None) -> float | None:
    return 100.0 * used / budget if used is not None and budget else None
