"""Whether a column that tells answers is a leak: by its evidence, by what it is, and by what it tells in train."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.coincidences import is_told_by_rare_values, says_the_same
from mlebench.audit.column_values import NOTHING, Relation, Values, few
from mlebench.audit.finding import Severity
from mlebench.audit.honesty import are_groups_of_test, is_content, is_metadata, transferred, varies_slowly
from mlebench.audit.item_files import slot_of
from mlebench.audit.judging import CERTAIN, FEW_DIGITS, NEEDED, has_all_of_few, judge
from mlebench.audit.matching import Aligned
from mlebench.audit.relations import purity, relation, same_property
from mlebench.audit.said import verbatim
from mlebench.audit.strength import groups_of, is_of_order
from mlebench.audit.survey import Survey
from mlebench.audit.targets import Target, present

_KNOWN = 0.8  # the power of metadata that no honest data has, on both sides; and with more evidence:
_SOME_KNOWN, _MUCH_KNOWN, _CERTAINLY_KNOWN = 0.3, 0.6, 11.0
_MARKS, _AGREES = 4, 0.5  # classes; the power of a column that has the answers, but for mistakes, on both sides
_NONE = 0.1  # power
_NEARLY_ALL = 0.85  # power on both sides
_ALL, _MORE = 0.9, 0.2  # power of what tells nearly all, and by how much more than in train
_TAGS, _FEWEST_FILES = ("EXIF ", "metadata ", "comment", "DICOM (", "LIST "), 20  # of train, that show which it has
_SHORT = 4  # columns of a list of items
_LISTED = re.compile(r"\[\d+\]")  # an element of a list
_TELLING = ("label", "target", "class", "answer", "y", "score")  # what columns of answers are called


@dataclass(frozen=True)
class OnBothSides:
    """A column of the items to predict, and the one of train like it, where there is one."""

    test: Aligned
    train: Aligned | None

    @cached_property
    def values(self) -> Values:
        """What the column says of the items to predict."""
        return Values(self.test.values)

    @cached_property
    def train_values(self) -> Values | None:
        """What it says of items of train."""
        return None if self.train is None else Values(self.train.values)


class Verdicts:
    """Judges columns of one competition; targets of some items only are made once, since many columns have the same."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self._made: dict[tuple[int, bytes], Target] = {}

    def part(self, target: Target, items: NDArray[np.int64]) -> Target:
        """The target for some items."""
        if len(items) == len(target.values) and (items == np.arange(len(items))).all():
            return target
        key = (id(target), items.tobytes())
        if key not in self._made:
            if len(self._made) > 2000:
                self._made.clear()
            self._made[key] = target.part(items)
        return self._made[key]

    def of(
        self, sides: OnBothSides, target: Target, found: Relation, *, is_confirmation: bool = False
    ) -> tuple[Relation | None, Severity | None]:
        """(the same relation in train, the severity)."""
        if found.power < 0.25 or found.strength.digits < FEW_DIGITS:
            return None, None
        column, part = sides.test, self.part(target, sides.test.items)
        train, n_train = self.in_train(sides, target, found)
        if train is not None and varies_slowly(column, found, train, part):
            return train, None
        of_train = sides.train_values
        if train is not None and of_train is not None and are_groups_of_test(sides.values, of_train, found, part):
            return train, None
        severity = judge(
            found,
            len(column.items),
            train,
            n_train,
            has_train=self._labels(target) is not None,
            is_artifact=column.is_artifact,
            same_name=column.column.lower().strip() in (target.name.lower(), *_TELLING),
            at_most=NEEDED["verbatim"]
            if is_confirmation or self._is_of_a_short_list(sides, found)
            else self._needed_of_a_tag(sides, found),
        )
        if severity is None and self._is_odd(sides, target, found, train):
            severity = "suspicious"
        if severity == "leak" and self._is_only_another_mix(sides, target, found, train):
            severity = None
        if severity == "leak" and train is None and target.is_derived:
            severity = "suspicious"  # it tells a part of the answers, and there is nothing to compare it with
        return train, self._by_what_train_foretells(sides, target, found, train, severity)

    def in_train(self, sides: OnBothSides, target: Target, found: Relation) -> tuple[Relation | None, int]:
        """The same relation in train, and among how many items."""
        labels, other, values = self._labels(target), sides.train, sides.train_values
        if other is None or values is None or labels is None:
            return None, 0
        part = self.part(labels, other.items)
        if not part.varies or (part.n_classes == 0) != (target.n_classes == 0):
            return None, 0
        if found.strength.form == "pure":
            return by_presence(other, part), len(other.items)
        if found.strength.form != "equal" and verbatim(values, part).power >= CERTAIN:
            return None, 0  # the labels themselves: a submission that is nearly right is no feature
        known = same_property(values, found, part) if found.tier == "derived" else NOTHING
        if found.tier == "derived" and not is_content(other, 0.0):
            return known, len(other.items)
        assert self.survey.train is not None
        same = relation(values, part, self.survey.train.ids[other.items], in_train=True)
        return max(known, same, key=lambda measured: measured.power), len(other.items)

    def of_presence(
        self, sides: OnBothSides, target: Target, found: Relation
    ) -> tuple[Relation | None, Severity | None]:
        """(the same in train, the severity) of what is there for one answer alone.

        A list that is shorter is no gap where train has it, too.
        """
        train, _ = self.in_train(sides, target, found)
        digits = found.strength.digits + (train.strength.digits if train is not None else 0.0)
        if digits < 5.5 or found.strength.digits < 1:
            return train, None
        if train is not None and train.strength.form != "pure":
            return train, None if found.strength.digits < 7 else "leak" if found.power >= 0.2 else "suspicious"
        if train is not None and _LISTED.search(sides.test.column) is not None:
            return train, None
        return train, "leak" if train is not None or self.survey.train is not None else "suspicious"

    def _labels(self, target: Target) -> Target | None:
        return None if self.survey.train is None else self.survey.train.target(target.name)

    def _needed_of_a_tag(self, sides: OnBothSides, found: Relation) -> float:
        """The digits that a tag needs that all files to predict have and none of train: hardly ever are there two."""
        column = sides.test
        is_there = sides.train is not None and present(sides.train.values).any()
        if is_there or not column.is_artifact or not column.column.startswith(_TAGS):
            return math.inf
        files = [matched for matched in self.survey.tables_of_train(column.where) if matched.table.is_artifact]
        has_train = any(len(matched.items) >= _FEWEST_FILES for matched in files)
        if not has_train or not present(column.values).all():
            return math.inf
        return NEEDED["plain" if found.tier == "derived" else "verbatim"]

    def _is_of_a_short_list(self, sides: OnBothSides, found: Relation) -> bool:
        """Whether a code is in a table of few columns that lists the items to predict and no others.

        Of all that is public hardly anything has that form but answers, so that a dozen items need less evidence.
        """
        column = sides.test
        if found.tier != "code" or sides.train is not None or column.is_artifact or column.in_order:
            return False
        tables = (one for one in self.survey.matched_test if one.has_keys and one.table.where == column.where)
        return any(
            column.column in one.table.columns
            and len(one.table.columns) <= _SHORT
            and len(one.table) == len(one.items) == self.survey.test.size
            for one in tables
        )

    def _is_odd(self, sides: OnBothSides, target: Target, found: Relation, train: Relation | None) -> bool:
        """Whether somebody should look at a column that is no leak as such."""
        part = self.part(target, sides.test.items)
        if train is not None and (_is_a_second_opinion(found, train, part) or _tells_nearly_all(found, train, part)):
            return True
        is_foreign = train is None or sides.train is None or slot_of(sides.train.where) != slot_of(sides.test.where)
        is_unknown = is_foreign and (train is None or train.power < _NONE)
        return is_unknown and self._is_whole(sides.test, target) and has_all_of_few(found)

    def _is_whole(self, column: Aligned, target: Target) -> bool:
        """Whether a column says something of each item itself, and not by its place in a list."""
        return len(column.items) == self.survey.test.size and not column.in_order and not target.is_derived

    def _is_only_another_mix(self, sides: OnBothSides, target: Target, found: Relation, train: Relation | None) -> bool:
        """Whether values say what they say in train, and only occur more or less often."""
        labels, other, of_train = self._labels(target), sides.train, sides.train_values
        is_feature = train is not None and found.tier != "verbatim" and found.power > train.power
        if not is_feature or other is None or of_train is None or labels is None:
            return False
        part, known_labels = self.part(target, sides.test.items), self.part(labels, other.items)
        is_same = says_the_same(sides.values, of_train, part, known_labels)
        return is_same or is_told_by_rare_values(sides.values, of_train, found, part, known_labels)

    def _by_what_train_foretells(
        self,
        sides: OnBothSides,
        target: Target,
        found: Relation,
        train: Relation | None,
        severity: Severity | None,
    ) -> Severity | None:
        """The severity of what tells as much in train: what counts is what one knows about test who knows train."""
        if train is None or min(train.power, found.power) < _SOME_KNOWN or found.strength.form == "equal":
            return severity
        labels, other, of_train = self._labels(target), sides.train, sides.train_values
        if labels is None or other is None or of_train is None:
            return severity
        part = self.part(target, sides.test.items)
        is_order = sides.test.column in ("order", "(order of rows)")
        known = transferred(sides.values, of_train, found, part, self.part(labels, other.items), is_order=is_order)
        if severity != "leak" and is_metadata(self.survey, sides.test, found, part):
            is_strong = min(train.power, found.power) >= _KNOWN and known >= _KNOWN - 0.1
            needed = NEEDED[found.tier] if is_strong else _CERTAINLY_KNOWN
            # A small test shows little, but what tells all labels of train as well is no chance.
            are_certain = min(train.power, found.power) >= CERTAIN
            digits = found.strength.digits + (train.strength.digits if are_certain else 0.0)
            if digits >= needed and known >= _SOME_KNOWN:
                return "leak" if known >= _MUCH_KNOWN else "suspicious"
        elif severity == "leak" and min(train.power, found.power) >= _KNOWN > 2 * known and found.tier != "verbatim":
            return None  # groups, each with an answer of its own
        return severity


