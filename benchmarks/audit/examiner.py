"""Examine the audit as somebody would who has never seen it: plant leaks in competitions of one's own and in twins.

    PYTHONPATH=tests/audit python -m benchmarks.audit.examiner DATA [--planted 200] [--clean 60] [--seed 0]
        [--kinds NAME…] [--jobs 2] [--minutes 60] [--own-only]

DATA is a data folder with prepared twins, which are copied before anything is changed; with `--own-only`, or where it
has none, all competitions are made for the purpose. One JSON object is printed per trial, and a summary at the end.

A leak counts as found where the audit names a leak that it does not name in the same competition without it. Every leak
is graded first: one that does not beat the sample submission clearly is not used. A defect (inputs that are missing, a
class that train lacks) counts as found where a finding of its kind appears. Of the clean ones every alarm counts.
Nothing is downloaded; each trial runs in a process of a pool, and is the same for the same seed.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from examiner_case import LEAST_GAIN, Case, own_case, twin_case
from examiner_clean import CONDITIONS, HONEST
from examiner_draws import Conditions
from examiner_leaks import LEAKS
from examiner_worlds import WORLDS, random_conditions, write_world
from prepared_twins import NotHereError

from benchmarks.audit import planting_options
from mlebench.audit.auditing import Audit, audit_or_problem
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import EDITIONS

OWN_SHARE = 0.7  # of the trials in competitions of one's own; the rest is in twins
_TRIES = 60  # competitions to draw for one kind before it has no place


@dataclass(frozen=True)
class Trial:
    """One kind to plant, or one honest change to make, in competitions drawn from a seed."""

    kind: str
    clean: bool
    seed: int
    data: Path
    twins: tuple[tuple[str, str], ...]  # (id, edition)


@dataclass(frozen=True)
class Place:
    """The competition that a trial drew."""

    name: str
    edition: str  # own, v1 or v2
    conditions: Conditions | None = None


def drawn_places(trial: Trial) -> Iterator[Place]:
    """Competitions at random, the next one where the kind has no place in one."""
    rng = np.random.default_rng([trial.seed, 1])
    # Half of the kinds fit few competitions only, so that each is drawn at most once.
    twins = [trial.twins[int(number)] for number in rng.permutation(len(trial.twins))]
    if trial.clean:
        twins = [twin for twin in twins if twin[1] == "v2"]  # v1 has the leaks of the published benchmark
    own = [list(WORLDS)[int(number)] for _ in range(3) for number in rng.permutation(len(WORLDS))]
    for _ in range(_TRIES):
        if twins and trial.kind not in CONDITIONS and (not own or rng.random() > OWN_SHARE):
            yield Place(*twins.pop())
        elif own:
            kind = WORLDS[own.pop()]
            conditions = random_conditions(rng, kind)
            if trial.clean and trial.kind in CONDITIONS:
                conditions = CONDITIONS[trial.kind](conditions)
            yield Place(kind.name, "own", conditions)


def case_of(trial: Trial, place: Place, folder: Path) -> Case:
    """The competition of a trial, made or copied below a folder."""
    if place.conditions is None:
        edition = next(known for known in EDITIONS if known == place.edition)
        return twin_case(trial.data, place.name, edition, folder, trial.seed)
    kind = WORLDS[place.name]
    competition = write_world(folder, kind, place.conditions, trial.seed)
    return own_case(competition, kind.key, kind.targets, trial.seed)


def leaks_of(audit: Audit) -> dict[tuple[str, str], str]:
    """(kind, place) -> evidence of the leaks that an audit names."""
    return {(found.kind, found.where): found.evidence for found in audit.findings if found.severity == "leak"}


def _told(audit: Audit) -> list[str]:
    return [f"{found.severity} {found.kind} {found.where}: {found.evidence[:160]}" for found in audit.findings]


def planted(trial: Trial, place: Place) -> dict[str, Any]:
    """Plant a leak and audit; NotHereError where it has no place or is worth nothing."""
    planting = LEAKS[trial.kind]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as untouched:
        case = case_of(trial, place, Path(folder))
        sample_score = case.score(None)
        told = planting.plant(case)
        gain = None if planting.defect else round(case.gain(told, sample_score), 3)
        if gain is not None and gain < LEAST_GAIN:
            raise NotHereError(f"worth only {gain}")
        after = audit_or_problem(case.competition)
        found = leaks_of(after)
        if planting.defect:
            found = {(entry.kind, entry.where): entry.evidence for entry in after.findings
                     if entry.kind == planting.defect}  # fmt: skip
        alarms: list[str] = []
        in_new_file = any(name in where for _, where in found for name in case.placed)
        if found and not in_new_file:  # what is in a new file cannot have been found before
            before = audit_or_problem(case_of(trial, place, Path(untouched)).competition)
            known = leaks_of(before)
            if planting.defect:
                known = {(entry.kind, entry.where): entry.evidence for entry in before.findings}
            found = {key: evidence for key, evidence in found.items() if key not in known}
            alarms = [f"{kind} {where}: {evidence[:160]}" for (kind, where), evidence in known.items()]
    return {
        "found": [f"{kind} {where}: {evidence[:200]}" for (kind, where), evidence in found.items()],
        "gain": gain,
        "rows_told": len(told),
        "items": len(case.ids),
        "new_files": case.placed[:3],
        "alarms_before": alarms if place.edition == "own" else [],
        "other_findings": _told(after),
        "problem": after.problem,
        "seconds": round(after.seconds, 2),
    }


def honest(trial: Trial, place: Place) -> dict[str, Any]:
    """Make an honest change and audit; NotHereError where it has no place."""
    with tempfile.TemporaryDirectory() as folder:
        case = case_of(trial, place, Path(folder))
        if trial.kind in HONEST:
            HONEST[trial.kind](case)
        audit = audit_or_problem(case.competition)
    alarms = [found for found in audit.findings if found.severity != "note"]
    return {
        "leaks": [
            f"{found.kind} {found.where}: {found.evidence[:240]}" for found in alarms if found.severity == "leak"
        ],
        "suspicions": [
            f"{found.kind} {found.where}: {found.evidence[:240]}" for found in alarms if found.severity != "leak"
        ],
        "problem": audit.problem,
        "seconds": round(audit.seconds, 2),
    }


def attempt(trial: Trial) -> dict[str, Any]:
    """One trial in the first competition that has a place for it."""
    warnings.simplefilter("ignore")
    reasons: Counter[str] = Counter()
    for place in drawn_places(trial):
        head = {"trial": "clean" if trial.clean else "planted", "kind": trial.kind, "world": place.name,
                "edition": place.edition, "seed": trial.seed}  # fmt: skip
        try:
            return head | (honest if trial.clean else planted)(trial, place)
        except NotHereError as error:
            reasons[str(error) or "no place"] += 1
        except Exception as error:  # a mistake of the examiner's must not end the examination
            return head | {"error": f"{type(error).__name__}: {error}"}
    return {
        "trial": "clean" if trial.clean else "planted",
        "kind": trial.kind,
        "seed": trial.seed,
        "no_place": dict(reasons),
    }


def deck(kinds: dict[str, int], count: int, rng: np.random.Generator) -> list[str]:
    """Kinds at random: each as often as its weight says before any is drawn again."""
    cards = [kind for kind, weight in kinds.items() for _ in range(weight)]
    dealt: list[str] = []
    while cards and len(dealt) < count:
        dealt += [cards[int(place)] for place in rng.permutation(len(cards))]
    return dealt[:count]


def drawn_trials(
    data: Path, twins: tuple[tuple[str, str], ...], planted: int, clean: int, seed: int, only: list[str] | None
) -> list[Trial]:
    """The trials of an examination, in a random order: a part of them is fair, too."""
    rng = np.random.default_rng(seed)
    kinds = dict.fromkeys(only, 1) if only else {kind: LEAKS[kind].weight for kind in LEAKS}
    honest_kinds = dict.fromkeys([*CONDITIONS, *HONEST], 1)
    trials = [
        Trial(kind, is_clean, seed * 100_000 + first + number, data, twins)
        for is_clean, first, dealt in (
            (False, 0, deck(kinds, planted, rng)),
            (True, 50_000, deck(honest_kinds, clean, rng)),
        )
        for number, kind in enumerate(dealt)
    ]
    return [trials[int(place)] for place in rng.permutation(len(trials))]


def prepared_twins(data: Path) -> tuple[tuple[str, str], ...]:
    """(id, edition) of all prepared twins of a data folder."""
    return tuple(
        (competition.id, edition)
        for edition in EDITIONS
        for competition in Registry(data, edition=edition).all_competitions()
        if competition.answers.exists()
    )


def summary(results: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    """The figures of an examination."""
    ran = [result for result in results if "error" not in result and "no_place" not in result]
    plants = [result for result in ran if result["trial"] == "planted"]
    leaks = [result for result in plants if LEAKS[result["kind"]].defect is None]
    defects = [result for result in plants if LEAKS[result["kind"]].defect is not None]
    cleans = [result for result in ran if result["trial"] == "clean"]

    def place(result: dict[str, Any]) -> str:
        return f"{result['kind']} in {result['world']} ({result['edition']}, seed {result['seed']})"

    return {
        "leaks_planted": len(leaks),
        "leaks_found": sum(bool(result["found"]) for result in leaks),
        "missed": [place(result) for result in leaks if not result["found"]],
        "defects_planted": len(defects),
        "defects_found": sum(bool(result["found"]) for result in defects),
        "defects_missed": [place(result) for result in defects if not result["found"]],
        "kinds": len({result["kind"] for result in plants}),
        "clean": len(cleans),
        "clean_with_a_leak": sum(bool(result["leaks"]) for result in cleans),
        "clean_with_a_suspicion": sum(bool(result["leaks"] or result["suspicions"]) for result in cleans),
        "alarms": [
            f"{place(result)}: {alarm}" for result in cleans for alarm in result["leaks"] + result["suspicions"]
        ],
        "alarms_before_planting": [
            f"{place(result)}: {alarm}" for result in plants for alarm in result["alarms_before"]
        ],
        "problems": [f"{place(result)}: {result['problem']}" for result in ran if result["problem"]],
        "errors": [f"{place(result)}: {result['error']}" for result in results if "error" in result],
        "no_place": [f"{result['kind']}: {result['no_place']}" for result in results if "no_place" in result],
        "slowest": max((result["seconds"] for result in ran), default=0.0),
        "seconds": round(seconds),
    }


def main() -> None:
    """Run the examination."""
    parser = planting_options()
    parser.add_argument("data", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=60.0, help="after which no further trial begins")
    parser.add_argument("--own-only", action="store_true", help="no twins")
    chosen = parser.parse_args()
    twins = () if chosen.own_only else prepared_twins(chosen.data)
    trials = drawn_trials(chosen.data, twins, chosen.planted, chosen.clean, chosen.seed, chosen.kinds)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # the processes of the pool share the cores, and read this when they start
    started, results = time.monotonic(), list[dict[str, Any]]()
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(attempt, trial) for trial in trials]):
            results.append(future.result())
            print(json.dumps(results[-1]), flush=True)
            if time.monotonic() - started > 60 * chosen.minutes:
                pool.shutdown(wait=False, cancel_futures=True)
                break
    results.sort(key=lambda result: result["seed"])
    json.dump({"summary": summary(results, time.monotonic() - started)}, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
