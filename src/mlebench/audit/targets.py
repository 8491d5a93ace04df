"""What is to be predicted: the items, by which names they go, and their true values in comparable form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.encodings import Encodings
from mlebench.audit.table import Numbers, Texts, as_numbers, canonical, canonical_column, is_missing, texts

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.competition.local import LocalCompetition

_SEPARATORS = ("_", "-", ":", " ", ",", "")
MOST_ITEMS = 20_000  # items that are looked at; of more, a random sample
_MOST_TARGETS = 10
_CODE_CLASSES = 400
_MOST_NUMBERED = 30  # classes that numbers stand for in a small test
_FEWEST_COUNTS = 7  # different whole numbers that may be amounts
_FEWEST_MEASURED, _DISTINCT = 7, 0.7  # different values of what is measured, in all and as a share
_MOST_PARTS = 16
ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")


def plain_key(value: Any) -> str:
    """An id as it is compared: without folders, ending, leading zeros, case and a decimal point that says nothing."""
    text = str(value).strip().lower()
    if "\\" in text:
        text = text.rstrip("\\").rpartition("\\")[2]
    if "/" in text:
        text = text.rsplit("/", 1)[-1]
    if text.endswith(".0") and text[:-2].isdecimal():
        text = text[:-2]
    text = ENDING.sub("", text)
    return (text.lstrip("0") or "0") if text.isdecimal() else text


@dataclass(frozen=True)
class Target:
    """One thing to predict. `column` is that of the submission; None where several columns are one class together."""

    name: str
    column: str | None
    values: Texts
    is_derived: bool = False  # a property of the answer, such as its length, and not the answer
    is_amount: bool = False  # numbers to the grader, however few different ones there are

    @cached_property
    def plain(self) -> Texts:
        """The values, in comparable form."""
        return canonical_column(self.values)

    @cached_property
    def numbers(self) -> Numbers | None:
        """The values as numbers, where they are."""
        found = as_numbers(self.values, enough=1.0)
        return None if found is None or np.isnan(found).any() else found

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The distinct values, the most common first."""
        return tuple(str(name) for name, _ in Counter(self.plain).most_common())

    @cached_property
    def n_classes(self) -> int:
        """How many classes there are; 0 for numbers without classes."""
        if self.numbers is not None and (
            self.is_amount
            or len(self.classes) > max(_MOST_NUMBERED, 0.05 * len(self.values))
            or self._are_measured(self.numbers)
        ):
            return 0
        return len(self.classes)

    @cached_property
    def encodings(self) -> Encodings:
        """The answers in the forms that programs write, for all columns to be compared with."""
        return Encodings(self.values)

    def _are_measured(self, numbers: Numbers) -> bool:
        """Whether numbers have fractions and hardly ever repeat, however few there are."""
        return len(self.classes) > max(_FEWEST_MEASURED, _DISTINCT * len(self.values)) and bool(
            (numbers % 1 != 0).any()
        )

    @cached_property
    def coded(self) -> Numbers | None:
        """The values as numbers to predict: themselves, or that of their class; None for texts without classes."""
        if self.n_classes == 0:
            return self.numbers
        if self.n_classes == 2 or len(self.classes) <= min(_CODE_CLASSES, 0.34 * len(self.values)):
            place = {name: number for number, name in enumerate(sorted(self.classes))}
            return np.array([place[str(value)] for value in self.plain], dtype=float)
        return None

    @property
    def varies(self) -> bool:
        """Whether there is anything to predict."""
        return len(self.classes) > 1

    @cached_property
    def _parts(self) -> dict[bytes, Target]:
        return {}

    def part(self, items: NDArray[np.int64]) -> Target:
        """The same for some items only; most columns have the same ones, so that the last few parts are kept."""
        key = items.tobytes()
        if key not in self._parts:
            if len(self._parts) >= _MOST_PARTS:
                self._parts.pop(next(iter(self._parts)))
            made = Target(self.name, self.column, self.values[items], self.is_derived)
            vars(made)["plain"] = self.plain[items]  # what is known of the whole is not worked out again
            if self.numbers is not None:
                vars(made)["numbers"] = self.numbers[items]
                vars(made)["n_classes"] = len(made.classes) if self.n_classes else 0
            self._parts[key] = made
        return self._parts[key]


