"""Lists, folders and archives that have some of the items only: being in them may tell the answer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.item_files import membership
from mlebench.audit.relations import purity
from mlebench.audit.strength import by_groups
from mlebench.audit.survey import Survey
from mlebench.audit.table import texts
from mlebench.audit.targets import Target


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for lists and folders whose items have other answers than the rest."""
    size = survey.test.size
    seen: set[bytes] = set()
    for where, flags in _marks(survey):
        if not 2 <= int(flags.sum()) <= 0.98 * size or flags.tobytes() in seen:
            continue
        seen.add(flags.tobytes())
        found = _finding(survey, where, flags)
        if found is not None:
            yield found


def _marks(survey: Survey) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    for matched in survey.matched_test:
        if matched.in_order:
            continue
        flags = np.zeros(survey.test.size, dtype=bool)
        flags[matched.items] = True
        yield matched.table.where, flags
    for where, keys in membership(survey.test_files, survey.test.size):
        flags = np.zeros(survey.test.size, dtype=bool)
        for key in keys:
            flags[list(survey.test.names[key])] = True
        yield where, flags


def _finding(survey: Survey, where: str, flags: NDArray[np.bool_]) -> Found | None:
    for target in survey.test.targets:
        if target.coded is None or not target.n_classes:
            continue
        pure = purity(flags, target)
        other = purity(~flags, target)
        best = pure if pure.strength.digits >= other.strength.digits else other
        measured = by_groups(flags.astype(np.int64), target.coded, target.n_classes)
        strong = measured.power >= 0.5 and measured.digits >= 5
        if best.strength.digits < 5 and not strong:
            continue
        values = _predicted(flags, target)
        what = f"{int(flags.sum()):,} of {len(flags):,} items are in it, and that tells {target.name}"
        severity = "leak" if strong or best.power >= 0.25 else "suspicious"
        return Found(
            "predictive_artifact",
            severity,  # type: ignore[arg-type]
            f"{where}: which items it has",
            f"{what} ({max(best.power, measured.power):.0%} of the answers).",
            rank=max(best.power, measured.power),
            predictions=(Prediction(target.name, target.column, survey.task.rows, values),),
        )
    return None


def _predicted(flags: NDArray[np.bool_], target: Target) -> NDArray[np.object_]:
    from collections import Counter

    common = {flag: Counter(target.values[flags == flag]).most_common(1)[0][0] for flag in (True, False)}
    return texts(common[bool(flag)] for flag in flags)
