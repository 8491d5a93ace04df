"""Rows, cells and contents that items to predict lack and those of train have: nobody can predict what is not there.

A cell or a file that is there may say nothing, too, where many items have the same one and hardly any two others do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from mlebench.audit.finding import Found
from mlebench.audit.hollow import hollow_files
from mlebench.audit.item_files import ItemFile, digest, side_of
from mlebench.audit.matching import Aligned, Matched
from mlebench.audit.moments import words_of
from mlebench.audit.sides import both_sides, columns_of_both
from mlebench.audit.strength import by_groups, groups_of, monotone, of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import as_numbers, is_missing
from mlebench.audit.targets import Items, plain_key

_MANY, _FEWEST = 0.08, 4  # items to predict that lack something
_ALL = (
    0.98  # of the items of train that have it, or of those to predict for which a column may not be meant to be there
)
_SOME = 0.05  # of the items, in a table that is meant for them
_DIGITS = 6.0
_OFTEN = 4  # times as often as in train
_RARE = 0.02  # the share of any other value of a column, or content, in which items differ
_DISTINCT = 0.5
_ALIKE = 0.6  # of the columns, in tables of items of the same kind
_OUTCOME = 0.5  # of the way to certainty: what tells as much of the answers is known with them, where test lacks it
_PARTS = {"fold", "folds", "kfold", "split", "subset"}
_MOST_READ = 300  # files that are compared


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for tables without rows, columns without values and files without a content of their own."""
    if survey.train is None:
        return
    yield from _rows(survey, survey.train)
    seen: set[tuple[str, str]] = set()
    for test, _, column, other in columns_of_both(survey):
        place = (test.table.where, column.column)
        if place not in seen and column.column in test.table.columns and not _is_answer(survey, column.column):
            seen.add(place)
            yield from _cells(survey.train, column, other)
    hollow = list(_hollow(survey))
    yield from hollow or _files(survey)


def _is_answer(survey: Survey, name: str) -> bool:
    return name in survey.task.sample.columns or any(name in (one.name, one.column) for one in survey.test.targets)


def _rows(survey: Survey, train_items: Items) -> Iterator[Found]:
    """Tables that have rows of practically all items of train, and not of all items to predict."""
    lacking: dict[str, tuple[int, float]] = {}
    labels = {target.name for target in survey.test.targets}
    for test, train in both_sides(survey):
        if test.table.sampled or train.table.sampled or len(train.table.columns) < 2:
            continue
        if test.table.where.endswith(".md"):
            continue  # an example of some rows
        if side_of(test.table.where) == "train" or test.table is survey.train_table:
            continue  # where both sides are numbered from one on, train has some of the numbers to predict
        if train.by not in (test.by, "its rows"):
            continue
        if test.table.where == train.table.where and test.table is not train.table:
            continue  # one of them is what stands around numbers that may be ids
        if _has_other_items(survey, test) or labels.intersection(test.table.columns):
            continue  # with labels it is no input, but a part of the answers
        had = _share(train, train_items)
        missing = survey.test.size - round(_share(test, survey.test) * survey.test.size)
        if had >= _ALL and survey.test.size - missing >= max(_FEWEST, _SOME * survey.test.size):
            # Where several columns may be the ids, the one that leads to most items is right.
            lacking[test.table.where] = min(lacking.get(test.table.where, (missing, had)), (missing, had))
    for where, (missing, had) in lacking.items():
        if missing >= max(_FEWEST, _MANY * survey.test.size):
            words = (
                f"{missing:,} of {survey.test.size:,} items to predict have no row in it, "
                f"but {had:.0%} of the items of train have one"
            )
            yield Found("missing_inputs", "suspicious", where, f"{words}.", rank=missing / survey.test.size)


def _has_other_items(survey: Survey, matched: Matched) -> bool:
    """Whether a table is matched by something that items share, such as a branch, and has items of its own."""
    if matched.by in survey.task.key_columns:
        return False
    mine = set(matched.table.columns)
    return any(
        other.by in survey.task.key_columns and len(mine & set(other.table.columns)) >= max(2, _ALIKE * len(mine))
        for other in survey.matched_test
        if other.has_keys and other.table is not matched.table
    )


def _share(matched: Matched, items: Items) -> float:
    """The share of the items that a table has; items that go by one name may be more than are matched."""
    values = matched.table.columns.get(matched.by)
    if values is None:
        return len(matched.items) / items.size
    names = {plain_key(value) for value in set(values.tolist()) if value}
    return len({row for name in names for row in items.names.get(name, ())}) / items.size