def agree_on_kind(one: Target, other: Target) -> None:
    """Make both sides of a target classes, or both numbers, where how many items they have makes them differ.

    What has fractions is measured; of whole numbers the side with more items tells how often each one recurs.
    """
    if one.numbers is None or other.numbers is None or (one.n_classes == 0) == (other.n_classes == 0):
        return
    larger = max(one, other, key=lambda side: len(side.values))
    sides = [side.numbers for side in (one, other) if side.numbers is not None]
    are_measured = one.is_amount or other.is_amount or any((numbers % 1 != 0).any() for numbers in sides)
    for side in (one, other):
        vars(side)["n_classes"] = 0 if are_measured or larger.n_classes == 0 else len(side.classes)


@dataclass(frozen=True)
class Items:
    """Things with names and targets: those to predict, or those of train. `names` maps each name to its rows."""

    targets: tuple[Target, ...]
    names: Mapping[str, tuple[int, ...]]
    size: int
    ids: Texts
    orders: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)

    def target(self, name: str) -> Target | None:
        """The target with a name."""
        return next((target for target in self.targets if target.name == name), None)


@dataclass(frozen=True)
class Task:
    """A prepared competition as the audit sees it."""

    competition: LocalCompetition
    sample: pd.DataFrame
    answers: Any
    key_columns: tuple[str, ...]
    rows: NDArray[np.int64]  # the rows of the sample submission that are looked at
    test: Items
    notes: tuple[str, ...] = ()
    further: tuple[Target, ...] = ()  # columns beyond the first few: looked for as they are, and not in disguise


def read_task(competition: LocalCompetition) -> Task:
    """The task of a prepared competition: sample submission and answers, paired row by row."""
    from mlebench.files.regular import is_regular
    from mlebench.files.tables import load_answers, read_csv

    sample = read_csv(competition.sample_submission)
    answers = load_answers(competition.answers)
    keys, paired, shown = *_paired(sample, answers), answers
    gold = competition.gold_submission
    if gold.suffix == ".csv" and gold != competition.answers and is_regular(gold):
        # What would score best, in the form of a submission: answers that leak may have that form.
        named, written = _paired(sample, perfect := read_csv(gold))
        if written is not None and any(
            as_numbers(texts(perfect[name])) is None for name in sample if name not in named and name in perfect
        ):
            keys, paired, shown = named, written, perfect
    count = len(sample)
    rows = np.arange(count)
    notes: list[str] = []
    if count > MOST_ITEMS:
        rows = np.sort(np.random.default_rng(0).choice(count, MOST_ITEMS, replace=False))
        notes.append(f"{MOST_ITEMS:,} of {count:,} rows to predict are looked at")
    ids = _ids(sample, keys).astype(object)[rows]
    targets = tuple(_targets(competition, sample, shown, paired, keys, rows))
    if paired is not None:
        are_counts = (
            _may_be_counts(one) and _near_counts(competition, sample, answers, paired, one) for one in targets
        )
        targets = tuple(replace(one, is_amount=is_so) for one, is_so in zip(targets, are_counts, strict=True))
    names: dict[str, list[int]] = {}
    for row, name in enumerate(ids):
        names.setdefault(plain_key(name), []).append(row)
    for separator in _SEPARATORS if len(keys) > 1 else ():
        for row, name in enumerate(ids):  # others write an id of several columns in one
            names.setdefault(plain_key(str(name).replace("|", separator)), [row])
    orders = {"the rows of the sample submission": np.arange(len(rows))}
    test = Items(targets, {name: tuple(found) for name, found in names.items()}, len(rows), texts(ids), orders)
    known = {target.column for target in targets}
    further: tuple[Target, ...] = ()
    if paired is not None and None not in known:
        asked = [str(name) for name in sample.columns if str(name) not in keys and str(name) in paired.columns]
        columns = (Target(name, name, texts(paired[name].iloc[rows])) for name in asked if name not in known)
        further = tuple(target for target in columns if target.varies)
    return Task(competition, sample, answers, keys, rows, test, tuple(notes), further)


