"""What humans scored: thresholds, medals, percentiles, and the leaderboard table behind them.

Everything here works on plain Python numbers, so that `mlebench list` and `mlebench info` stay light.
"""

from __future__ import annotations

import csv
import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from mlebench.competition.vocabulary import Direction

Medal: TypeAlias = Literal["gold", "silver", "bronze"]
KnownScores: TypeAlias = Literal["every team", "distribution", "thresholds"]
MEDALS: tuple[Medal, ...] = ("gold", "silver", "bronze")

# Where a competition's number of teams is not known, percentiles and rebuilt leaderboards assume this many.
NOMINAL_TEAMS = 1000


@dataclass(frozen=True)
class MedalRanks:
    """The last rank (from 1) that still earns each medal."""

    gold: int
    silver: int
    bronze: int


def medal_ranks(teams: int) -> MedalRanks:
    """Kaggle's rule: which ranks earn medals among this number of teams.

    >>> medal_ranks(1000)
    MedalRanks(gold=12, silver=50, bronze=100)
    """
    if teams < 1:
        raise ValueError("a leaderboard needs at least one team")
    if teams < 100:
        gold, silver, bronze = teams * 10 // 100, teams * 20 // 100, teams * 40 // 100
    elif teams < 250:
        gold, silver, bronze = 10, teams * 20 // 100, teams * 40 // 100
    elif teams < 1000:
        gold, silver, bronze = 10 + teams * 2 // 1000, 50, 100
    else:
        gold, silver, bronze = 10 + teams * 2 // 1000, teams * 5 // 100, teams * 10 // 100
    return MedalRanks(max(1, gold), max(1, silver), max(1, bronze))


@dataclass(frozen=True)
class Thresholds:
    """The scores that earn medals, and the median of all teams."""

    gold: float
    silver: float
    bronze: float
    median: float


class HasMedals(Protocol):
    """Something that earned at most one medal."""

    @property
    def gold_medal(self) -> bool:
        """Whether it is gold."""
        ...

    @property
    def silver_medal(self) -> bool:
        """Whether it is silver."""
        ...

    @property
    def bronze_medal(self) -> bool:
        """Whether it is bronze."""
        ...


def medal_of(earned: HasMedals) -> Medal | None:
    """The colour of the medal, if any."""
    return next((colour for colour in MEDALS if getattr(earned, f"{colour}_medal")), None)


@dataclass(frozen=True)
class Standing:
    """Where a score stands among the humans: at most one medal, and whether it beats the median."""

    gold_medal: bool
    silver_medal: bool
    bronze_medal: bool
    above_median: bool

    @property
    def any_medal(self) -> bool:
        """Whether the score earns a medal of any colour."""
        return self.gold_medal or self.silver_medal or self.bronze_medal

    @property
    def medal(self) -> Medal | None:
        """The colour of the medal, if any."""
        return medal_of(self)


NO_STANDING = Standing(False, False, False, False)


def _at_least(score: float, threshold: float, better: Direction) -> bool:
    return score <= threshold if better == "lower" else score >= threshold


