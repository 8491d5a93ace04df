"""Which reports belong together: one per competition and seed, as the published benchmark pairs them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from mlebench.base.wording import agreeing, counted, part_of
from mlebench.errors import MlebenchError
from mlebench.results.reports import SavedReport

_MOST_NAMED = 5


@dataclass(frozen=True)
class Paired:
    """Reports by seed, then by competition; None stands for a run that is missing and counts as a failure.

    `seeds` has one entry per seed; `padded` counts the runs that are missing; `notes` say what was dropped or
    filled in.
    """

    competition_ids: tuple[str, ...]
    seeds: tuple[dict[str, SavedReport | None], ...]
    padded: int = 0
    notes: tuple[str, ...] = field(default=())

    def of(self, competition_id: str) -> list[SavedReport | None]:
        """The reports of one competition, seed by seed."""
        return [seed[competition_id] for seed in self.seeds]


def pair_by_seed(
    reports: Sequence[SavedReport],
    competition_ids: Sequence[str],
    *,
    num_seeds: int | None = None,
    pad_missing: bool = False,
) -> Paired:
    """Pair the reports of some competitions.

    Where all reports carry a seed, they are paired by it; else the n-th report of a competition is that of seed n.
    Seeds that not every competition has are dropped from the end, or with `pad_missing` filled up with failures.
    """
    ids = tuple(dict.fromkeys(competition_ids))
    wanted = [report for report in reports if report.competition_id in ids]
    found = by_seed(wanted, carried=all(report.seed is not None for report in wanted))
    by_key = {competition_id: found.get(competition_id, {}) for competition_id in ids}
    missing = [competition_id for competition_id in ids if not by_key[competition_id]]
    if missing and not pad_missing:
        raise MlebenchError(
            f"{part_of(len(missing), len(ids), 'competition')} {agreeing(len(missing), 'has', 'have')} no report: "
            f"{_named(missing)}.",
            hint=f"Use --pad-missing to count {agreeing(len(missing), 'it as a failure', 'them as failures')}.",
        )
    sets = [set(found) for found in by_key.values()]
    kept = sorted(set.union(*sets) if pad_missing else set.intersection(*sets)) if sets else []
    if num_seeds is not None:
        if len(kept) < num_seeds:
            have = "a competition has" if pad_missing else "every competition has"
            there = f"There {agreeing(len(kept), 'is', 'are')} {counted(len(kept), 'seed')}"
            raise MlebenchError(f"{there} that {have}, fewer than {num_seeds}.")
        kept = kept[:num_seeds]
    if not kept:
        raise MlebenchError("There is no seed that every competition has.", hint="Use --pad-missing.")
    seeds = tuple({competition_id: by_key[competition_id].get(key) for competition_id in ids} for key in kept)
    padded = sum(report is None for seed in seeds for report in seed.values())
    return Paired(ids, seeds, padded, tuple(_notes(by_key, kept, padded)))


def by_seed(reports: Sequence[SavedReport], *, carried: bool) -> dict[str, dict[tuple[int, int], SavedReport]]:
    """Reports by competition, then by seed; by their place unless all carry a seed."""
    found: dict[str, list[SavedReport]] = {}
    for report in reports:
        found.setdefault(report.competition_id, []).append(report)
    return {competition_id: _keyed(own, carried) for competition_id, own in found.items()}


def _keyed(reports: Sequence[SavedReport], carried: bool) -> dict[tuple[int, int], SavedReport]:
    """Reports by (seed, how often that seed came before); without seeds by their place."""
    keyed: dict[tuple[int, int], SavedReport] = {}
    counts: defaultdict[int, int] = defaultdict(int)
    for place, report in enumerate(reports):
        seed = report.seed if carried and report.seed is not None else place
        keyed[seed, counts[seed]] = report
        counts[seed] += 1
    return keyed


def _notes(
    by_key: dict[str, dict[tuple[int, int], SavedReport]],
    kept: Sequence[tuple[int, int]],
    padded: int,
) -> list[str]:
    notes = []
    dropped = sum(key not in kept for found in by_key.values() for key in found)
    if dropped:
        were = "1 report was" if dropped == 1 else f"{dropped} reports were"
        notes.append(f"{were} dropped, because not every competition has one for that seed.")
    if padded:
        notes.append(f"{padded} missing {'run counts as a failure' if padded == 1 else 'runs count as failures'}.")
    return notes


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
