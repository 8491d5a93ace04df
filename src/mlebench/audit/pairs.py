"""Items to predict with equal or nearly equal items in train: how many, beyond those within train, and their labels.

It is a leak where items to predict are in train, with their labels, more often than items of train are there twice.
Data that repeats itself does so within train as well, and a random split puts repeats on both sides: who looks them up
there knows the answers, so that is suspicious. What takes few values has many equals by chance; that is noted.
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
_LOOKED_UP, _MANY = 0.9, 0.1  # of the equal ones, beyond chance, share the answer; of all items have an equal one
_ENOUGH = 8  # equal items that share the answer, for a leak
_MORE_ALIKE = 0.1  # of the items with equals share an answer, beyond those of train that do
_SHAREABLE = 0.3  # of the equal ones have an answer that train has
_COPIES = 3.0  # equals of an item: copies, and no coarse values


@dataclass(frozen=True)
class Pairs:
    """For items of test the equal ones of train; and how often items of train have equals there."""

    test: dict[int, list[int]]  # item of test -> items of train
    n_test: int
    within: int
    n_train: int
    groups: tuple[tuple[int, ...], ...] = ()  # of equal items of train

    @property
    def equals(self) -> float:
        """How many items of train an item of test equals, of those that have any."""
        return float(np.mean([len(found) for found in self.test.values()])) if self.test else 0.0


def equal(
    left: Sequence[Any], right: Sequence[Any], test_items: NDArray[np.int64], train_items: NDArray[np.int64]
) -> Pairs:
    """Pairs with equal keys."""
    places: dict[Any, list[int]] = {}
    for key, item in zip(right, train_items, strict=True):
        places.setdefault(key, []).append(int(item))
    pairs = {int(item): places[key] for key, item in zip(left, test_items, strict=True) if key in places}
    groups = tuple(tuple(found) for found in places.values() if len(found) > 1)
    return Pairs(pairs, len(left), sum(map(len, groups)), len(right), groups)


def judged(survey: Survey, pairs: Pairs, where: str, what: str) -> Found | None:
    """The finding for pairs; None where they are few."""
    count = len(pairs.test)
    if count < FEWEST or count < 0.01 * pairs.n_test:
        return None
    across, within = count / pairs.n_test, pairs.within / max(pairs.n_train, 1)
    agreed, predictions = agreement(survey, pairs)
    spread = math.sqrt(max(within * (1 - within), 0.25 / pairs.n_train) * (1 / pairs.n_test + 1 / pairs.n_train))
    beyond = (across - within) / max(spread, 1e-9)
    severity: Severity = "note"
    remark = ""
    is_more = beyond > 5
    are_copies = pairs.equals <= _COPIES and across >= _MANY
    if agreed is not None and agreed >= 0.8 and is_more and across >= 0.03:
        # A handful of pictures that are near by chance have the same of two classes by chance as well.
        severity = "leak" if count >= _ENOUGH else "suspicious"
    elif (agreed is None and is_more and across >= 0.2) or (agreed is not None and agreed >= _LOOKED_UP and are_copies):
        severity = "suspicious"
    elif across < 0.05:
        return None
    elif more_alike(survey, pairs):
        severity, remark = "suspicious", ", far more than equal ones of train do"
    shared = "" if agreed is None else f", and {agreed:.0%} of them share the answer{remark}"
    words = (
        f"{count:,} of {pairs.n_test:,} items to predict have {what} in "
        f"train{shared}; within train {within:.0%} of the items have such"
    )
    return Found(
        "duplicates", severity, where, f"{words}.", rank=across, predictions=predictions if severity == "leak" else ()
    )


def agreement(survey: Survey, pairs: Pairs) -> tuple[float | None, tuple[Prediction, ...]]:
    """How many equal items share the answer, beyond chance; and what one would submit."""
    assert survey.train is not None
    best: float | None = None
    predictions = []
    for target in survey.test.targets:
        labels = survey.train.target(target.name)
        if labels is None or target.is_derived:
            continue
        items = np.array(sorted(pairs.test), dtype=np.int64)
        # Many items have the same equals, in one list, which is counted once.
        common = {
            id(places): _common(labels, places)
            for places in {id(places): places for places in pairs.test.values()}.values()
        }
        given = texts(common[id(pairs.test[int(item)])] for item in items)
        agreed = share_agreed(target, items, given, labels)
        best = agreed if best is None else max(best, agreed)
        predictions.append(Prediction(target.name, target.column, survey.task.rows[items], given))
    return best, tuple(predictions)


def more_alike(survey: Survey, pairs: Pairs) -> bool:
    """Whether items to predict have the answer of an equal one of train more often than items of train have.

    What takes few values has equals by chance, on both sides alike; copies among them show in the answers alone.
    """
    assert survey.train is not None
    for target in survey.test.targets:
        labels = survey.train.target(target.name)
        if labels is None or target.is_derived or not pairs.groups:
            continue
        met = [
            any(canonical(labels.values[place]) == canonical(target.values[item]) for place in places)
            for item, places in pairs.test.items()
        ]
        counts = [Counter(canonical(labels.values[place]) for place in group) for group in pairs.groups]
        usual = sum(number for count in counts for number in count.values() if number > 1)
        n_own = sum(map(len, pairs.groups))
        pooled = (sum(met) + usual) / (len(met) + n_own)
        spread = math.sqrt(pooled * (1 - pooled) * (1 / len(met) + 1 / n_own))
        ahead = float(np.mean(met)) - usual / n_own
        if ahead > max(_MORE_ALIKE, 5 * spread):
            return True
    return False


def _common(labels: Target, places: list[int]) -> str | None:
    common: str | None = Counter(labels.values[place] for place in places).most_common(1)[0][0]
    return common


def share_agreed(
    target: Target, items: NDArray[np.int64], given: NDArray[np.object_], labels: Target | None = None
) -> float:
    """How many answers are those that are given, or near to them, beyond what always saying the usual one does.

    An answer that no item of train has, as of rows that are not scored, is none that an equal item could share.
    """
    if labels is not None and target.n_classes and labels.n_classes:
        known = np.isin(target.plain.astype(str), labels.classes)
        kept = known[items]
        if not known.all() and kept.sum() >= max(FEWEST, _SHAREABLE * len(items)):
            places = np.cumsum(known) - 1
            return share_agreed(target.part(np.flatnonzero(known)), places[items[kept]], given[kept])
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