@dataclass(frozen=True)
class Leaderboard:
    """The human side of a competition.

    `thresholds` decide medals. `quantiles` are scores from best (0 %) to worst (100 %) at equal steps; where
    they are missing, the thresholds and the ranks they stand for take their place.
    """

    better: Direction
    thresholds: Thresholds
    teams: int | None = None
    quantiles: tuple[float, ...] | None = None
    source: str = "published"

    @classmethod
    def from_scores(cls, scores: Sequence[float], better: Direction, source: str) -> Leaderboard:
        """A full leaderboard: every team's score, in any order; medals by position."""
        ordered = sorted(scores, reverse=better == "higher")
        ranks = medal_ranks(len(ordered))
        thresholds = Thresholds(
            gold=ordered[ranks.gold - 1],
            silver=ordered[ranks.silver - 1],
            bronze=ordered[ranks.bronze - 1],
            median=_median(ordered),
        )
        return cls(better, thresholds, len(ordered), tuple(ordered), source)

    @property
    def effective_teams(self) -> int:
        """The number of teams, or a nominal one where it is not known."""
        return self.teams or NOMINAL_TEAMS

    def standing(self, score: float | None) -> Standing:
        """Medal and median of a score. A score at a threshold earns the medal; above the median is strict."""
        if score is None:
            return NO_STANDING
        limits = self.thresholds
        gold = _at_least(score, limits.gold, self.better)
        silver = not gold and _at_least(score, limits.silver, self.better)
        bronze = not gold and not silver and _at_least(score, limits.bronze, self.better)
        above = score < limits.median if self.better == "lower" else score > limits.median
        return Standing(gold, silver, bronze, above)

    @property
    def known(self) -> KnownScores:
        """How much is known of the humans' scores, and so how exact a percentile is."""
        if self.quantiles is None:
            return "thresholds"
        return "every team" if self.teams == len(self.quantiles) else "distribution"

    def percentile(self, score: float) -> float | None:
        """The share of teams, in percent, that a score beats or equals.

        It is exact, rounded to two decimals, where the score of every team is known. Else it is interpolated between
        the known points and rounded to a whole percent; 100 is then left to the best and 0 to who beats nobody. None
        where only thresholds are known and the score is worse than the median, the last of them.

        >>> Leaderboard.from_scores([3.1, 3.5, 4, 5, 6, 7, 8], "lower", "own").percentile(5.31)
        42.86
        """
        if self.quantiles is not None and self.known == "every team":
            beaten = sum(_at_least(score, other, self.better) for other in self.quantiles)
            return round(100.0 * beaten / len(self.quantiles), 2)
        share = self._interpolated_share(score)
        if share is None or share in (0.0, 100.0):
            return share
        return min(max(float(round(share)), 1.0), 99.0)

    def _interpolated_share(self, score: float) -> float | None:
        places, values = self.curve()
        sign = 1.0 if self.better == "lower" else -1.0
        costs = [sign * value for value in values]  # ascending from the best team to the worst
        cost = sign * score
        at = bisect_left(costs, cost)  # the first known point that the score beats or equals
        if at == len(costs):
            return 0.0 if self.quantiles is not None else None
        place = places[at]
        # Between two points the ranks are taken to run evenly, unless a value is infinite.
        if at > 0 and costs[at] > cost and math.isfinite(costs[at]) and math.isfinite(costs[at - 1]):
            step = (cost - costs[at - 1]) / (costs[at] - costs[at - 1])
            place = places[at - 1] + step * (places[at] - places[at - 1])
        teams = self.effective_teams
        return 100.0 * (teams - place + 1) / teams

    def anchors(self) -> list[tuple[int, float]]:
        """(rank, score) of the thresholds, best first; of those that share a rank the better one stays."""
        teams, limits = self.effective_teams, self.thresholds
        ranks = medal_ranks(teams)
        anchors = [(ranks.gold, limits.gold), (ranks.silver, limits.silver), (ranks.bronze, limits.bronze)]
        middle = {(teams + 1) // 2, teams // 2 + 1}
        anchors += [(rank, limits.median) for rank in sorted(middle)]
        kept: dict[int, float] = {}
        for rank, value in anchors:
            kept.setdefault(rank, value)
        return sorted(kept.items())

    def curve(self) -> tuple[list[float], list[float]]:
        """Known points of the distribution: ranks (from 1, may be fractions) and scores, best first."""
        teams = self.effective_teams
        if self.quantiles is not None and len(self.quantiles) > 1:
            step = (teams - 1) / (len(self.quantiles) - 1)
            return [1 + index * step for index in range(len(self.quantiles))], list(self.quantiles)
        if self.quantiles is not None:
            return [1.0], list(self.quantiles)
        anchors = self.anchors()
        return [float(rank) for rank, _ in anchors], [value for _, value in anchors]


def _median(ordered: Sequence[float]) -> float:
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def read_scores(path: Path) -> list[float]:
    """The `score` column of a leaderboard CSV file."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        return [float(row["score"]) for row in csv.DictReader(file) if row.get("score")]


def write_scores(path: Path, scores: Sequence[float]) -> None:
    """Write a leaderboard CSV file with one `score` per team, best first."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["score"])
        writer.writerows([repr(score)] for score in scores)
