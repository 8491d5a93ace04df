"""The strongest relation between a column and what is to be predicted, and what one would submit who knew it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mlebench.audit import strength
from mlebench.audit.encodings import Encodings
from mlebench.audit.strength import NONE, Strength
from mlebench.audit.table import Numbers, Texts, as_numbers, canonical_column, is_missing, texts
from mlebench.audit.targets import Target, present
from mlebench.audit.transforms import derived

_MOST_DERIVED = 4000  # rows from which hidden properties are read
_FEW_VALUES = 500
_MANY_CLASSES = 6  # whose numbers lie on one line by no chance
_FEWEST = 4
_FEWEST_EXACT, _SOME = 12, 1000  # numbers that can be exact; answers whose digits are counted
_NEARLY_STRAIGHT, _ALWAYS = 0.9999, 0.97
_WITHOUT_ERROR = 0.9995  # the power of an order that parts two classes
_EXACT, _FINE = 1e-6, 0.01  # of the spread of the answers: an error of computing, and the coarsest digit that tells
_MANY_EQUAL, _BEYOND_CHANCE = 0.5, 8.0  # power and digits of numbers that are the answers
_NEARLY_ALL = 0.9
_SIGN = re.compile(r"[^\w.]")
_NUMBERED = 10.0  # digits of evidence for numbers of many classes
_SOME_FRAMED = 8  # values that show what all of them begin and end with
_TOUCHING = r"[\w.+\-]*"  # what may be a part of an answer, and none of its frame
_DISTINCT = 0.9  # of the numbers of a list
_BY = "tells the answers by "
_ENCODINGS: dict[int, tuple[Target, Encodings]] = {}


@dataclass
class Values:
    """A column, with what is read off it once for all targets."""

    texts: Texts
    _hidden: dict[int, list[tuple[str, NDArray[np.object_], NDArray[np.int64]]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def plain(self) -> Texts:
        """The values in comparable form."""
        return canonical_column(self.texts)

    @cached_property
    def there(self) -> NDArray[np.bool_]:
        """Which values are there."""
        return present(self.texts)

    @cached_property
    def numbers(self) -> Numbers | None:
        """The values as numbers, where they are."""
        return as_numbers(self.texts)

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The group of equal values that each is in."""
        return strength.groups_of(self.texts)

    @cached_property
    def sample(self) -> NDArray[np.int64]:
        """The rows from which hidden properties are read."""
        if len(self.texts) <= _MOST_DERIVED:
            return np.arange(len(self.texts))
        return np.random.default_rng(0).choice(len(self.texts), _MOST_DERIVED, replace=False)

    def hidden(self, n_classes: int) -> list[tuple[str, NDArray[np.object_], NDArray[np.int64]]]:
        """(what it is, the values, their groups) of hidden properties that make few groups."""
        if n_classes not in self._hidden:
            found = []
            n = len(self.sample)
            for what, values in derived(self.texts[self.sample], n_classes):
                groups = strength.groups_of(values)
                if 2 <= int(groups.max(initial=0)) + 1 <= 0.6 * n:
                    found.append((what, values, groups))
            self._hidden[n_classes] = found
        return self._hidden[n_classes]


@dataclass(frozen=True)
class Relation:
    """How a column gives a target away. `tier` is how far-fetched the relation is, and so how much evidence it needs.

    `what` says how in words; `groups` are the values or properties that tell; `codes` whether they are few, as a code
    of the answer is, and not the groups that items come in.
    """

    strength: Strength
    tier: str  # "verbatim", "code", "plain" or "derived"
    what: str
    groups: NDArray[np.object_] | None = None
    codes: bool = True
    spoken: Texts | None = None  # the answers themselves, where the column says them

    @property
    def power(self) -> float:
        """The power of the prediction."""
        return self.strength.power


NOTHING = Relation(NONE, "plain", "")


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
    found.append(_encoded(column, target, ids))
    if found[-1].power > 0.97:
        return found[-1]
    if (bare := unframed(column.texts)) is not None:
        found.append(replace(verbatim(bare, target), what="has the answers, each in the same frame of words,"))
        if found[-1].power > 0.97:
            return found[-1]
    if (signless := _without_signs(column.texts, bare, target)).power:
        return signless
    numbers = column
    if bare is not None and column.numbers is None and (within := Values(bare)).numbers is not None:
        numbers = within
    if (found_exactly := _rescaled(numbers, target)).power:
        return found_exactly
    if (renamed := _renamed(column, target)).power:
        return renamed
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
    ranked = {"verbatim": 3, "code": 2, "plain": 1, "derived": 0}

    def order(relation: Relation) -> tuple[float, int]:
        return (round(relation.power, 2) if relation.strength.digits >= 2 else 0.0, ranked[relation.tier])

    return max(found, key=order)


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


def _without_signs(values: Texts, bare: Texts | None, target: Target) -> Relation:
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


def _encoded(column: Values, target: Target, ids: Texts) -> Relation:
    known = _ENCODINGS.get(id(target))
    if known is None or known[0] is not target:
        if len(_ENCODINGS) > 500:
            _ENCODINGS.clear()
        known = _ENCODINGS[id(target)] = (target, Encodings(target.values))
    found = known[1].decoded(column.texts, ids)
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


def _renamed(column: Values, target: Target) -> Relation:
    """Whether each class has a value of its own: a code for it, or its number where there are many classes."""
    if not target.n_classes or not column.there.all():
        return NOTHING
    digits = strength.one_to_one(column.groups, strength.groups_of(target.plain))
    is_code = few(column.groups, target.n_classes, len(column))
    if not digits or not (is_code or (digits >= _NUMBERED and _are_numbers(column.numbers))):
        return NOTHING
    form = "groups" if is_code else "numbering"
    return Relation(Strength(1.0, digits, form), "code", "has one value for each of the answers", column.texts)


def _are_numbers(numbers: Numbers | None) -> bool:
    """Whether values are whole numbers without large gaps, as those are by which classes go."""
    if numbers is None or np.isnan(numbers).any() or (numbers % 1 != 0).any():
        return False
    return bool(np.ptp(numbers) < 2 * len(np.unique(numbers)))


def _rescaled(column: Values, target: Target) -> Relation:
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


def few(groups: NDArray[np.int64], n_classes: int, n: int) -> bool:
    """Whether there are so few groups that they may be a code of the answer."""
    count = int(groups.max(initial=0)) + 1
    if n_classes:
        return count <= max(2 * n_classes + 2, 12) and n >= 2.5 * count
    return count <= 24 and n >= 6 * count


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
