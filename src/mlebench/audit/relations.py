"""The strongest relation between a column and what is to be predicted, and what one would submit who knew it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mlebench.audit import strength
from mlebench.audit.encodings import decoded_answers
from mlebench.audit.strength import NONE, Strength
from mlebench.audit.table import Texts, as_numbers, canonical, is_missing, texts
from mlebench.audit.targets import Target
from mlebench.audit.transforms import derived

_MOST_DERIVED = 4000  # rows from which hidden properties are read
_FEWEST = 4


@dataclass(frozen=True)
class Relation:
    """How a column gives a target away. `tier` is how far-fetched the relation is, and so how much evidence it needs.

    `what` says how in words; `groups` are the values or properties that tell; `codes` whether they are few, as a code
    of the answer is, and not the groups that items come in.
    """

    strength: Strength
    tier: str  # "verbatim", "plain" or "derived"
    what: str
    groups: NDArray[np.object_] | None = None
    codes: bool = True
    spoken: Texts | None = None  # the answers themselves, where the column says them

    @property
    def power(self) -> float:
        """The power of the prediction."""
        return self.strength.power


NOTHING = Relation(NONE, "plain", "")


def relation(values: Texts, target: Target, ids: Texts, *, thorough: bool = True) -> Relation:
    """The strongest relation of a column to a target, both for the same items."""
    n = len(values)
    if n < _FEWEST or len(target.classes) < 2:
        return NOTHING
    found = [verbatim(values, target)]
    if found[0].power > 0.97:
        return found[0]
    distinct = len(set(values))
    if distinct < 2:
        return NOTHING
    found.append(_encoded(values, target, ids))
    if found[-1].power > 0.97:
        return found[-1]
    y = target.coded
    if y is None:
        return _best(found + [sequences(values, target)])
    found.append(_plain(values, y, target.n_classes))
    if thorough:
        found.append(_hidden(values, y, target.n_classes))
    return _best(found)


def _best(found: list[Relation]) -> Relation:
    ranked = {"verbatim": 2, "plain": 1, "derived": 0}
    return max(found, key=lambda relation: (round(relation.power, 2) if relation.strength.digits >= 2 else 0.0, ranked[relation.tier]))


def verbatim(values: Texts, target: Target) -> Relation:
    """Whether the values are the answers."""
    plain = texts(canonical(value) for value in values)
    same = np.array([one is not None and one == other for one, other in zip(plain, target.plain, strict=True)])
    there = np.array([not is_missing(value) for value in values])
    n = int(there.sum())
    if n < _FEWEST:
        return NOTHING
    import pandas as pd

    left, right = pd.Series(plain[there]), pd.Series(target.plain[there])
    shares = left.value_counts(normalize=True), right.value_counts(normalize=True)
    common = shares[0].index.intersection(shares[1].index)
    chance = float((shares[0][common] * shares[1][common]).sum()) if len(common) else 0.0
    base = float(shares[1].max())
    hits = int(same[there].sum())
    floor = max(chance, base if shares[0].size == 1 else chance)
    power = 0.0 if floor >= 1 else max(0.0, (hits / n - floor) / (1 - floor))
    digits = strength.of_hits(hits, n, max(chance, 1 / (10 * n))) if power else 0.0
    if target.n_classes:
        digits = min(digits, _arrangements(target.plain[there]))
    spoken = texts(answer if equal else value for answer, value, equal in zip(target.values, values, same, strict=True))
    return Relation(Strength(power, digits, "equal"), "verbatim", "has the answers", None, True, spoken)


def _arrangements(values: NDArray[np.object_]) -> float:
    """How many digits the number of orders has in which these values can stand."""
    import math

    counts = np.unique(values.astype(str), return_counts=True)[1]
    return (math.lgamma(len(values) + 1) - sum(math.lgamma(count + 1) for count in counts)) / math.log(10)


def _encoded(values: Texts, target: Target, ids: Texts) -> Relation:
    found = decoded_answers(values, target.values, ids)
    if found is None:
        return NOTHING
    name, spoken = found
    checked = verbatim(texts(spoken), target)
    return replace(checked, what=f"has the answers in another form ({name})")


def _plain(values: Texts, y: NDArray[np.float64], n_classes: int) -> Relation:
    numbers = as_numbers(values)
    groups = strength.groups_of(values)
    by_groups = strength.by_groups(groups, y, n_classes)
    codes = few(groups, n_classes, len(y))
    best = Relation(by_groups, "plain", "tells the answers apart", values, codes)
    if numbers is not None:
        there = ~np.isnan(numbers)
        if there.sum() >= max(_FEWEST, 0.5 * len(there)):
            x = numbers[there]
            ordered = strength.monotone(x, y[there], n_classes)
            near = strength.by_neighbours(x, y[there], n_classes)
            if n_classes > 2:
                ordered = replace(ordered, power=ordered.power if ordered.power > 0.97 else 0.0)
            if there.mean() < 1:
                ordered, near = (replace(part, power=part.power) for part in (ordered, near))
            for part, words in ((ordered, "rises or falls with the answers"), (near, "has near values for near answers")):
                if part.power > best.power + (0.0 if codes else -0.2) and part.digits > 1:
                    best = Relation(part, "plain", words, values, True)
    return best


def _hidden(values: Texts, y: NDArray[np.float64], n_classes: int) -> Relation:
    best = NOTHING
    if len(values) > _MOST_DERIVED:
        taken = np.random.default_rng(0).choice(len(values), _MOST_DERIVED, replace=False)
        values, y = values[taken], y[taken]
    for what, found in derived(values, n_classes):
        groups = strength.groups_of(found)
        count = int(groups.max(initial=0)) + 1
        if count < 2 or count > 0.6 * len(values):
            continue
        codes = few(groups, n_classes, len(y))
        if not codes:
            continue
        measured = strength.by_groups(groups, y, n_classes)
        if measured.power > best.power:
            best = Relation(measured, "derived", f"tells the answers by {what}", found, codes)
    return best


def few(groups: NDArray[np.int64], n_classes: int, n: int) -> bool:
    """Whether there are so few groups that they may be a code of the answer."""
    count = int(groups.max(initial=0)) + 1
    return count <= (max(2 * n_classes + 2, 12) if n_classes else 40) and n >= 2.5 * count


def sequences(values: Texts, target: Target) -> Relation:
    """Whether the words of a value stand for the words of the answer, one by one, always the same for the same."""
    import math

    forward: dict[str, str] = {}
    backward: dict[str, str] = {}
    right = wrong = pairs = 0
    fits = 0
    for value, answer in zip(values, target.values, strict=True):
        left, other = (value or "").split(), (answer or "").split()
        if len(left) != len(other) or len(left) < 2:
            wrong += 1
            continue
        fits += 1
        for one, two in zip(left, other, strict=True):
            pairs += 1
            if forward.setdefault(one, two) == two and backward.setdefault(two, one) == one:
                right += 1
    n = len(values)
    if not pairs or fits < 0.7 * n or right < 0.95 * pairs:
        return NOTHING
    evidence = (pairs - len(forward)) * math.log10(max(len(backward), 2))
    power = fits / n * right / pairs
    return Relation(Strength(power, evidence, "sequence"), "plain", "has the sequences of the answers in other words", None, True, target.values.copy())


def purity(flags: NDArray[np.bool_], target: Target) -> Relation:
    """Whether all items with a mark have the same answer, which others do not all have."""
    n = int(flags.sum())
    if n < 2 or n == len(flags) or target.n_classes == 0 or len(target.classes) < 2:
        return NOTHING
    inside = target.plain[flags]
    names, counts = np.unique(inside.astype(str), return_counts=True)
    share = counts.max() / n
    base = float(np.mean(target.plain == names[counts.argmax()]))
    if share < 0.98 or base > 0.9:
        return NOTHING
    digits = strength.of_hits(int(counts.max()), n, base)
    covered = float(counts.max() / max(1, np.sum(target.plain == names[counts.argmax()])))
    marked = np.where(flags, "marked", "not marked").astype(object)
    return Relation(Strength(covered, digits, "pure"), "derived", f"is there for items only whose answer is {str(names[counts.argmax()])!r}", marked, True)
