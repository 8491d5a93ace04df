"""Items to predict with equal or nearly equal items in train: how many, beyond those within train, and their labels.

Data that repeats itself does so within train as well, and a random split puts repeats on both sides; that is noted. It
is a leak where items to predict are in train more often than rows of train are there twice, with their labels.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction, Severity
from mlebench.audit.survey import Survey
from mlebench.audit.table import as_numbers, canonical, texts
from mlebench.audit.targets import Target

FEWEST = 4  # items that must have an equal one


@dataclass(frozen=True)
class Pairs:
    """For items of test the equal ones of train; and how often items of train have equals there."""

    test: dict[int, list[int]]  # item of test -> items of train
    n_test: int
    within: int
    n_train: int


def equal(
    left: Sequence[Any], right: Sequence[Any], test_items: NDArray[np.int64], train_items: NDArray[np.int64]
) -> Pairs:
    """Pairs with equal keys."""
    places: dict[Any, list[int]] = {}
    for key, item in zip(right, train_items, strict=True):
        places.setdefault(key, []).append(int(item))
    pairs = {int(item): places[key] for key, item in zip(left, test_items, strict=True) if key in places}
    within = sum(len(found) for found in places.values() if len(found) > 1)
    return Pairs(pairs, len(left), within, len(right))


def judged(survey: Survey, pairs: Pairs, where: str, what: str) -> Found | None:
    """The finding for pairs; None where they are few."""
    count = len(pairs.test)
    if count < FEWEST or count < 0.01 * pairs.n_test:
        return None
    across, within = count / pairs.n_test, pairs.within / max(pairs.n_train, 1)
    agreed, predictions = _agreement(survey, pairs)
    spread = math.sqrt(max(within * (1 - within), 0.25 / pairs.n_train) * (1 / pairs.n_test + 1 / pairs.n_train))
    beyond = (across - within) / max(spread, 1e-9)
    severity: Severity = "note"
    if agreed is not None and agreed >= 0.8 and beyond > 5 and across >= 0.03:
        severity = "leak"
    elif beyond > 5 and across >= 0.2 and agreed is None:
        severity = "suspicious"
    elif across < 0.05:
        return None
    shared = "" if agreed is None else f", and {agreed:.0%} of them share the answer"
    words = (
        f"{count:,} of {pairs.n_test:,} items to predict have {what} in "
        f"train{shared}; within train {within:.0%} of the items have such"
    )
    return Found(
        "duplicates", severity, where, f"{words}.", rank=across, predictions=predictions if severity == "leak" else ()
    )


def _agreement(survey: Survey, pairs: Pairs) -> tuple[float | None, tuple[Prediction, ...]]:
    """How many equal items share the answer, beyond chance; and what one would submit."""
    assert survey.train is not None
    best: float | None = None
    predictions = []
    for target in survey.test.targets:
        labels = survey.train.target(target.name)
        if labels is None or target.is_derived:
            continue
        items = np.array(sorted(pairs.test), dtype=np.int64)
        given = texts(_common(labels, pairs.test[int(item)]) for item in items)
        agreed = _agreed(target, items, given)
        best = agreed if best is None else max(best, agreed)
        predictions.append(Prediction(target.name, target.column, survey.task.rows[items], given))
    return best, tuple(predictions)


def _common(labels: Target, places: list[int]) -> str | None:
    common: str | None = Counter(labels.values[place] for place in places).most_common(1)[0][0]
    return common


def _agreed(target: Target, items: NDArray[np.int64], given: NDArray[np.object_]) -> float:
    truth = target.values[items]
    same = float(np.mean([canonical(one) == canonical(other) for one, other in zip(truth, given, strict=True)]))
    if target.n_classes == 0 and target.numbers is not None:
        guess = as_numbers(given)
        if guess is not None and not np.isnan(guess).any() and len(items) > 3:
            scale = float(np.std(target.numbers))
            close = float(np.mean(np.abs(guess - target.numbers[items]) < 0.1 * scale))
            return max(same, close)
    base = Counter(target.plain).most_common(1)[0][1] / len(target.plain)
    return max(0.0, (same - base) / (1 - base)) if base < 1 else 0.0
