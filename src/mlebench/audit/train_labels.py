"""Labels of train that go by another name or have another form than the answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.entries import Entry
from mlebench.audit.item_files import side_of
from mlebench.audit.table import Numbers, Table, Texts, as_numbers, canonical_column, is_missing, texts
from mlebench.audit.targets import Target, Task, plain_key

_SEPARATORS = ("_", "-", ":", "|", ".", " ")
_SEVERAL = re.compile(r"[,;|\s]+")
_WORD = re.compile(r"[A-Za-z]+")
_LABEL_WORDS = frozenset("label labels target targets class classes category answer answers outcome".split())
_MOST = 0.8  # of the values, which must be of the form looked for
_SHARED = 0.5  # of the answers, whose classes labels have
_LOOKED_AT = 2000  # values of a column, which are enough to know its form
_FEWEST = 10  # distinct numbers without which they are classes
_FEW_FILES = 3  # of a class
_MOST_CLASSES = 50


def renamed(table: Table, targets: Sequence[Target], given: Collection[str], key: str) -> dict[str, Texts]:
    """The column with the labels of the first target, by target: one that is not given for the items to predict.

    Of several that have the form of the answers the one is taken whose name says that it is a label.
    """
    if not targets or side_of(table.where) != "train":
        return {}
    target = targets[0]
    asked = _LABEL_WORDS | set(_words(target.name)) | set(_words(target.column or ""))
    is_called = {name: bool(asked & set(_words(name))) for name in table.columns}
    fitting = [
        name
        for name, values in table.columns.items()
        if name != key and name not in given and _has_the_form_of(target, values[:_LOOKED_AT], has_more=is_called[name])
    ]
    called = [name for name in fitting if is_called[name]]
    chosen = called or (fitting if len(fitting) == 1 else [])
    return {target.name: table.columns[chosen[0]]} if chosen else {}


def listed(table: Table, targets: Sequence[Target], asked: Collection[str]) -> dict[str, Texts]:
    """Whether items have each of the labels, where a column lists those of an item and answers have one for each."""
    if (
        len(targets) < 2
        or side_of(table.where) != "train"
        or any(set(target.classes) != {"0", "1"} for target in targets)
    ):
        return {}
    labels = {str(name).lower() for name in asked}
    for values in table.columns.values():
        lists = [set(_SEVERAL.split(value.lower().strip("[]() "))) if value else set() for value in values]
        some = [each for each in lists[:_LOOKED_AT] if each]
        if some and np.mean([len(each & labels) / len(each) for each in some]) > _MOST:
            names = ((target.name, str(target.column).lower()) for target in targets)
            return {name: texts(str(int(label in each)) for each in lists) for name, label in names}
    return {}


def by_column(table: Table, task: Task, key: str) -> tuple[Texts, NDArray[np.int64], Texts] | None:
    """(ids, their rows, labels) of a table with a column for each part of an item, where ids name part and whole."""
    targets = [target for target in task.test.targets if not target.is_derived]
    if len(targets) != 1 or side_of(table.where) != "train":
        return None
    ids = [str(name) for name in task.test.ids[:_LOOKED_AT]]
    for separator in _SEPARATORS:
        parts = Counter(name.rpartition(separator)[2] for name in ids if separator in name)
        wide = [name for name in parts if name in table.columns]
        if len(wide) < 2 or sum(parts[name] for name in wide) < _MOST * len(ids):
            continue
        rows = np.repeat(np.arange(len(table)), len(wide))
        names = texts(f"{whole}{separator}{part}" for whole in table.columns[key] for part in wide)
        return names, rows, np.column_stack([table.columns[part] for part in wide]).ravel()
    return None


def words_in_names(target: Target, entries: Iterable[Entry]) -> dict[str, str]:
    """Labels of files of train by name, where a word in each name stands for a class that has a number: cat.1.jpg.

    Classes are numbered in the order of their words, as everybody does.
    """
    numbers = sorted(target.classes)
    if not 2 <= len(numbers) <= _MOST_CLASSES or not all(name.isdecimal() for name in numbers):
        return {}
    for level in (-1, -2):
        found: dict[str, str] = {}
        for entry in entries:
            parts = entry.name.split("/")
            if side_of(entry.name) == "train" and len(parts) >= -level and (word := _WORD.match(parts[level])):
                found[plain_key(parts[-1])] = word.group().lower()
        count = Counter(found.values())
        if len(count) == len(numbers) and min(count.values()) >= _FEW_FILES:
            number_of = dict(zip(sorted(count), sorted(numbers, key=int), strict=True))
            return {name: number_of[word] for name, word in found.items()}
    return {}


def given_columns(tables: Iterable[Table], names: Mapping[str, tuple[int, ...]]) -> frozenset[str]:
    """The columns of tables of items to predict."""
    found: set[str] = set()
    for table in tables:
        if table.is_artifact or side_of(table.where) != "test":
            continue
        for values in table.columns.values():
            some = values[:200]
            if sum(bool(value) and plain_key(value) in names for value in some) > _MOST * len(some):
                found |= set(table.columns)
                break
    return frozenset(found)


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _has_the_form_of(target: Target, values: Texts, *, has_more: bool) -> bool:
    """Whether values may be labels; `has_more`: also of classes that none of a few items to predict has."""
    there = texts(value for value in values if not is_missing(value))
    if len(there) < _FEWEST:
        return False
    numbers = as_numbers(there)
    if target.n_classes == 0 and target.numbers is not None:
        return numbers is not None and len(set(numbers)) > _FEWEST and _overlap(numbers, target.numbers)
    if target.coded is not None:
        seen = Counter(canonical_column(there).tolist())
        known = set(target.classes)
        answered = float(np.mean([str(value) in seen for value in target.plain]))
        are_known = has_more or sum(seen[name] for name in known) > _MOST * len(there)
        if has_more and len(seen) > _SHARED * len(there):
            return False  # names, and no classes
        return len(seen) > 1 and are_known and answered > (_MOST if has_more else _SHARED)
    if numbers is not None:
        return False
    return abs(_digits(there) - _digits(target.values)) < 1 - _MOST


def _overlap(one: Numbers, other: Numbers) -> bool:
    """Whether the middle of each lies within the other."""
    return bool(
        np.nanmin(one) <= np.median(other) <= np.nanmax(one) and np.min(other) <= np.nanmedian(one) <= np.max(other)
    )


def _digits(values: Texts) -> float:
    """The share of digits, by which texts and lists of numbers are told apart."""
    written = "".join(str(value) for value in values if value)
    return sum(character.isdecimal() for character in written) / max(1, sum(not each.isspace() for each in written))