def _cells(train: Items, column: Aligned, other: Aligned) -> Iterator[Found]:
    """A column that is empty, or says the same, for many items to predict and hardly for any of train."""
    mine = ["" if is_missing(value) else str(value).strip() for value in column.values]
    theirs = ["" if is_missing(value) else str(value).strip() for value in other.values]
    for value in ("", _placeholder(mine, theirs)):
        if value is None:
            continue
        count, known = mine.count(value), theirs.count(value)
        share = count / max(len(mine), 1)
        if count < max(_FEWEST, _MANY * len(mine)) or not _is_new(count, len(mine), known, len(theirs)):
            continue
        if share < _ALL or not (value or _is_of_train_alone(train, other)):
            what = "has no value" if not value else f"is {value[:40]!r}"
            words = (
                f"It {what} for {count:,} of {len(mine):,} items to predict, "
                f"and for {known:,} of {len(theirs):,} of train"
            )
            yield Found("missing_inputs", "suspicious", f"{column.where}: {column.column}", f"{words}.", rank=share)


def _is_of_train_alone(train: Items, column: Aligned) -> bool:
    """Whether a column is for train by design: the part of an item, or what is known with the answer or by it."""
    if words_of(column.column) & _PARTS:
        return True
    numbers = as_numbers(column.values)
    for target in train.targets:
        answers = target.part(column.items)
        if answers.coded is None:
            continue
        told = by_groups(groups_of(column.values), answers.coded, answers.n_classes).power
        if numbers is not None and not np.isnan(numbers).any():
            told = max(told, monotone(numbers, answers.coded, answers.n_classes).power)
        if told >= _OUTCOME:
            return True
    return False


def _is_new(count: int, n: int, known: int, n_train: int) -> bool:
    """Whether so many items to predict have what so few of train have, beyond chance."""
    # Where all items to predict have it, those of train may be some other files, such as empty masks beside pictures.
    is_rare = known * n * (_OFTEN if count >= _ALL * n else 10) <= count * n_train
    return is_rare and of_hits(count, n, (known + 1) / (n_train + 2)) >= _DIGITS


def _placeholder(mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> str | None:
    """The one value that many items share where values are otherwise of one item each, in test as in train."""
    tested, trained = Counter(value for value in mine if value != ""), Counter(theirs)
    if len(tested) < 2 or not trained:
        return None
    (value, count), (_, next_count) = tested.most_common(2)
    few, few_known = max(2, _RARE * len(mine)), max(2, _RARE * len(theirs))
    rest = sum(tested.values()) - count
    differ = len(tested) - 1 >= _DISTINCT * rest and len(trained) >= _DISTINCT * len(theirs)
    if count > few and next_count <= few and trained.most_common(1)[0][1] <= few_known and rest >= _FEWEST and differ:
        return str(value)
    return None


def _hollow(survey: Survey) -> Iterator[Found]:
    """Files with nothing in them, for many items to predict and hardly for any of train."""
    for where, what, count, n, known, n_train in hollow_files(survey.matched_test, survey.matched_train):
        if count >= max(_FEWEST, _MANY * n) and _is_new(count, n, known, n_train):
            words = f"{count:,} of {n:,} files of items to predict {what}, and {known:,} of {n_train:,} of train"
            yield Found("missing_inputs", "suspicious", where, f"{words}.", rank=count / n)


def _files(survey: Survey) -> Iterator[Found]:
    """Files of many items to predict that have one and the same content, as no files of train do."""
    slots: dict[str, list[ItemFile]] = {}
    for file in survey.test_files:
        slots.setdefault(file.slot, []).append(file)
    for slot, files in slots.items():
        known = [file for file in survey.train_files if file.slot == slot]
        files, known = _some(files), _some(known)
        repeated = [file for file in _alike(files) if file.entry.size]
        if len(known) < 8 or len(repeated) < max(_FEWEST, _MANY * len(files)):
            continue
        if _is_new(len(repeated), len(files), len(_alike(known)), len(known)):
            words = (
                f"{len(repeated):,} of {len(files):,} files of items to predict have "
                f"the same content, and hardly any two of {len(known):,} of train"
            )
            share = len(repeated) / len(files)
            yield Found("missing_inputs", "suspicious", repeated[0].entry.name, f"{words}.", rank=share)


def _some(files: list[ItemFile]) -> list[ItemFile]:
    """One file of each item, and of many items some."""
    each = list({file.key: file for file in files}.values())
    if len(each) <= _MOST_READ:
        return each
    taken = np.random.default_rng(0).choice(len(each), _MOST_READ, replace=False)
    return [each[place] for place in np.sort(taken)]


def _alike(files: list[ItemFile]) -> list[ItemFile]:
    """The files with the content that most of them have; only those of a common size are read."""
    sizes = Counter(file.entry.size for file in files)
    by_content: dict[tuple[int, int], list[ItemFile]] = {}
    for file in files:
        is_common = sizes[file.entry.size] >= max(_FEWEST, _RARE * len(files))
        if is_common and (content := digest(file.entry)) is not None:
            by_content.setdefault((file.entry.size, content), []).append(file)
    return max(by_content.values(), key=len, default=[])
