"""The benchmark's headline: medals in percent as mean and standard error over seeds, and what goes beyond it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import mean, stdev
from typing import Any

from mlebench.analysis.cost import Cost, cost_of
from mlebench.analysis.over_time import over_time
from mlebench.analysis.seeds import Paired, pair_by_seed
from mlebench.base.amounts import format_mean
from mlebench.base.showing import Showable, Table
from mlebench.base.wording import agreeing, counted, part_of
from mlebench.competition.declaration import Competition
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import EDITIONS
from mlebench.errors import MlebenchError
from mlebench.results.measures import human_percentile, normalised_score
from mlebench.results.reports import SavedReport
from mlebench.results.sources import Reports, declarations, refuse_mixtures

# The names of the published script, and the field of a report that each one counts.
SHARES = {
    "submission_exists": "submission_exists",
    "valid_submissions": "valid_submission",
    "above_median": "above_median",
    "bronze": "bronze_medal",
    "silver": "silver_medal",
    "gold": "gold_medal",
    "any_medal": "any_medal",
}
REPORTED = "reported"  # not a split: whatever competitions there are reports of
_NAMED_SPLITS = ("low", "medium", "high", "all", "dev", "practice")


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds with its standard error and two intervals of 95 %: normal, as published, and Student's t."""

    mean: float
    standard_error: float
    ci_lower: float
    ci_upper: float
    t_lower: float | None
    t_upper: float | None