def by_presence(column: Aligned, target: Target) -> Relation:
    """What it tells that a column has a value, or has none."""
    there = present(column.values)
    one, other = purity(there, target), purity(~there, target)
    return one if one.strength.digits >= other.strength.digits else other


def drifts(sides: OnBothSides, found: Relation, train: Relation, target: Target) -> bool:
    """Whether a column that tells more than in train, but not all, only changes slowly along the rows, like answers."""
    column, view = sides.test, sides.values
    is_near = target.n_classes == 0 and found.strength.form == "neighbours"  # as along a track
    if (found.power >= _ALL and not is_near) or found.power - train.power < _MORE or target.coded is None:
        return False
    if column.column in ("(order of rows)", "order") or column.column.startswith("(class"):
        return False
    codes = view.groups
    if found.groups is not None and len(found.groups) == len(view) and found.tier == "derived":
        codes = groups_of(found.groups)
    elif view.numbers is not None and not few(codes, target.n_classes, len(codes)):
        numbers = np.nan_to_num(view.numbers)
        codes = np.searchsorted(np.quantile(numbers, np.linspace(0, 1, 9)[1:-1]), numbers).astype(np.int64)
    if not few(codes, target.n_classes, len(codes)):
        return False
    return is_of_order(codes, target.coded, target.n_classes)


def is_beyond_search(found: Relation) -> bool:
    """Whether evidence is enough for one of very many properties that were tried."""
    return found.strength.digits >= NEEDED["derived"]


def _is_a_second_opinion(found: Relation, train: Relation, target: Target) -> bool:
    """Whether a column says what the answers say, in their words, more often than not, such as another rater's mark.

    A feature may have the values of two classes or three by chance, and seldom those of more.
    """
    both = (found, train)
    return (
        target.n_classes >= _MARKS
        and all(one.strength.form == "equal" and one.tier == "verbatim" and one.power >= _AGREES for one in both)
        and is_beyond_search(found)
    )


def _tells_nearly_all(found: Relation, train: Relation, target: Target) -> bool:
    """Whether a code tells nearly all classes on both sides: if one knows it when one predicts is not in the data."""
    both = (found, train)
    is_code = target.n_classes > 0 and found.codes and all(one.strength.form == "groups" for one in both)
    digits = sum(one.strength.digits for one in both)
    is_shown = found.strength.digits >= NEEDED["plain"] and digits >= NEEDED["plain"] + NEEDED["derived"]
    return is_code and is_shown and min(one.power for one in both) >= _NEARLY_ALL
