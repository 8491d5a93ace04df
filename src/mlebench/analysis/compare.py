"""Which of two agents is better: paired by competition and seed, with tests that say how sure one can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from statistics import mean
from typing import Any

from mlebench.analysis.comparable import differences_in_conditions
from mlebench.analysis.seeds import by_seed
from mlebench.analysis.statistics import Interval, clustered_bootstrap, holm, mcnemar, sign_flip, sign_test
from mlebench.competition.declaration import Competition
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.results.measures import human_percentile
from mlebench.results.reports import SavedReport
from mlebench.results.sources import Reports, declarations, refuse_repeats

LEVEL = 0.05
_FEW = 5  # competitions; with fewer, no test by competition can reject at 5 %


@dataclass(frozen=True)
class Pairing:
    """The runs of two agents on one competition, seed by seed."""

    competition_id: str
    first: tuple[SavedReport, ...]
    second: tuple[SavedReport, ...]


@dataclass(frozen=True)
class CompetitionResult:
    """How two agents did in one competition; `winner` is 0, 1 or None."""

    competition_id: str
    medals: tuple[int, int]
    seeds: int
    percentiles: tuple[float, float] | None
    scores: tuple[float | None, float | None]
    winner: int | None


@dataclass(frozen=True)
class Tested:
    """A test between two agents; `adjusted` is the p-value after Holm's correction over all pairs of agents."""

    p_value: float
    adjusted: float