@dataclass(frozen=True)
class Aggregate:
    """One split of an aggregation; `padded` counts missing runs that count as failures in it."""

    split: str
    num_seeds_averaged: int
    num_competitions_per_seed: int
    shares: dict[str, Estimate]
    normalised_score: Estimate | None
    human_percentile: Estimate | None
    pass_at_k: dict[int, float]
    categories: dict[str, float]
    competitions: dict[str, dict[str, Any]]
    padded: int
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The aggregate as plain values; the shares are at the top, as in the published script."""
        values = asdict(self)
        shares = values.pop("shares")
        values.pop("split")
        return {**shares, **values}


@dataclass(frozen=True, repr=False)
class Aggregation(Showable):
    """All splits of an aggregation, the score over time, and what it cost."""

    name: str
    edition: str
    splits: dict[str, Aggregate]
    over_time: list[dict[str, Any]]
    cost: Cost | None
    notes: tuple[str, ...]
    checks: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def headline(self) -> Aggregate:
        """Of the splits, the one with all competitions that count."""
        widest = max(self.splits.values(), key=lambda split: split.num_competitions_per_seed)
        return self.splits.get(REPORTED) or widest

    def table(self) -> Table:
        """One row per share, one column per split."""
        parts = list(self.splits.values())
        rows: list[list[Any]] = [
            ["seeds", *(part.num_seeds_averaged for part in parts)],
            ["competitions", *(part.num_competitions_per_seed for part in parts)],
        ]
        for share in SHARES:
            found = [(part.shares[share], part.num_seeds_averaged) for part in parts]
            shown = (format_mean(value.mean, value.standard_error, seeds) for value, seeds in found)
            rows.append([f"{share} %", *shown])
        notes = dict.fromkeys([*self.notes, *(note for part in parts for note in part.notes)])
        heading = f"{self.name}, edition {self.edition}: mean ± standard error"
        return Table(heading, ("", *self.splits), rows, right=list(self.splits), notes=list(notes))

    def to_dict(self) -> dict[str, Any]:
        """The aggregation as plain values."""
        return {
            "name": self.name,
            "edition": self.edition,
            "splits": {name: split.to_dict() for name, split in self.splits.items()},
            "over_time": self.over_time,
            "cost": asdict(self.cost) if self.cost else None,
            "notes": list(self.notes),
            "checks": self.checks,
        }


def estimate(values: Sequence[float], *, with_t: bool = True) -> Estimate:
    """Mean and standard error of one value per seed; one seed has the standard error 0 and no t-interval.

    Without Student's t nothing but the standard library is loaded.

    >>> estimate([80.0, 90.0]).standard_error
    5.0
    """
    middle, count = mean(values), len(values)
    error = stdev(values) / math.sqrt(count) if count > 1 else 0.0
    low = high = None
    if count > 1 and with_t:
        from scipy.special import stdtrit  # what scipy.stats calls too, which takes seconds to import

        reach = float(stdtrit(count - 1, 0.975)) * error
        low, high = middle - reach, middle + reach
    return Estimate(middle, error, middle - 1.96 * error, middle + 1.96 * error, low, high)


def pass_at_k(seeds: int, successes: int, k: int) -> float:
    """The chance that one of k runs, drawn from the given seeds, succeeds: 1 - C(n - c, k) / C(n, k).

    >>> pass_at_k(3, 1, 2)
    0.6666666666666667
    """
    return 1.0 - math.comb(seeds - successes, k) / math.comb(seeds, k)


def aggregate(
    source: Reports,
    registry: Registry,
    *,
    splits: Sequence[str] = (),
    competition_ids: Sequence[str] = (),
    num_seeds: int | None = None,
    pad_missing: bool = False,
    headline_only: bool = False,
) -> Aggregation:
    """Aggregate reports over seeds.

    The chosen splits must be complete. Without a choice it is all competitions that have a report, and every named
    split that is complete. Where some competitions were graded on twins, whose numbers mean nothing, the others count.
    With `headline_only` there are shares and percentiles alone: no intervals by Student's t, nothing per competition,
    and neither scores over time nor cost, for which the logs of all runs would be read.
    """
    if not source.reports:
        raise MlebenchError("There are no reports to aggregate.")
    registry = _in_edition_of(source, registry)
    asked = _asked(registry, splits, competition_ids)
    wanted = {competition_id for ids in asked.values() for competition_id in ids}
    source, notes = _counting(source, wanted)
    refuse_mixtures(source.reports)
    known = declarations(source, registry)
    chosen, left_out = (asked, []) if asked else _complete(known, registry, pad_missing=pad_missing)
    notes += [*left_out, *_faults(source)]
    done = {}
    for name, ids in chosen.items():
        paired = pair_by_seed(source.reports, ids, num_seeds=num_seeds, pad_missing=pad_missing)
        declared = {
            competition_id: known.get(competition_id) or registry.get_competition(competition_id).declaration
            for competition_id in ids
        }
        done[name] = (_headline if headline_only else _aggregated)(name, paired, declared)
    editions = {saved.report.edition for saved in source.reports}
    return Aggregation(
        source.name,
        editions.pop(),
        done,
        [] if headline_only else over_time(source, known),
        None if headline_only else cost_of(source),
        (*notes, *_disqualified(source)),
        source.checks,
    )


def _disqualified(source: Reports) -> list[str]:
    """A note on attempts that lost their medals."""
    count = sum(saved.is_disqualified for saved in source.reports)
    return (
        [f"{counted(count, 'attempt')} disqualified for plagiarism: no medal, not above the median."] if count else []
    )


def _in_edition_of(source: Reports, registry: Registry) -> Registry:
    """The registry in the edition of the reports, whose splits are then those of that edition."""
    editions = {saved.report.edition for saved in source.reports}
    edition = next((known for known in EDITIONS if editions == {known}), registry.edition)
    return registry if edition == registry.edition else replace(registry, edition=edition)


def _asked(registry: Registry, splits: Sequence[str], competition_ids: Sequence[str]) -> dict[str, list[str]]:
    """The competitions of every row that was asked for, by its name."""
    asked = {name: registry.split(name) for name in splits}
    if competition_ids:
        asked["chosen"] = [registry.get_competition(competition_id).id for competition_id in competition_ids]
    return asked


def _counting(source: Reports, wanted: set[str]) -> tuple[Reports, list[str]]:
    """The source with the reports that were asked for and are not of twins, and a note on the twins."""
    reports = [saved for saved in source.reports if not wanted or saved.competition_id in wanted]
    ids = {saved.competition_id for saved in reports}
    twins = ids - {saved.competition_id for saved in reports if not saved.is_twin}
    if not twins or twins == ids:
        return replace(source, reports=tuple(reports)), []
    were = agreeing(len(twins), "was graded on a twin and does not count.", "were graded on twins and do not count.")
    note = f"{part_of(len(twins), len(ids), 'competition')} {were}"
    return replace(source, reports=tuple(saved for saved in reports if saved.competition_id not in twins)), [note]


def _complete(
    known: dict[str, Competition], registry: Registry, *, pad_missing: bool
) -> tuple[dict[str, list[str]], list[str]]:
    """The splits that are complete and all that there is, by name, and notes on splits that are left out."""
    chosen: dict[str, list[str]] = {}
    notes = []
    practice = {competition_id for competition_id, declaration in known.items() if declaration.group == "practice"}
    groups = {declaration.group for declaration in known.values()}
    for name in _NAMED_SPLITS:
        if name in ("dev", "practice") and name not in groups:
            continue  # to tell what is in these splits, all competitions would be loaded
        ids = registry.split(name)
        lacking = [competition_id for competition_id in ids if competition_id not in known]
        # What an agent was not tried on at all is not missing: whoever has only the low split has no row for all.
        parts_chosen = name != "all" or {"low", "medium", "high"} <= chosen.keys()
        if not lacking or (pad_missing and len(lacking) < len(ids) and parts_chosen):
            chosen[name] = ids
        elif len(lacking) < len(ids) and name != "all":  # of which the other splits are parts
            lack = agreeing(len(lacking), "has no report.", "have no report.")
            notes.append(f"The split {name} is left out: {len(lacking)} of its {len(ids)} competitions {lack}")
    if practice and len(practice) < len(known):
        notes.append("Practice competitions have leaderboards without people and are not averaged with the others.")
        return chosen or {"practice": sorted(practice)}, notes
    if not any(set(ids) == known.keys() for ids in chosen.values()):
        chosen[REPORTED] = sorted(known, key=str.lower)
    return chosen, notes


def _shares(paired: Paired, *, with_t: bool = True) -> dict[str, Estimate]:
    ids = paired.competition_ids
    return {
        share: estimate(
            [100.0 * (sum(_flag(seed[name], field) for name in ids) / len(ids)) for seed in paired.seeds],
            with_t=with_t,
        )
        for share, field in SHARES.items()
    }


def _headline(name: str, paired: Paired, declarations: dict[str, Competition]) -> Aggregate:
    """A split with what a summary shows of it."""
    return Aggregate(
        split=name,
        num_seeds_averaged=len(paired.seeds),
        num_competitions_per_seed=len(paired.competition_ids),
        shares=_shares(paired, with_t=False),
        normalised_score=None,
        human_percentile=_mean_over(paired, declarations, human_percentile, with_t=False),
        pass_at_k={},
        categories={},
        competitions={},
        padded=paired.padded,
        notes=paired.notes,
    )


def _aggregated(name: str, paired: Paired, declarations: dict[str, Competition]) -> Aggregate:
    ids = paired.competition_ids
    count = len(paired.seeds)
    medals = {
        competition_id: sum(_flag(report, "any_medal") for report in paired.of(competition_id))
        for competition_id in ids
    }
    categories = sorted({declarations[competition_id].category for competition_id in ids})
    return Aggregate(
        split=name,
        num_seeds_averaged=count,
        num_competitions_per_seed=len(ids),
        shares=_shares(paired),
        normalised_score=_mean_over(paired, declarations, normalised_score),
        human_percentile=_mean_over(paired, declarations, human_percentile),
        pass_at_k={
            k: 100.0 * mean(pass_at_k(count, medals[competition_id], k) for competition_id in ids)
            for k in range(1, count + 1)
        },
        categories={
            category: 100.0
            * mean(
                medals[competition_id] / count
                for competition_id in ids
                if declarations[competition_id].category == category
            )
            for category in categories
        },
        competitions={
            competition_id: _competition(paired.of(competition_id), declarations[competition_id])
            for competition_id in ids
        },
        padded=paired.padded,
        notes=paired.notes,
    )


def _faults(source: Reports) -> list[str]:
    """Notes on runs that do not count, and on those that failed for no fault of the agent."""
    count = sum(run.record.status in ("infrastructure", "cancelled") for run in source.runs)
    if not count:
        return source.notes
    counts = "1 run counts as a failure" if count == 1 else f"{count} runs count as failures"
    return [*source.notes, f"{counts} that a fault of the machine or the user ended."]


def _flag(saved: SavedReport | None, field: str) -> bool:
    return saved is not None and bool(getattr(saved.report, field))


def _mean_over(
    paired: Paired,
    declarations: dict[str, Competition],
    measure: Callable[[SavedReport, Competition], float | None],
    *,
    with_t: bool = True,
) -> Estimate | None:
    """The estimate of a measure that a missing run makes 0; competitions for which it is unknown do not count."""
    values = {
        competition_id: [
            0.0 if saved is None else measure(saved, declarations[competition_id])
            for saved in paired.of(competition_id)
        ]
        for competition_id in paired.competition_ids
    }
    known = [measured for measured in values.values() if None not in measured]
    if not known:
        return None
    seeds = range(len(paired.seeds))
    return estimate([mean(measured[seed] or 0.0 for measured in known) for seed in seeds], with_t=with_t)


def _competition(found: Sequence[SavedReport | None], declaration: Competition) -> dict[str, Any]:
    percentiles = [0.0 if saved is None else human_percentile(saved, declaration) for saved in found]
    known = [percentile for percentile in percentiles if percentile is not None]
    return {
        "any_medal": 100.0 * mean(_flag(saved, "any_medal") for saved in found),
        "valid_submissions": 100.0 * mean(_flag(saved, "valid_submission") for saved in found),
        "scores": [saved.report.score if saved else None for saved in found],
        "human_percentile": mean(known) if known else None,
        "category": declaration.category,
    }
