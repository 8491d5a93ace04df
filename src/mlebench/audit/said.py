"""Columns that say the answers: as they are, in a code, a frame, another unit or other words."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np

from mlebench.audit import strength
from mlebench.audit.column_values import NOTHING, Relation, Values, few
from mlebench.audit.strength import Strength
from mlebench.audit.table import Numbers, Texts, is_missing, texts
from mlebench.audit.targets import Target, present

_MANY_CLASSES = 6  # whose numbers lie on one line by no chance
_FEWEST = 4
_FEWEST_EXACT, _SOME = 12, 1000  # numbers that can be exact; answers whose digits are counted
_NEARLY_STRAIGHT, _ALWAYS = 0.9999, 0.97
_EXACT, _FINE = 1e-6, 0.01  # of the spread of the answers: an error of computing, and the coarsest digit that tells
_MANY_EQUAL, _BEYOND_CHANCE = 0.5, 8.0  # power and digits of numbers that are the answers
_NEARLY_ALL = 0.9
_SIGN = re.compile(r"[^\w.]")
_NUMBERED = 10.0  # digits of evidence for numbers of many classes
_SOME_FRAMED = 8  # values that show what all of them begin and end with
_TOUCHING = r"[\w.+\-]*"  # what may be a part of an answer, and none of its frame


def verbatim(values: Values | Texts, target: Target) -> Relation:
    """Whether the values are the answers."""
    column = values if isinstance(values, Values) else Values(values)
    n = int(column.there.sum())
    if n < _FEWEST:
        return NOTHING
    same = (column.plain == target.plain) & column.there
    hits = int(same.sum())
    if not hits:
        return NOTHING
    names, answers = np.unique(target.plain[column.there].astype(str), return_counts=True)
    distinct, counts = np.unique(column.plain[column.there].astype(str), return_counts=True)
    shares = dict(zip(distinct.tolist(), counts.tolist(), strict=True))
    chance = (
        sum(count * shares.get(name, 0) for name, count in zip(names.tolist(), answers.tolist(), strict=True)) / n**2
    )
    floor = max(chance, float(answers.max()) / n if len(distinct) == 1 else chance)
    power = 0.0 if floor >= 1 else max(0.0, (hits / n - floor) / (1 - floor))
    digits = strength.of_hits(hits, n, max(chance, 1 / (10 * n))) if power else 0.0
    if target.n_classes:
        digits = min(digits, strength.arrangements(answers))
    spoken = np.where(same, target.values, column.texts)
    return Relation(Strength(power, digits, "equal"), "verbatim", "has the answers", None, True, spoken)


def without_signs(values: Texts, bare: Texts | None, target: Target) -> Relation:
    """Whether the values are the answers as names of files and addresses have them: other signs, or none."""
    if target.numbers is not None or not any(_SIGN.search(name) for name in target.classes):
        return NOTHING
    plain = Target(target.name, target.column, texts(_letters(value) for value in target.values))
    if len(plain.classes) < len(target.classes):
        return NOTHING
    last = texts(str(value).rpartition("/")[2] if value else None for value in values)  # of a path
    for written in (values, values if bare is None else bare, last):
        same = verbatim(texts(_letters(value) for value in written), plain)
        if same.power >= _NEARLY_ALL and same.strength.digits >= _BEYOND_CHANCE:
            said = {_letters(value): value for value in target.values}
            spoken = texts(said.get(_letters(value), value) for value in written)
            return replace(same, what="has the answers, written with other signs,", spoken=spoken)
    return NOTHING


def _letters(value: str | None) -> str:
    return "".join(character for character in (value or "").lower() if character.isalnum())


def encoded(column: Values, target: Target, ids: Texts) -> Relation:
    """Whether the values are the answers in one of the forms that programs write, such as a hash or base64."""
    found = target.encodings.decoded(column.texts, ids)
    if found is None:
        return NOTHING
    name, spoken = found
    checked = verbatim(texts(spoken), target)
    return replace(checked, what=f"has the answers in another form ({name})")


def unframed(values: Texts) -> Texts | None:
    """Values without what all of them begin and end with, as `label=` and a bracket; None where there is no frame."""
    known = [str(value) for value in values[present(values)]]
    if len(known) < _SOME_FRAMED:
        return None
    head = re.sub(_TOUCHING + r"\Z", "", _beginning(known))
    rests = [value[len(head) :] for value in known]
    tail = re.sub(r"\A" + _TOUCHING, "", _beginning([rest[::-1] for rest in rests])[::-1])
    if not head.strip() and not tail.strip():
        return None
    end = -len(tail) or None
    return texts(None if is_missing(value) else str(value)[len(head) : end] for value in values)


def _beginning(values: list[str]) -> str:
    """What all values begin with: what the first and the last of them in their order do."""
    first, last = min(values), max(values)
    shared = (place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(shared, min(len(first), len(last)))]


def renamed(column: Values, target: Target) -> Relation:
    """Whether each class has a value of its own: a code for it, or its number where there are many classes."""
    if not target.n_classes or not column.there.all():
        return NOTHING
    digits = strength.one_to_one(column.groups, strength.groups_of(target.plain))
    is_code = few(column.groups, target.n_classes, len(column))
    if not is_code and (alphabetic := _in_alphabet(column, target)) > max(digits, _NUMBERED):
        words = "has a number for each of the answers, in the order of the alphabet,"
        return Relation(Strength(1.0, alphabetic, "groups"), "code", words, column.texts)
    if not digits or not (is_code or (digits >= _NUMBERED and _are_numbers(column.numbers))):
        return NOTHING
    form = "groups" if is_code else "numbering"
    return Relation(Strength(1.0, digits, form), "code", "has one value for each of the answers", column.texts)


def _in_alphabet(column: Values, target: Target) -> float:
    """The digits of numbers that stand for classes in the order of their names, as programs number them; 0 if not so.

    Where hardly any class has two items this shows what groups cannot.
    """
    if target.numbers is not None or column.numbers is None or (column.numbers % 1 != 0).any():
        return 0.0
    pairs = set(zip(column.numbers.tolist(), target.plain.tolist(), strict=True))
    numbers, names = zip(*sorted(pairs), strict=True)
    if len(set(numbers)) < len(pairs) or list(names) != sorted(set(names)):
        return 0.0
    return math.lgamma(len(pairs) + 1) / math.log(10)


def _are_numbers(numbers: Numbers | None) -> bool:
    """Whether values are whole numbers without large gaps, as those are by which classes go."""
    if numbers is None or np.isnan(numbers).any() or (numbers % 1 != 0).any():
        return False
    return bool(np.ptp(numbers) < 2 * len(np.unique(numbers)))


def rescaled(column: Values, target: Target) -> Relation:
    """Whether numbers are the answers but for their last digit, or are so in another unit: a sum of rounded parts is.

    What rises with the answers may be a feature, however closely it does; what is exact knows them.
    """
    if target.numbers is None or column.numbers is None or 0 < target.n_classes < _MANY_CLASSES:
        return NOTHING
    there = ~np.isnan(column.numbers)
    if there.sum() < max(_FEWEST_EXACT, 0.5 * len(there)):
        return NOTHING
    x, y = column.numbers[there], target.numbers[there]
    spread = float(y.std())
    if not spread >= 1e-300 or float(x.std()) <= 1e-12 * float(np.abs(x).max()):
        return NOTHING
    r = float(np.corrcoef(x, y)[0, 1])
    tolerance = max(10.0 ** -_decimals(target.values[there]), _EXACT * spread) if abs(r) > _NEARLY_STRAIGHT else spread
    if target.n_classes:
        tolerance = _EXACT * spread  # a number for each class, such as seven times it
    if tolerance > _FINE * spread:
        return NOTHING
    slope = r * spread / float(x.std())
    lines = ((1.0, 0.0), (slope, float(y.mean() - slope * x.mean())))
    shares = [float(np.mean(np.abs(by * x + start - y) <= 1.01 * tolerance)) for by, start in lines]
    (by, start), share = lines[int(np.argmax(shares))], max(shares)
    if share < _ALWAYS:
        return NOTHING
    said = by * column.numbers + start
    if target.n_classes:
        spoken = texts(None if np.isnan(number) else int(number) for number in np.rint(said))
    else:
        spoken = texts(said)
    measured = Strength(share, strength.of_correlation(r, len(x)), "equal")
    return Relation(measured, "verbatim", "has the answers but for the last digit or the unit", None, True, spoken)


def _decimals(values: Texts) -> int:
    """How many digits behind the point numbers have."""
    plain = [str(value) for value in values[:_SOME]]
    return max((len(value.partition(".")[2]) for value in plain if "e" not in value.lower()), default=0)


def sequences(values: Texts, target: Target) -> Relation:
    """Whether the words of a value stand for the words of the answer, one by one, always the same for the same."""
    forward: dict[str, str] = {}
    backward: dict[str, str] = {}
    right = pairs = fits = 0
    for value, answer in zip(values, target.values, strict=True):
        left, other = (value or "").split(), (answer or "").split()
        if len(left) != len(other) or len(left) < 2:
            continue
        fits += 1
        for one, two in zip(left, other, strict=True):
            pairs += 1
            right += forward.setdefault(one, two) == two and backward.setdefault(two, one) == one
    n = len(values)
    if not pairs or fits < 0.7 * n or right < 0.95 * pairs:
        return NOTHING
    evidence = (pairs - len(forward)) * math.log10(max(len(backward), 2))
    power = fits / n * right / pairs
    words = "has the sequences of the answers in other words"
    return Relation(Strength(power, evidence, "sequence"), "plain", words, None, True, target.values.copy())
