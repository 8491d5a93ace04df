"""Whether a relation is a leak: by how strong it is among what is to be predicted, and in train."""

from __future__ import annotations

import math

from mlebench.audit.column_values import Relation
from mlebench.audit.evidence import Evidence
from mlebench.audit.finding import Severity
from mlebench.audit.strength import Strength

# Digits of evidence that a relation needs, by how many such relations are tried.
NEEDED = {"verbatim": 3.0, "code": 4.0, "plain": 5.0, "derived": 7.0}
CERTAIN = 0.985  # the power of what knows, and does not guess
_SOME = 0.15  # the power of a column that has some of the answers
_BEYOND_DOUBT, _FEW_CLASSES = 6.0, 5  # digits; a mark is one property of a column, and not the best of many
_NEW = 0.4  # the power of a code that tells much more than in train
_MORE = 0.2  # of the power, and
_STRONGER = 4.5  # standard deviations by which test must exceed train
_CANNOT_BE_CHANCE = 9.0  # digits of the best of many properties of many columns
_TIMES = 6.0  # how many times the evidence per item in train that in test must be
_SHOWN_IN_TRAIN = 5.0  # digits that train would have if the dependence was there, too
FEW_DIGITS = 0.9  # what a small test must show where all labels of train are right, too
_OF_BOTH = 7.0  # digits of both sides together
_ODD = 2.0  # digits that all answers of a small test have where there is no train to compare them with


def judge(
    test: Relation,
    n_test: int,
    train: Relation | None,
    n_train: int,
    *,
    has_train: bool,
    is_artifact: bool,
    same_name: bool,
    at_most: float = math.inf,
) -> Severity | None:
    """The severity of a relation among the items to predict, given the same one in train (None where there is none).

    `at_most` so many digits are needed, as for a confirmation by few observations of what many items show.
    """
    needed = 1.5 if same_name and test.tier == "verbatim" else NEEDED[test.tier]
    if test.tier == "code" and (is_artifact or train is not None):
        needed = NEEDED["plain"]  # of many properties one may be so; a feature may part the classes of a small test
        if test.strength.form == "numbering" and train is not None:
            return None  # groups that items come in, each of one class
    needed = min(needed, at_most)
    digits, power = test.strength.digits, test.power
    if train is not None and _are_labels(test, train):
        needed = min(needed, FEW_DIGITS)
    if digits < needed:
        return None
    if train is not None and n_train >= 8:
        if train.strength.form == test.strength.form == "equal" and train.power >= CERTAIN and power >= _SOME:
            return "leak"  # this is the column of the labels
        if tells_more(power, n_test, train.strength, n_train):
            # Groups that items come in may share answers by chance; without a known answer they tell nothing.
            return "leak" if power >= (_NEW if test.codes else 0.9) else "suspicious"
        certain = 0.97 if test.tier == "verbatim" else CERTAIN
        if power >= certain and train.power >= certain - 0.02:
            return "leak" if test.codes else "note"
        if is_artifact and power >= 0.93 and train.power >= 0.9 and test.codes:
            return "suspicious"
        return None
    if test.strength.form == "equal" and digits >= 6 and power >= _SOME:
        return "leak"
    if not test.codes:
        return "suspicious" if power >= 0.8 else None
    if has_train:
        return "leak" if power >= (0.85 if is_artifact else 0.6) else "suspicious" if power >= 0.3 else None
    return "leak" if power >= 0.9 else "suspicious" if power >= 0.5 else None


def tells_more(power: float, n_test: int, train: Strength, n_train: int) -> bool:
    """Whether what tells so much in test tells clearly less in train."""
    stronger = difference(power, n_test, train.power, n_train, train.spread) >= _STRONGER
    return power - train.power >= _MORE and stronger


def _are_labels(test: Relation, train: Relation) -> bool:
    """Whether a column has all labels of train and all answers: in a small test chance gives the latter alone."""
    both = (test, train)
    are_equal = all(one.strength.form == "equal" and one.power >= CERTAIN for one in both)
    return are_equal and sum(one.strength.digits for one in both) >= _OF_BOTH


def has_all_of_few(found: Relation) -> bool:
    """Whether values are the answers without a mistake, though there are too few of them to be sure."""
    is_told = found.tier == "verbatim" and found.strength.form == "equal"
    return is_told and found.power >= 1 and found.strength.digits >= _ODD


def judge_mark(digits: float, in_train: float | None, n_classes: int) -> Severity | None:
    """The severity of what has no honest reason to depend on the answers, given the evidence in test and in train."""
    needed = (
        _BEYOND_DOUBT if n_classes <= _FEW_CLASSES else _BEYOND_DOUBT + 3
    )  # evidence is rough where counts are small
    if digits < needed or (in_train is not None and in_train > NEEDED["verbatim"]):
        return None
    return "leak"


def judge_dependence(test: Evidence, in_train: Evidence | None, n_classes: int, *, is_foreign: bool) -> Severity | None:
    """The severity of a dependence that tells little: beyond chance in test, and hardly there in train.

    Where train has no such column, only one counts that is foreign to a table that train has, too.
    """
    needed = _CANNOT_BE_CHANCE if n_classes <= _FEW_CLASSES else _CANNOT_BE_CHANCE + 3
    if test.digits < needed:
        return None
    if in_train is None:
        return "leak" if is_foreign else None
    expected = in_train.per_item * test.count
    # How large the effect is by each side; that of train is rough where few items are labelled.
    effect, known = (math.sqrt(2 * math.log(10) * one.per_item) for one in (test, in_train))
    deviations = (effect - known) / math.sqrt(1 / test.count + 1 / max(in_train.count, 1))
    could_be_seen = test.per_item * in_train.count >= _SHOWN_IN_TRAIN
    return "leak" if could_be_seen and test.digits >= _TIMES * expected and deviations >= _STRONGER else None


def difference(one: float, n: int, other: float, m: int, spread: float | None = None) -> float:
    """By how many standard deviations one power is larger; without the spread of the other they are correlations."""
    if spread:
        return (one - other) / (spread * math.sqrt(1 / n + 1 / m))
    bounded = [min(max(value, 0.0), 0.9999) for value in (one, other)]
    spread = math.sqrt(1 / max(n - 3, 1) + 1 / max(m - 3, 1))
    return (math.atanh(bounded[0]) - math.atanh(bounded[1])) / spread