@dataclass(frozen=True)
class Comparison:
    """Two agents compared; differences are first minus second. What twins cannot tell is None."""

    first: str
    second: str
    pairs: int
    competitions: tuple[CompetitionResult, ...]
    medals_first_only: int
    medals_second_only: int
    medals: Interval | None
    mcnemar: Tested | None
    percentile: Interval | None
    sign_flip: Tested | None
    sign_test: Tested
    warnings: tuple[str, ...] = field(default=())

    @property
    def wins(self) -> list[str]:
        """The competitions that the first agent did better in."""
        return [each.competition_id for each in self.competitions if each.winner == 0]

    @property
    def losses(self) -> list[str]:
        """The competitions that the second agent did better in."""
        return [each.competition_id for each in self.competitions if each.winner == 1]

    @property
    def verdict(self) -> str:
        """What the test by percentiles says at 5 %, or the sign test where there are none."""
        test, name = (self.sign_flip, "sign flips") if self.sign_flip else (self.sign_test, "sign test")
        ahead = self.percentile.difference if self.percentile else len(self.wins) - len(self.losses)
        if test.adjusted >= LEVEL or not ahead:
            return f"No difference is shown ({name}, p = {test.adjusted:.3g})."
        better, worse = (self.first, self.second) if ahead > 0 else (self.second, self.first)
        return f"{better} is better than {worse} ({name}, p = {test.adjusted:.3g})."

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values."""
        return asdict(self) | {"verdict": self.verdict, "wins": self.wins, "losses": self.losses}


def compare(sources: Sequence[Reports], registry: Registry) -> list[Comparison]:
    """Compare every two of several agents."""
    refuse_repeats(sources)
    named = _distinct(sources)
    compared = [_compared(first, second, registry) for first, second in combinations(named, 2)]
    for name in ("mcnemar", "sign_flip", "sign_test"):
        with_test = [place for place, each in enumerate(compared) if getattr(each, name) is not None]
        adjusted = holm([getattr(compared[place], name).p_value for place in with_test])
        for place, value in zip(with_test, adjusted, strict=True):
            test = replace(getattr(compared[place], name), adjusted=value)
            compared[place] = replace(compared[place], **{name: test})
    return compared


def _distinct(sources: Sequence[Reports]) -> list[Reports]:
    """The sources with names that differ."""
    names = [each.name for each in sources]
    return [
        replace(each, name=f"{each.name} ({names[:place].count(each.name) + 1})")
        if names.count(each.name) > 1
        else each
        for place, each in enumerate(sources)
    ]


def _compared(first: Reports, second: Reports, registry: Registry) -> Comparison:
    known = declarations(first, registry) | declarations(second, registry)
    pairings, notes = pair(first, second)
    results = tuple(_result(each, known[each.competition_id]) for each in pairings)
    has_medals = not any(each.is_twin for pairing in pairings for each in (*pairing.first, *pairing.second))
    flags = [
        (a.report.any_medal, b.report.any_medal)
        for pairing in pairings
        for a, b in zip(pairing.first, pairing.second, strict=True)
    ]
    only = [sum(a and not b for a, b in flags), sum(b and not a for a, b in flags)]
    medals = [100.0 * (each.medals[0] - each.medals[1]) / each.seeds for each in results]
    percentiles = [each.percentiles[0] - each.percentiles[1] for each in results if each.percentiles]
    warnings = [*first.notes, *second.notes, *notes, *differences_in_conditions(first, second)]
    if not has_medals:
        warnings.append("The data are twins: there are no medals and no percentiles, only better and worse scores.")
    elif len(pairings) < _FEW:
        warnings.append(f"Fewer than {_FEW} competitions: no test by competition can show a difference.")
    return Comparison(
        first=first.name,
        second=second.name,
        pairs=len(flags),
        competitions=results,
        medals_first_only=only[0],
        medals_second_only=only[1],
        medals=clustered_bootstrap(medals) if has_medals else None,
        mcnemar=_tested(mcnemar(*only)) if has_medals else None,
        percentile=clustered_bootstrap(percentiles) if percentiles else None,
        sign_flip=_tested(sign_flip(percentiles)) if percentiles else None,
        sign_test=_tested(sign_test(*(sum(each.winner == side for each in results) for side in (0, 1)))),
        warnings=tuple(warnings),
    )


def _tested(p_value: float) -> Tested:
    return Tested(p_value, p_value)


def pair(first: Reports, second: Reports) -> tuple[list[Pairing], list[str]]:
    """The runs that two agents both have, and a note on those that only one has."""
    both = [by_seed(each.reports, carried=_carry(first) and _carry(second)) for each in (first, second)]
    found = []
    for competition_id in sorted(both[0].keys() & both[1].keys(), key=str.lower):
        mine, theirs = both[0][competition_id], both[1][competition_id]
        keys = sorted(mine.keys() & theirs.keys())
        if keys:
            found.append(Pairing(competition_id, tuple(mine[key] for key in keys), tuple(theirs[key] for key in keys)))
    if not found:
        raise MlebenchError(f"{first.name} and {second.name} have no competition and seed in common.")
    pairs = sum(len(each.first) for each in found)
    alone = [len(each.reports) - pairs for each in (first, second)]
    notes = []
    if any(alone):
        notes.append(
            f"Only what both have is compared: {alone[0]} runs of {first.name} and {alone[1]} of {second.name} are not."
        )
    return found, notes


def _carry(source: Reports) -> bool:
    return all(each.seed is not None for each in source.reports)


def _result(pairing: Pairing, declaration: Competition) -> CompetitionResult:
    sides = (pairing.first, pairing.second)
    counts = [sum(each.report.any_medal for each in side) for side in sides]
    known = [[human_percentile(each, declaration) for each in side] for side in sides]
    percentiles = None
    if None not in known[0] and None not in known[1]:
        percentiles = (mean(each or 0.0 for each in known[0]), mean(each or 0.0 for each in known[1]))
    scores = [_mean_score(side) for side in sides]
    worths = [[_worth(each.report.score, declaration) for each in side] for side in sides]
    seeds = list(zip(*worths, strict=True))
    won = (sum(first > second for first, second in seeds), sum(second > first for first, second in seeds))
    ranks = [
        (count, percentiles[side] if percentiles else won[side], _worth(scores[side], declaration))
        for side, count in enumerate(counts)
    ]
    winner = None if ranks[0] == ranks[1] else int(ranks[1] > ranks[0])
    return CompetitionResult(
        competition_id=pairing.competition_id,
        medals=(counts[0], counts[1]),
        seeds=len(pairing.first),
        percentiles=percentiles,
        scores=(scores[0], scores[1]),
        winner=winner,
    )


def _worth(score: float | None, declaration: Competition) -> float:
    """A score as a number of which more is better; none is the worst."""
    if score is None:
        return float("-inf")
    return -score if declaration.better == "lower" else score


def _mean_score(side: Sequence[SavedReport]) -> float | None:
    """The mean over the valid submissions, if there are any."""
    valid = [each.report.score for each in side if each.report.score is not None]
    return mean(valid) if valid else None
