"""What a page tells: of groups, of competitions, and all of it. No HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from mlebench.analysis.aggregate import Aggregate, Aggregation
from mlebench.analysis.compare import Comparison
from mlebench.analysis.failures import Failure
from mlebench.competition.leaderboard import Leaderboard, Thresholds
from mlebench.competition.local import LocalCompetition
from mlebench.files.writing import now
from mlebench.page.run_facts import RunFacts
from mlebench.results.groups import CountedRuns, RunGroup
from mlebench.score.group import GroupScore


@dataclass(frozen=True)
class GroupFacts:
    """One run group: `label` is what the page calls it, `notices` are what a reader must know before any number."""

    label: str
    group: RunGroup
    counted: CountedRuns
    runs: tuple[RunFacts, ...]
    aggregation: Aggregation | None
    lite: GroupScore | None
    failures: tuple[Failure, ...]
    conditions: dict[str, str]
    disclosure: dict[str, Any]
    notices: tuple[str, ...]
    is_practice: bool
    is_twin: bool

    @property
    def headline(self) -> Aggregate | None:
        """Of the splits, the one with all competitions that count."""
        return None if self.aggregation is None else self.aggregation.headline

    @cached_property
    def graded(self) -> list[RunFacts]:
        """The runs that have a report."""
        return [run for run in self.runs if run.report is not None]

    @cached_property
    def seeds(self) -> list[int]:
        """The seeds of its runs."""
        return sorted({run.run.record.seed for run in self.runs})


@dataclass(frozen=True)
class CompetitionFacts:
    """One competition: the humans' scores where they decided the medals, and the runs of all groups on it."""

    competition: LocalCompetition
    thresholds: Thresholds | None
    board: Leaderboard | None
    runs: tuple[RunFacts, ...]

    @property
    def is_practice(self) -> bool:
        """Whether its leaderboard holds pipelines instead of people."""
        return self.competition.declaration.group == "practice"

    @property
    def lower_is_better(self) -> bool:
        """The direction of its metric."""
        return self.competition.declaration.better == "lower"


@dataclass(frozen=True)
class PageFacts:
    """All of a page."""

    groups: tuple[GroupFacts, ...]
    competitions: tuple[CompetitionFacts, ...]
    comparisons: tuple[Comparison, ...] = ()
    comparison_problem: str | None = None
    made_at: datetime = field(default_factory=now)

    @property
    def runs(self) -> list[RunFacts]:
        """The runs of all groups."""
        return [run for group in self.groups for run in group.runs]

    @property
    def kinds_of_rivals(self) -> tuple[str, ...]:
        """Whom runs are measured against: humans, pipelines or both; competitions without thresholds have nobody."""
        known = [facts for facts in self.competitions if facts.thresholds is not None] or self.competitions
        kinds = {"pipelines" if facts.is_practice else "humans" for facts in known}
        return tuple(sorted(kinds)) or ("humans",)

    @property
    def is_one_run(self) -> bool:
        """Whether it is about a run that was given by its own folder."""
        return len(self.groups) == 1 and self.groups[0].group.record is None

    @property
    def is_comparison(self) -> bool:
        """Whether there are several groups."""
        return len(self.groups) > 1