def _ids(sample: pd.DataFrame, keys: tuple[str, ...]) -> NDArray[np.object_]:
    if not keys:
        return np.array([f"row {number}" for number in range(len(sample))], dtype=object)
    parts = [texts(sample[name]) for name in keys]
    return np.array(["|".join(str(part[row]) for part in parts) for row in range(len(sample))], dtype=object)


def _paired(sample: pd.DataFrame, answers: Any) -> tuple[tuple[str, ...], pd.DataFrame | None]:
    """(the columns that name a row, the answers in the order of the sample); None where they cannot be paired."""
    import pandas as pd

    named = [str(name) for name in sample.columns if not str(name).startswith("Unnamed: ")]
    if not isinstance(answers, pd.DataFrame):
        return (named[0],), None
    shared = [name for name in named if name in answers.columns]
    for keys in ([named[0]], shared[:2], shared[:3]):
        if not keys or any(key not in answers.columns for key in keys):
            continue
        if not sample.duplicated(subset=keys).any() and not answers.duplicated(subset=keys).any():
            left, right = (pd.Series(_ids(table, tuple(keys))) for table in (sample, answers))
            place = pd.Series(np.arange(len(answers)), index=right)
            found = place.reindex(left)
            if found.notna().mean() >= 0.9:
                taken = answers.iloc[found.fillna(0).astype(int).to_numpy()].reset_index(drop=True)
                if found.isna().any():
                    taken = taken.astype(object)
                    taken.loc[found.isna().to_numpy(), [name for name in taken.columns if name not in keys]] = None
                return tuple(keys), taken
    if len(answers) == len(sample):
        return (), answers.reset_index(drop=True)
    first = named[0]
    if first in answers.columns:  # several rows per item: the first stands for it
        once = answers.drop_duplicates(subset=first).set_index(answers.drop_duplicates(subset=first)[first].astype(str))
        if sample[first].astype(str).isin(once.index).mean() >= 0.9:
            return (first,), once.reindex(sample[first].astype(str)).reset_index(drop=True)
    return (first,), None


def _targets(
    competition: LocalCompetition,
    sample: pd.DataFrame,
    as_read: Any,
    answers: pd.DataFrame | None,
    keys: tuple[str, ...],
    rows: NDArray[np.int64],
) -> Iterable[Target]:
    if answers is None:
        return
    asked = [str(name) for name in sample.columns if str(name) not in keys and str(name) in answers.columns]
    if not asked:  # names differ, as `predicted` for `encoding`
        asked_sample = [str(name) for name in sample.columns if str(name) not in keys]
        others = [str(name) for name in answers.columns if str(name) not in keys]
        if asked_sample and others:
            name = _by_grader(competition, sample, as_read, answers, asked_sample[0], others)
            if name is not None:
                yield from _of_column(asked_sample[0], texts(answers[name].iloc[rows]), name)
        return
    columns = {name: texts(answers[name].iloc[rows]) for name in asked}
    constant = {name for name, values in columns.items() if len(set(values)) < 2}
    if len(asked) > 2 and (whole := _one_hot(columns)) is not None:
        target = Target("class", None, whole)
        if target.varies:
            yield target
        return
    # Where the sample repeats what is given (a text, a size), that is no answer.
    given = {name for name in asked if len(asked) > 1 and _same(texts(sample[name].iloc[rows]), columns[name])}
    asked = [name for name in asked if name not in constant and name not in given] or asked
    chosen = asked if len(asked) <= _MOST_TARGETS else _most_balanced(columns, asked)
    for name in chosen:
        yield from _of_column(name, columns[name], name)


