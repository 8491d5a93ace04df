"""Plant leaks as strangers would in prepared twins drawn at random, audit them, and count.

    PYTHONPATH=tests/audit python -m benchmarks.audit.strangers DATA [--planted 200] [--clean 60] [--seed 0]
        [--kinds NAME…]

DATA is a data folder with prepared twins, large enough that a tenth of an item is not a whole one (scale 10). A leak
counts as found where the audit names a leak that it does not name in the same twin as it was. The clean ones are
twins of edition v2 with something honest added that looks like a leak; there every alarm counts.
"""

from __future__ import annotations

import json
import tempfile
import time
import warnings
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import honest_changes
import numpy as np
from foreign_files import FILES
from foreign_places import NEEDS, PLACES
from honest_changes import HONEST
from prepared_twins import NotHereError, Twin, copy_of, original
from value_leaks import HONEST_VALUES, VALUES, twin_changed

from benchmarks.audit import planting_options
from mlebench.audit.auditing import Audit, audit_or_problem
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import EDITIONS, Edition

IN_TABLES = ("test_table", "train_table")
KINDS = FILES | PLACES | {name: twin_changed(plant) for name, plant in VALUES.items()}
PLACED = NEEDS | dict.fromkeys(VALUES, IN_TABLES)
CLEAN = HONEST | {name: twin_changed(change) for name, change in HONEST_VALUES.items()}
CLEAN_NEEDS = honest_changes.NEEDS | dict.fromkeys(HONEST_VALUES, IN_TABLES)


@cache
def source_of(data: Path, competition_id: str, edition: Edition) -> Twin | None:
    """The twin as it is; None where no leak can be planted."""
    try:
        return original(data, competition_id, edition)
    except NotHereError:
        return None


@cache
def has(data: Path, competition_id: str, edition: Edition, name: str) -> bool:
    """Whether a twin has what a leak needs: a test table, a file per item…"""
    try:
        return bool(getattr(source_of(data, competition_id, edition), name))
    except NotHereError:
        return False


@cache
def before(data: Path, competition_id: str, edition: Edition) -> Audit:
    """The audit of the twin as it is."""
    return audit_or_problem(Registry(data, edition=edition).get_competition(competition_id))


def prepared(data: Path) -> list[tuple[str, Edition]]:
    """(id, edition) of all prepared twins."""
    return [
        (competition.id, edition)
        for edition in EDITIONS
        for competition in Registry(data, edition=edition).all_competitions()
        if competition.answers.exists()
    ]


def try_one(data: Path, kind: str, competition_id: str, edition: Edition, seed: int) -> dict[str, Any]:
    """Plant one leak and audit; raises NotHereError where it has no place."""
    source = source_of(data, competition_id, edition)
    if source is None or not all(has(data, competition_id, edition, name) for name in PLACED.get(kind, ())):
        raise NotHereError
    with tempfile.TemporaryDirectory() as folder:
        twin = copy_of(source, Path(folder), seed)
        KINDS[kind](twin)
        after = audit_or_problem(twin.competition)
    new = [found for found in after.findings if found.severity == "leak"]
    if not any(name in found.where for found in new for name in twin.placed):
        unplanted = before(data, competition_id, edition).findings
        known = {(found.kind, found.where) for found in unplanted if found.severity == "leak"}
        new = [found for found in new if (found.kind, found.where) not in known]
    others = [f"{found.severity} {found.kind} {found.where}: {found.evidence[:150]}" for found in after.findings]
    return {
        "kind": kind,
        "competition": competition_id,
        "edition": edition,
        "seed": seed,
        "found": [f"{found.kind} {found.where}: {found.evidence[:200]}" for found in new],
        "worth": any(found.worth is not None for found in new),
        "others": others,
        "notes": list(after.notes),
        "problem": after.problem,
        "seconds": round(after.seconds, 2),
    }


def clean(data: Path, count: int, seed: int) -> None:
    """Audit honest variants of twins, and print the alarms."""
    rng = np.random.default_rng(seed + 77)
    twins = [competition_id for competition_id, edition in prepared(data) if edition == "v2"]
    leaks = suspicions = done = 0
    kinds = list(CLEAN)
    while done < count:
        kind = kinds[done % len(kinds)]
        competition_id = twins[int(rng.integers(len(twins)))]
        source = source_of(data, competition_id, "v2")
        if source is None or not all(has(data, competition_id, "v2", name) for name in CLEAN_NEEDS[kind]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            twin = copy_of(source, Path(folder), seed * 10_000 + done)
            try:
                CLEAN[kind](twin)
            except NotHereError:
                continue
            audited = audit_or_problem(twin.competition)
        done += 1
        alarms = [found for found in audited.findings if found.severity != "note"]
        leaks += any(found.severity == "leak" for found in alarms)
        suspicions += bool(alarms)
        for found in alarms:
            print(
                f"ALARM {kind} in {competition_id}: {found.severity} {found.where}: {found.evidence[:220]}",
                flush=True,
            )
    print(f"{done} clean: {leaks} with a leak, {suspicions} with a leak or a suspicion")


def main() -> None:
    """Run the benchmark."""
    parser = planting_options()
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=None, help="a file for what was found, one JSON object per line")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(chosen.seed)
    twins, kinds = prepared(chosen.data), chosen.kinds or list(KINDS)
    order = [
        kinds[int(number)] for _ in range(1 + chosen.planted // len(kinds)) for number in rng.permutation(len(kinds))
    ]
    started, results, nowhere = time.monotonic(), [], Counter[str]()
    refused: set[tuple[str, str]] = set()
    for number, kind in enumerate(order[: chosen.planted]):
        tried = [twins[int(place)] for place in rng.permutation(len(twins))]
        for competition_id, edition in tried:  # the next one where this kind has no place
            if (kind, competition_id) in refused:
                continue
            try:
                result = try_one(chosen.data, kind, competition_id, edition, chosen.seed * 10_000 + number)
            except NotHereError:
                refused.add((kind, competition_id))
                continue
            results.append(result)
            break
        else:
            nowhere[kind] += 1
            continue
        if not results[-1]["found"]:
            print(
                f"MISSED {kind} in {competition_id} {edition}: {results[-1]['others'][:3]}",
                flush=True,
            )
        if chosen.out is not None:
            chosen.out.write_text("".join(json.dumps(entry) + "\n" for entry in results))
    found = sum(bool(result["found"]) for result in results)
    twins_used = len({result["competition"] for result in results})
    print(f"{found} of {len(results)} found in {twins_used} competitions")
    clean(chosen.data, chosen.clean, chosen.seed)
    print(f"{time.monotonic() - started:.0f} s; no place for: {dict(nowhere)}")


if __name__ == "__main__":
    main()
