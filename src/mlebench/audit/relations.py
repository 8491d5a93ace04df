"""The strongest relation between a column and what is to be predicted, and what one would submit who knew it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mlebench.audit import strength
from mlebench.audit.column_values import NOTHING, Relation, Values, few
from mlebench.audit.said import encoded, renamed, rescaled, sequences, unframed, verbatim, without_signs
from mlebench.audit.strength import NONE, Strength
from mlebench.audit.table import Numbers, Texts
from mlebench.audit.targets import Target
from mlebench.audit.transforms import derived

_FEW_VALUES = 500
_FEWEST = 4
_WITHOUT_ERROR = 0.9995  # the power of an order that parts two classes
_MANY_EQUAL, _BEYOND_CHANCE = 0.5, 8.0  # power and digits of numbers that are the answers
_DISTINCT = 0.9  # of the numbers of a list
_BY = "tells the answers by "
_SOME_SAID = 0.15  # the power of a column that has some of the answers


def relation(
    values: Values | Texts, target: Target, ids: Texts, *, thorough: bool = True, in_train: bool = False
) -> Relation:
    """The strongest relation of a column to a target, both for the same items.

    A number is judged by its neighbours rather than by its order, which flatters; in train, against which a column is
    measured, by the better of the two.
    """
    column = values if isinstance(values, Values) else Values(values)
    if len(column) < _FEWEST or len(target.classes) < 2:
        return NOTHING
    found = [verbatim(column, target)]
    if found[0].power > 0.97 or int(column.groups.max(initial=0)) < 1:
        return found[0]
    found.append(encoded(column, target, ids))
    if found[-1].power > 0.97:
        return found[-1]
    if (bare := unframed(column.texts)) is not None:
        found.append(replace(verbatim(bare, target), what="has the answers, each in the same frame of words,"))
        if found[-1].power > 0.97:
            return found[-1]
    if (signless := without_signs(column.texts, bare, target)).power:
        return signless
    numbers = column
    if bare is not None and column.numbers is None and (within := Values(bare)).numbers is not None:
        numbers = within
    if (found_exactly := rescaled(numbers, target)).power:
        return found_exactly
    if (in_code := renamed(column, target)).power:
        return in_code
    if target.n_classes == 0 and found[0].power >= _MANY_EQUAL and found[0].strength.digits >= _BEYOND_CHANCE:
        return found[0]  # numbers that are the answers, but for some, are not told by their neighbours
    y = target.coded
    if y is None:
        return _best([*found, sequences(column.texts, target)])
    found.append(_plain(numbers, y, target.n_classes, in_train=in_train, by_order=not thorough))
    if thorough and found[-1].power < 0.97:
        found.append(_hidden(column, y, target.n_classes))
    return _best(found)


def _best(found: list[Relation]) -> Relation:
    """The most powerful relation; but answers that are certainly there are not outdone by what may be chance."""
    ranked = {"verbatim": 3, "code": 2, "plain": 1, "derived": 0}
    said = found[0] if found[0].power >= _SOME_SAID and found[0].strength.digits >= _BEYOND_CHANCE else None

    def order(relation: Relation) -> tuple[float, int]:
        return (round(relation.power, 2) if relation.strength.digits >= 2 else 0.0, ranked[relation.tier])

    best = max(found, key=order)
    return said if said is not None and best.strength.digits < _BEYOND_CHANCE else best


def _plain(column: Values, y: Numbers, n_classes: int, *, in_train: bool, by_order: bool) -> Relation:
    """What a column tells as it is; `by_order`: or its order, where that makes no error and rows have no ids."""
    by_groups = strength.by_groups(column.groups, y, n_classes)
    codes = few(column.groups, n_classes, len(y))
    best = Relation(by_groups, "plain", "tells the answers apart", column.texts, codes)
    numbers = column.numbers
    if numbers is None:
        return best
    there = ~np.isnan(numbers)
    if there.sum() < max(_FEWEST, 0.5 * len(there)):
        return best
    x = numbers[there]
    ordered = strength.monotone(x, y[there], n_classes)
    near = strength.by_neighbours(x, y[there], n_classes)
    if n_classes > 2 and ordered.power <= 0.97:
        ordered = NONE  # the order of classes is that of their names: it means something only where it is complete
    parts = [(ordered, "rises or falls with the answers"), (near, "has near values for near answers")]
    are_parted = by_order and n_classes == 2 and ordered.power >= _WITHOUT_ERROR
    for part, words in parts[:1] if are_parted else parts:
        if part.power > best.power + (0.0 if codes or in_train else -0.2) and part.digits > 1:
            best = Relation(part, "plain", words, column.texts, True)
    return best


def in_blocks(values: Values, target: Target) -> Relation:
    """Whether each class is one block along numbers that hardly recur: neighbours err where blocks meet."""
    numbers = values.numbers
    if numbers is None or not target.n_classes or np.isnan(numbers).any():
        return NOTHING
    if int(values.groups.max(initial=0)) + 1 < _DISTINCT * len(numbers):
        return NOTHING
    classes = strength.groups_of(target.plain).astype(float)  # however many these are for so few items
    digits = strength.of_blocks(classes[np.argsort(numbers, kind="stable")])
    if not digits:
        return NOTHING
    return Relation(Strength(1.0, digits, "neighbours"), "plain", "has one block for each of the answers", values.texts)


def _hidden(column: Values, y: Numbers, n_classes: int) -> Relation:
    best = NOTHING
    y = y[column.sample]
    for what, values, groups in column.hidden(n_classes):
        if not few(groups, n_classes, len(y)):
            continue
        measured = strength.by_groups(groups, y, n_classes)
        if measured.power > best.power:
            best = Relation(measured, "derived", f"{_BY}{what}", values, True)
    return best


def property_of(values: Values, what: str) -> NDArray[np.object_] | None:
    """The hidden property that a relation names, of the sampled values, whatever the classes; None if there is none."""
    for properties in values._hidden.values():
        for name, found, _ in properties:
            if _BY + name == what:
                return found
    if len(values) <= _FEW_VALUES:  # of few items each may have a value of its own, and train the same ones
        return next((found for name, found in derived(values.texts, 0) if _BY + name == what), None)
    return None


def told_by(values: Values, found: Relation) -> tuple[NDArray[np.object_], NDArray[np.int64]] | None:
    """(the values by which a relation by groups tells, their rows: some of many); None where there are no such values.

    They are those of any number of classes.
    """
    if found.tier != "derived":
        return values.texts, np.arange(len(values))
    told = property_of(values, found.what)
    return None if told is None else (told, values.sample)


def same_property(values: Values, found: Relation, target: Target) -> Relation:
    """How well the property of values that tells the answers elsewhere tells them here."""
    y = target.coded
    if y is None or not found.what.startswith(_BY):
        return NOTHING
    for what, properties, groups in values.hidden(target.n_classes):
        if _BY + what == found.what:
            measured = strength.by_groups(groups, y[values.sample], target.n_classes)
            return Relation(measured, "derived", found.what, properties, True)
    return NOTHING


def purity(flags: NDArray[np.bool_], target: Target) -> Relation:
    """Whether all items with a mark have the same answer, which others do not all have."""
    n = int(flags.sum())
    if n < 2 or n == len(flags) or target.n_classes == 0 or len(target.classes) < 2:
        return NOTHING
    names, counts = np.unique(target.plain[flags].astype(str), return_counts=True)
    name = str(names[counts.argmax()])
    share = counts.max() / n
    base = float(np.mean(target.plain == name))
    if share < 0.98 or base > 0.9:
        return NOTHING
    digits = strength.of_hits(int(counts.max()), n, base)
    covered = float(counts.max() / max(1, np.sum(target.plain == name)))
    marked = np.where(flags, "marked", "not marked").astype(object)
    words = f"is there only for items whose answer is {name!r}"
    return Relation(Strength(covered, digits, "pure"), "derived", words, marked, True)