def _by_grader(
    competition: LocalCompetition,
    sample: pd.DataFrame,
    as_read: Any,
    answers: pd.DataFrame,
    asked: str,
    others: list[str],
) -> str | None:
    """The column of the answers that scores best when it is submitted."""
    from mlebench.errors import MlebenchError

    best: tuple[float, str] | None = None
    sign = -1.0 if competition.declaration.better == "lower" else 1.0
    for name in others[:60]:
        try:
            tried = sample.assign(**{asked: answers[name].to_numpy()})
            score = sign * competition.grader.raw_score(tried, as_read.copy())
        except (MlebenchError, ValueError, TypeError):
            continue
        if best is None or score > best[0]:
            best = (score, name)
    return best[1] if best else None


def _may_be_counts(target: Target) -> bool:
    """Whether classes are so many whole numbers that they may be amounts."""
    return target.n_classes >= _FEWEST_COUNTS and target.numbers is not None and not (target.numbers % 1).any()


def _near_counts(
    competition: LocalCompetition, sample: pd.DataFrame, as_read: Any, paired: pd.DataFrame, target: Target
) -> bool:
    """Whether to the grader a number that is near is better than one that is far off."""
    from mlebench.errors import MlebenchError

    column = target.column
    numbers = as_numbers(texts(paired[target.name])) if target.name in paired and column in sample else None
    if column is None or numbers is None or np.isnan(numbers).any():
        return False
    rng = np.random.default_rng(0)
    is_wrong = rng.random(len(numbers)) < 0.5
    scores = []
    others = (numbers, numbers + 1, rng.permutation(numbers))
    for tried in (np.where(is_wrong, other, numbers) for other in others):
        written = tried.astype(np.int64) if (tried % 1 == 0).all() else tried
        try:
            scores.append(competition.grader.raw_score(sample.assign(**{column: written}), as_read.copy()))
        except (MlebenchError, ValueError, TypeError):
            return False
    right, near, far = scores
    return bool(abs(near - right) < 0.5 * abs(far - right))


def _same(one: Texts, other: Texts) -> bool:
    return bool(np.mean([canonical(a) == canonical(b) for a, b in zip(one, other, strict=True)]) > 0.999)


def _of_column(column: str, values: Texts, name: str) -> Iterable[Target]:
    target = Target(name, column, values)
    if target.varies:
        yield target
    if target.numbers is None and len(target.classes) > 0.3 * len(values):
        common = target.classes[0]
        is_common = target.plain.astype(str) == common  # as text: the most common answer may be that there is none
        if 0.02 < is_common.mean() < 0.98 and len(values) >= 8:
            shown = "empty" if is_missing(target.values[is_common.argmax()]) else repr(common[:20])
            yield Target(f"whether {name} is {shown}", column, texts(is_common.tolist()), is_derived=True)


def _one_hot(columns: Mapping[str, Texts]) -> Texts | None:
    """The class of each row where the columns are one class together."""
    names = list(columns)
    found = [as_numbers(values, enough=1.0) for values in columns.values()]
    if any(numbers is None for numbers in found):
        return None
    matrix = np.column_stack([numbers for numbers in found if numbers is not None])
    if np.isnan(matrix).any() or not np.isin(matrix, (0, 1)).all() or not (matrix.sum(axis=1) == 1).all():
        return None
    return texts(names[place] for place in matrix.argmax(axis=1))


def _most_balanced(columns: Mapping[str, Texts], asked: list[str]) -> list[str]:
    def balance(name: str) -> float:
        return Counter(columns[name]).most_common(1)[0][1]

    return sorted(asked, key=balance)[:_MOST_TARGETS]


def present(column: Texts) -> NDArray[np.bool_]:
    """Which values are there."""
    return np.array([not is_missing(value) for value in column], dtype=bool)
