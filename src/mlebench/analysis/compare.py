"""Which of two agents is better: paired by competition and seed, with tests that say how sure one can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from statistics import mean
from typing import Any, Literal, TypeAlias

from mlebench.analysis.comparable import differences_in_conditions
from mlebench.analysis.seeds import by_seed
from mlebench.analysis.statistics import (
    LEVEL,
    Interval,
    detectable_difference,
    flip_interval,
    holm,
    least_p_value,
    mcnemar,
    sign_flip,
    sign_test,
)
from mlebench.base.showing import Showable, Table
from mlebench.base.wording import agreeing, counted, part_of
from mlebench.competition.declaration import Competition
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.results.kinds import DataKind, kind_of_data
from mlebench.results.measures import human_percentile
from mlebench.results.reports import SavedReport
from mlebench.results.sources import Reports, declarations, refuse_repeats

# What a verdict is about: the mean percentile where every competition has percentiles, else competitions won and lost.
Measure: TypeAlias = Literal["percentile", "competitions won"]


@dataclass(frozen=True)
class Pairing:
    """The runs of two agents on one competition, seed by seed; None stands for a missing run that counts as failed."""

    competition_id: str
    first: tuple[SavedReport | None, ...]
    second: tuple[SavedReport | None, ...]


@dataclass(frozen=True)
class CompetitionResult:
    """How two agents did in one competition; `winner` is 0, 1 or None."""

    competition_id: str
    kind: DataKind
    medals: tuple[int, int]
    seeds: int
    percentiles: tuple[float, float] | None
    scores: tuple[float | None, float | None]
    winner: int | None

    @property
    def medals_in_words(self) -> str | None:
        """The medals of both beside each other; None on a twin, which has none to win."""
        return None if self.kind is DataKind.TWIN else f"{self.medals[0]} : {self.medals[1]} of {self.seeds}"


@dataclass(frozen=True)
class Tested:
    """A test between two agents; `adjusted` is the p-value after Holm's correction over all pairs of agents."""

    p_value: float
    adjusted: float


@dataclass(frozen=True, repr=False)
class Comparison(Showable):
    """Two agents compared; differences are first minus second. What the data cannot tell is None.

    `measure` is what the verdict is about, `can_show` whether any outcome could have been significant, and `detectable`
    the difference of the measure that as many competitions with this spread show four times out of five.
    `medal_rates` are the percentages of runs with a medal, over the competitions whose medals count.
    """

    first: str
    second: str
    pairs: int
    competitions: tuple[CompetitionResult, ...]
    measure: Measure
    can_show: bool
    detectable: float | None
    medals_first_only: int
    medals_second_only: int
    medal_rates: tuple[float, float] | None
    medals: Interval | None
    mcnemar: Tested | None
    percentile: Interval | None
    sign_flip: Tested | None
    sign_test: Tested
    warnings: tuple[str, ...] = field(default=())

    @property
    def wins(self) -> list[str]:
        """The competitions that the first agent did better in."""
        return [result.competition_id for result in self.competitions if result.winner == 0]

    @property
    def losses(self) -> list[str]:
        """The competitions that the second agent did better in."""
        return [result.competition_id for result in self.competitions if result.winner == 1]

    @property
    def not_drawn(self) -> int:
        """How many competitions are no draws by the measure of the verdict."""
        if self.measure == "percentile":
            pairs = [result.percentiles for result in self.competitions if result.percentiles]
            return sum(first != second for first, second in pairs)
        return len(self.wins) + len(self.losses)

    @property
    def percentile_measure(self) -> str:
        """What the test of percentiles is about: `percentile`, and of how many competitions if not of all."""
        known = sum(result.percentiles is not None for result in self.competitions)
        return "percentile" if known == len(self.competitions) else f"percentile of {counted(known, 'competition')}"

    @property
    def verdict(self) -> str:
        """Which agent is better by which measure, on how many competitions, with the medals beside it."""
        return " ".join(sentence for sentence in (self._outcome(), self._medals()) if sentence)

    def _outcome(self) -> str:
        over = f"over {counted(len(self.competitions), 'competition')}"
        if not self.can_show:
            differ = "none of them differs" if not self.not_drawn else f"they differ in {self.not_drawn}"
            return f"No difference can be shown {over}: {differ}, too few for any outcome to be significant."
        if self.measure == "percentile" and self.percentile and self.sign_flip:
            ahead, test = self.percentile.difference, self.sign_flip
            by, name = f"by mean percentile, {abs(ahead):.2f} points {over}", "sign flips"
        else:
            ahead, test = len(self.wins) - len(self.losses), self.sign_test
            won = sorted((len(self.wins), len(self.losses)), reverse=True)
            by, name = f"by competitions won, {won[0]} to {won[1]} {over}", "sign test"
        if test.adjusted >= LEVEL or not ahead:
            return f"No difference is shown {by} ({name}, p = {test.adjusted:.3g})."
        better, worse = (self.first, self.second) if ahead > 0 else (self.second, self.first)
        return f"{better} is better than {worse} {by} ({name}, p = {test.adjusted:.3g})."

    def _medals(self) -> str:
        if self.medal_rates is None:
            return ""
        counting = len(_with_medals(self.competitions))
        of = "" if counting == len(self.competitions) else f" of {counted(counting, 'competition')}"
        rates = [f"{name} {rate:.1f} %" for name, rate in zip((self.first, self.second), self.medal_rates, strict=True)]
        return f"Any medal{of}: {', '.join(rates)}."

    def table(self) -> Table:
        """One row per competition, below the verdict."""
        rows = [
            [
                result.competition_id,
                None if result.winner is None else (self.first, self.second)[result.winner],
                *result.medals,
                *(result.percentiles or (None, None)),
            ]
            for result in self.competitions
        ]
        numbers = [f"{what}, {agent}" for what in ("medals", "percentile") for agent in (self.first, self.second)]
        heading = f"{self.first} against {self.second}. {self.verdict}"
        return Table(heading, ("competition", "better", *numbers), rows, right=numbers, notes=self.warnings)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values."""
        return asdict(self) | {"verdict": self.verdict, "wins": self.wins, "losses": self.losses}


def compare(
    sources: Sequence[Reports],
    registry: Registry,
    *,
    competition_ids: Sequence[str] = (),
    pad_missing: bool = False,
    meant: Collection[str] = (),
) -> list[Comparison]:
    """Compare every two of several agents, on some competitions only if they are named.

    With `pad_missing` a run that one agent has and the other has not counts as a failure of the other. `meant` are
    conditions that are meant to differ, by their names in `mlebench.analysis.comparable`; nothing warns of them.
    """
    refuse_repeats(sources)
    editions = sorted({saved.report.edition for source in sources for saved in source.reports})
    if len(editions) > 1:
        raise MlebenchError(
            f"The reports are of the editions {' and '.join(editions)}, whose tasks are not the same.",
            hint="Compare agents that were graded in one edition.",
        )
    named = _distinct([_chosen(source, competition_ids) for source in sources])
    compared = [_compared(first, second, registry, pad_missing, meant) for first, second in combinations(named, 2)]
    for name in ("mcnemar", "sign_flip", "sign_test"):
        with_test = [place for place, comparison in enumerate(compared) if getattr(comparison, name) is not None]
        adjusted = holm([getattr(compared[place], name).p_value for place in with_test])
        for place, value in zip(with_test, adjusted, strict=True):
            test = replace(getattr(compared[place], name), adjusted=value)
            compared[place] = replace(compared[place], **{name: test})
    return [replace(pair, can_show=least_p_value(pair.not_drawn) * len(compared) < LEVEL) for pair in compared]


def _chosen(source: Reports, competition_ids: Sequence[str]) -> Reports:
    if not competition_ids:
        return source
    reports = tuple(saved for saved in source.reports if saved.competition_id in competition_ids)
    return replace(source, reports=reports)


def _distinct(sources: Sequence[Reports]) -> list[Reports]:
    """The sources with names that differ."""
    names = [source.name for source in sources]
    return [
        replace(source, name=f"{source.name} ({names[:place].count(source.name) + 1})")
        if names.count(source.name) > 1
        else source
        for place, source in enumerate(sources)
    ]


def _compared(
    first: Reports, second: Reports, registry: Registry, pad_missing: bool, meant: Collection[str]
) -> Comparison:
    known = declarations(first, registry) | declarations(second, registry)
    pairings, notes = pair(first, second, pad_missing=pad_missing)
    results = tuple(_result(pairing, known[pairing.competition_id]) for pairing in pairings)
    medalled = _with_medals(results)
    counting = {result.competition_id for result in medalled}
    flags = [
        (_has_medal(mine), _has_medal(theirs))
        for pairing in pairings
        if pairing.competition_id in counting
        for mine, theirs in zip(pairing.first, pairing.second, strict=True)
    ]
    only = [sum(mine and not theirs for mine, theirs in flags), sum(theirs and not mine for mine, theirs in flags)]
    medals = [100.0 * (result.medals[0] - result.medals[1]) / result.seeds for result in medalled]
    percentiles = [result.percentiles[0] - result.percentiles[1] for result in results if result.percentiles]
    by_percentile = len(percentiles) == len(results)
    comparison = Comparison(
        first=first.name,
        second=second.name,
        pairs=sum(len(pairing.first) for pairing in pairings),
        competitions=results,
        measure="percentile" if by_percentile else "competitions won",
        can_show=True,  # set when it is known how many pairs of agents there are
        detectable=detectable_difference(percentiles) if by_percentile else None,
        medals_first_only=only[0],
        medals_second_only=only[1],
        medal_rates=(_rate(mine for mine, _ in flags), _rate(theirs for _, theirs in flags)) if flags else None,
        medals=flip_interval(medals) if medals else None,
        mcnemar=_tested(mcnemar(*only)) if medals else None,
        percentile=flip_interval(percentiles) if percentiles else None,
        sign_flip=_tested(sign_flip(percentiles)) if percentiles else None,
        sign_test=_tested(sign_test(*(sum(result.winner == side for result in results) for side in (0, 1)))),
    )
    conditions = differences_in_conditions(first, second, meant)
    warnings = [*first.notes, *second.notes, *notes, *conditions, *_kinds(results)]
    return replace(comparison, warnings=(*warnings, *_disagreement(comparison)))


def _with_medals(results: Sequence[CompetitionResult]) -> list[CompetitionResult]:
    """The competitions whose medals count: the real ones, or where there are none, practice competitions."""
    real = [result for result in results if result.kind is DataKind.REAL]
    return real or [result for result in results if result.kind is DataKind.PRACTICE]


def _kinds(results: Sequence[CompetitionResult]) -> list[str]:
    """What to know about the data of the competitions."""
    counts = Counter(result.kind for result in results)
    twins, practice, total = counts[DataKind.TWIN], counts[DataKind.PRACTICE], len(results)
    warnings = []
    if twins == total:
        warnings.append("The data are twins: there are no medals and no percentiles, only better and worse scores.")
    elif twins:
        warnings.append(
            f"{part_of(twins, total, 'competition')} {agreeing(twins, 'is a twin', 'are twins')}, which have no medals "
            "and no percentiles: "
            "the verdict counts competitions won, medals are those of the others."
        )
    if 0 < practice < total:
        warnings.append(
            f"{practice} of {total} {agreeing(practice, 'is a practice competition', 'are practice competitions')}: "
            f"{agreeing(practice, 'its', 'their')} percentiles are among pipelines, not people"
            + (", and their medals do not count." if counts[DataKind.REAL] else ".")
        )
    return warnings


def _disagreement(comparison: Comparison) -> list[str]:
    """A warning if one agent is ahead by one measure, and the other by another."""
    ahead: dict[str, float] = {"competitions won": len(comparison.wins) - len(comparison.losses)}
    differences = {"mean percentile": comparison.percentile, "medals": comparison.medals}
    ahead |= {name: interval.difference for name, interval in differences.items() if interval}
    sides = [
        (name, " and by ".join(measure for measure, value in ahead.items() if sign * value > 0))
        for name, sign in ((comparison.first, 1), (comparison.second, -1))
    ]
    if not all(measures for _, measures in sides):
        return []
    leads = ", ".join(f"{name} is ahead by {measures}" for name, measures in sides)
    return [f"The measures disagree: {leads}. Name the measure with the verdict."]


def _has_medal(saved: SavedReport | None) -> bool:
    return saved is not None and saved.report.any_medal


def _rate(flags: Iterable[bool]) -> float:
    return 100.0 * mean(map(float, flags))


def _tested(p_value: float) -> Tested:
    return Tested(p_value, p_value)


def pair(first: Reports, second: Reports, *, pad_missing: bool = False) -> tuple[list[Pairing], list[str]]:
    """The runs that two agents both have, and a note on those that only one has.

    They are paired by seed where both carry seeds that tell runs apart, else in their order. With `pad_missing` a run
    that only one has is paired with a failure.
    """
    notes = []
    carried = all(saved.seed is not None for source in (first, second) for saved in source.reports)
    if carried and _ignores_seeds(first) != _ignores_seeds(second):
        carried = False
        name = first.name if _ignores_seeds(first) else second.name
        notes.append(f"All runs of {name} have the same seed: runs are paired in their order.")
    mine, theirs = (by_seed(source.reports, carried=carried) for source in (first, second))
    ids = mine.keys() | theirs.keys() if pad_missing else mine.keys() & theirs.keys()
    found = []
    for competition_id in sorted(ids, key=str.lower):
        left, right = mine.get(competition_id, {}), theirs.get(competition_id, {})
        keys = sorted(left.keys() | right.keys() if pad_missing else left.keys() & right.keys())
        if keys:
            found.append(Pairing(competition_id, tuple(map(left.get, keys)), tuple(map(right.get, keys))))
    if not found:
        raise MlebenchError(f"{first.name} and {second.name} have no competition and seed in common.")
    paired = sum(len(pairing.first) for pairing in found)
    if pad_missing:
        padded = [
            sum(pairing.first.count(None) for pairing in found),
            sum(pairing.second.count(None) for pairing in found),
        ]
        if any(padded):
            notes.append(f"Missing runs count as failures: {padded[0]} of {first.name}, {padded[1]} of {second.name}.")
    elif any(alone := [len(source.reports) - paired for source in (first, second)]):
        notes.append(
            f"Only what both have is compared: {counted(alone[0], 'run')} of {first.name} and "
            f"{alone[1]} of {second.name} {agreeing(sum(alone), 'is', 'are')} not."
        )
    return found, notes


def _ignores_seeds(source: Reports) -> bool:
    """Whether there are several runs of a competition and all have one seed, so that it tells no runs apart."""
    counts = Counter(saved.competition_id for saved in source.reports)
    return max(counts.values(), default=0) > 1 and len({saved.seed for saved in source.reports}) == 1


def _kind(reports: Iterable[SavedReport | None], declaration: Competition) -> DataKind:
    """On what data two agents meet: one run on a twin leaves nothing but scores to compare."""
    kinds = {kind_of_data(saved.report.data, declaration.group) for saved in reports if saved is not None}
    return next(kind for kind in (DataKind.TWIN, DataKind.PRACTICE, DataKind.REAL) if kind in kinds)


def _result(pairing: Pairing, declaration: Competition) -> CompetitionResult:
    sides = (pairing.first, pairing.second)
    counts = [sum(map(_has_medal, side)) for side in sides]
    kind = _kind([*pairing.first, *pairing.second], declaration)
    known = [
        [0.0 if saved is None else human_percentile(saved, declaration) for saved in side if kind is not DataKind.TWIN]
        for side in sides
    ]
    percentiles = None
    if all(side and None not in side for side in known):
        first, second = (mean(value or 0.0 for value in side) for side in known)
        percentiles = (first, second)
    scores = [_mean_score(side) for side in sides]
    worths = [[_worth(saved.report.score if saved else None, declaration) for saved in side] for side in sides]
    seeds = list(zip(*worths, strict=True))
    won = (sum(first > second for first, second in seeds), sum(second > first for first, second in seeds))
    ranks = [
        (count, percentiles[side] if percentiles else won[side], _worth(scores[side], declaration))
        for side, count in enumerate(counts)
    ]
    winner = None if ranks[0] == ranks[1] else int(ranks[1] > ranks[0])
    return CompetitionResult(
        competition_id=pairing.competition_id,
        kind=kind,
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


def _mean_score(side: Sequence[SavedReport | None]) -> float | None:
    """The mean over the valid submissions, if there are any."""
    valid = [saved.report.score for saved in side if saved is not None and saved.report.score is not None]
    return mean(valid) if valid else None
