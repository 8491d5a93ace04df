"""The items of train with their labels: in a table that has them, or in folders that are called like classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.entries import Entry
from mlebench.audit.item_files import side_of
from mlebench.audit.numbered import rows_by_numbers
from mlebench.audit.table import Table, Texts, as_numbers, canonical, texts
from mlebench.audit.targets import ENDING, MOST_ITEMS, Items, Target, Task, plain_key
from mlebench.audit.train_labels import by_column, given_columns, listed, renamed, words_in_names

_FEWEST = 8  # items without which there is no train
_SOME = 20  # ids that show whether they are numbers
_WITH_FEATURES = 2.0  # labels beside the features are worth so many times as many that are alone
_HARDLY_ONCE = 0.8  # of the ids are distinct, where some items stand in a table twice
_SHAPED = 2000  # values whose forms are looked at
_FEW_FORMS = 20  # of ids, such as eight digits and a word of three letters
_NAMED = 4.0  # labels that are called as in the answers are worth so many times as many that are not


def find_train(
    task: Task, tables: Sequence[Table], entries: Sequence[Entry]
) -> tuple[Items | None, Table | None, NDArray[np.int64] | None]:
    """The items of train with their labels: from the table that has them, or from the folders that files are in.

    Labels that are called as in the answers come first, then those of folders, then those of another name or form.
    """
    tables = [table for table in tables if not table.is_artifact and len(table) >= _FEWEST]
    others = [table for table in tables if not _has_numbers_of_rows(table, task)]
    if len(others) < len(tables):
        # Answers by the number of their row look like labels of other items: they are train only for want of another.
        found = _found_in(task, others, entries)
        if found[0] is not None:
            return found
    return _found_in(task, tables, entries)


def _has_numbers_of_rows(table: Table, task: Task) -> bool:
    """Whether a table calls some of the items to predict by the numbers of their rows, where ids are something else."""
    if len(table) > task.test.size or any(_is_number(str(name)) for name in task.test.ids[:_SOME]):
        return False
    key = _key_column(table, task)
    if key is None or key in task.key_columns:
        return False
    alone = Table(table.where, {key: table.columns[key]})
    return any(True for whole in (False, True) for _ in rows_by_numbers(alone, task.test.size, is_whole=whole))


def _found_in(
    task: Task, tables: Sequence[Table], entries: Sequence[Entry]
) -> tuple[Items | None, Table | None, NDArray[np.int64] | None]:
    given = given_columns(tables, task.test.names)
    if (best := _largest(tables, lambda table: _labelled(table, task, _by_name(table, task)), given)) is not None:
        return best
    if (items := _by_folder(task, entries)) is not None:
        return items, None, None
    if (best := _largest(tables, lambda table: _in_other_form(table, task, given), given)) is not None:
        return best
    return _by_words(task, entries), None, None


def _largest(
    tables: Iterable[Table],
    read: Callable[[Table], tuple[Items, NDArray[np.int64]] | None],
    given: Collection[str],
) -> tuple[Items, Table, NDArray[np.int64]] | None:
    """The most items that a table has, one that is called train, or has what is given of the others, before others."""
    best: tuple[float, Items, Table, NDArray[np.int64]] | None = None
    for table in tables:
        if (labelled := read(table)) is not None:
            items, rows = labelled
            rank = items.size * (1.5 if side_of(table.where) == "train" else 1.0)
            rank *= _WITH_FEATURES if len(set(given) & set(table.columns)) > 1 else 1.0
            rank *= _NAMED if any(target.column in table.columns for target in items.targets) else 1.0
            if best is None or rank > best[0]:
                best = (rank, items, table, rows)
    return None if best is None else best[1:]


def _by_name(table: Table, task: Task) -> dict[str, Texts]:
    """The columns with labels, by target: those of the same name, or else the one with the classes."""
    targets = [target for target in task.test.targets if not target.is_derived]
    if not targets:
        return {}
    named = {
        target.name: table.columns[target.column or target.name]
        for target in targets
        if (target.column or target.name) in table.columns
    }
    for find in (_class_column, _class_of_columns):
        if not named:
            named = {target.name: values for target in targets[:1] if (values := find(table, target)) is not None}
    return named


def _in_other_form(table: Table, task: Task, given: Collection[str]) -> tuple[Items, NDArray[np.int64]] | None:
    """The same of a table whose labels have another name or form than the answers."""
    key = _key_column(table, task)
    if key is None:
        return None
    targets = [target for target in task.test.targets if not target.is_derived]
    asked = [str(name) for name in task.sample.columns if str(name) not in task.key_columns]
    if named := listed(table, targets, asked) or renamed(table, targets, given, key):
        return _labelled(table, task, named)
    if (turned := by_column(table, task, key)) is None:
        return None
    ids, rows, labels = turned
    return _items(task, ids, rows, {targets[0].name: labels})


def _labelled(table: Table, task: Task, named: dict[str, Texts]) -> tuple[Items, NDArray[np.int64]] | None:
    """The rows of a table that have a label and are not to be predicted, and which they are."""
    if not named or (key_column := _id_column(table, task, named)) is None:
        return None
    return _items(task, table.columns[key_column], np.arange(len(table)), named)


def _items(
    task: Task, ids: Texts, rows: NDArray[np.int64], named: dict[str, Texts]
) -> tuple[Items, NDArray[np.int64]] | None:
    keys = [plain_key(value) if value else "" for value in ids]
    outside = np.array([bool(key) and key not in task.test.names for key in keys])
    labelled = np.array([value is not None and value != "" for value in next(iter(named.values()))]) & outside
    places = np.flatnonzero(labelled)
    if len(places) < _FEWEST:
        return None
    if len(places) > MOST_ITEMS:
        places = np.sort(np.random.default_rng(1).choice(places, MOST_ITEMS, replace=False))
    targets = [target for target in task.test.targets if not target.is_derived]
    chosen: list[Target] = []
    for target in task.test.targets:
        if target.name in named:
            chosen.append(Target(target.name, target.column, texts(named[target.name][places])))
        elif target.is_derived and target.column in named:
            base = Target(target.column, target.column, texts(named[target.column][places]))
            common = next((other.classes[0] for other in targets if other.column == target.column), "")
            chosen.append(Target(target.name, target.column, texts(value == common for value in base.plain), True))
    names: dict[str, list[int]] = {}
    for number, place in enumerate(places):
        names.setdefault(keys[place], []).append(number)
    names.pop("", None)
    owned = {name: tuple(numbers) for name, numbers in names.items()}
    return Items(tuple(chosen), owned, len(places), ids[places], {}), rows[places]


def _class_column(table: Table, target: Target) -> Texts | None:
    if target.n_classes == 0 or target.n_classes > 2000 or len(table) < 20:
        return None
    classes = set(target.classes)
    for values in table.columns.values():
        seen = {canonical(value) for value in set(values[:5000])} - {None, ""}
        most = len(classes & seen) >= 0.8 * len(classes) or (seen <= classes and len(seen) >= 0.5 * len(classes))
        # Train may lack all classes but one; a word of which is the label, where a number may be anything.
        are_words = side_of(table.where) == "train" and seen <= classes and not any(_is_number(name) for name in seen)
        if are_words and seen and len(classes) > 2:
            return values
        if 2 <= len(seen) <= 5 * len(classes) + 5 and most and len(classes) > 2:
            return values
    return None


def _is_number(name: str | None) -> bool:
    return as_numbers(texts([name])) is not None


def _class_of_columns(table: Table, target: Target) -> Texts | None:
    """The class of each row where there is a column per class, and a one in that of the row."""
    if target.column is not None or not 2 < target.n_classes <= 2000:
        return None
    names = [name for name in table.columns if canonical(name) in set(target.classes)]
    if len(names) < 0.8 * target.n_classes:
        return None
    columns = [as_numbers(table.columns[name], enough=1.0) for name in names]
    if any(numbers is None for numbers in columns):
        return None
    matrix = np.nan_to_num(np.column_stack([numbers for numbers in columns if numbers is not None]))
    return texts(names[int(row.argmax())] if row.any() else None for row in matrix)


def names_beyond(task: Task, train: Items | None, table: Table | None) -> frozenset[str]:
    """The names of items of either side that are not looked at, where there are too many."""
    columns = []
    if len(task.sample) > task.test.size and len(task.key_columns) == 1:
        columns.append(texts(task.sample[task.key_columns[0]]))
    if train is not None and table is not None and len(table) > train.size:
        columns += [table.columns[key] for key in (_id_column(table, task, _by_name(table, task)),) if key]
    names = {plain_key(value) for values in columns for value in values if value}
    return frozenset(names - task.test.names.keys() - (train.names.keys() if train is not None else set()))


def _key_column(table: Table, task: Task) -> str | None:
    if task.key_columns and task.key_columns[0] in table.columns:
        return task.key_columns[0]
    unique = [
        name
        for name, values in table.columns.items()
        if len(set(values)) == len(values) and name not in ("value", "(value)")
    ]
    if len(unique) > 1:
        # Dates and numbers may differ from row to row as well as ids do, and seldom look like them.
        forms = {_form_of(name) for name in task.test.names}
        alike = [name for name in unique if _are_ids(table.columns[name][:_SHAPED], forms)]
        unique = alike or unique
    return next(iter(unique or table.columns), None)


def _id_column(table: Table, task: Task, named: dict[str, Texts]) -> str | None:
    """The column with the ids, which is not one of those with labels."""
    found = _key_column(table, task)
    if found is None or all(values is not table.columns[found] for values in named.values()):
        return found
    if len(set(table.columns[found])) > _HARDLY_ONCE * len(table):
        return None  # a column of words or numbers is not both the ids and the labels
    return _nearly_unique(table, task)


def _nearly_unique(table: Table, task: Task) -> str | None:
    """The column with ids in the form of those to predict, where a few rows stand there twice and none is unique."""
    forms = {_form_of(name) for name in task.test.names}
    if len(forms) > _FEW_FORMS:
        return None
    counts = {name: len(set(values)) for name, values in table.columns.items() if _forms_of(values) <= forms}
    best = max(counts, key=lambda name: counts[name], default=None)
    return best if best is not None and counts[best] >= _HARDLY_ONCE * len(table) else None


def _are_ids(values: Texts, forms: set[str]) -> bool:
    """Whether values look like ids, and differ as the names that they stand for do: a path to 2019 is 2019."""
    names = [plain_key(value) for value in values if value]
    return {_form_of(name) for name in names} <= forms and len(set(names)) == len(names)


def _forms_of(values: Texts) -> set[str]:
    return {_form_of(plain_key(value)) for value in values[:_SHAPED] if value}


def _form_of(name: str) -> str:
    """An id without its letters and digits, but for how many there are of those together."""
    return re.sub(r"[^\W_]+", lambda found: str(len(found[0])), name)


def _by_folder(task: Task, entries: Sequence[Entry]) -> Items | None:
    """Files of train in folders that are called like the classes, or whose names begin like them."""
    for target in task.test.targets:
        if target.is_derived or not target.n_classes:
            continue
        classes = set(target.classes)
        files, labels = [], []
        for entry in entries:
            if side_of(entry.name) == "test":
                continue
            parts = entry.name.split("/")
            label = next((canonical(part) for part in reversed(parts[:-1]) if canonical(part) in classes), None)
            if label is None and side_of(entry.name) == "train":
                pieces = re.split(r"[._\-]", parts[-1].rsplit(".", 1)[0])
                first, last = canonical(pieces[0]), canonical(pieces[-1])
                label = (
                    first
                    if first in classes and not str(first).isdecimal()
                    else last
                    if last in classes and len(pieces) > 1
                    else None
                )
            if label is not None:
                files.append(parts[-1])
                labels.append(label)
        if len(files) >= _FEWEST and len(set(labels)) > 1:
            return _of_files(task, target, files, labels)
    return None


def _by_words(task: Task, entries: Sequence[Entry]) -> Items | None:
    """Files of train whose names have a word for each class, which the answers number."""
    for target in task.test.targets:
        if not target.is_derived and (found := words_in_names(target, entries)):
            return _of_files(task, target, list(found), list(found.values()))
    return None


def _of_files(task: Task, target: Target, files: Sequence[str], labels: Sequence[str | None]) -> Items:
    """Items that are files, with ids in the form that those of test have: with an ending, where these have one."""
    files = files[:MOST_ITEMS]
    names: dict[str, list[int]] = {}
    for number, file in enumerate(files):
        names.setdefault(plain_key(file), []).append(number)
    have_endings = float(np.mean([bool(ENDING.search(str(name))) for name in task.test.ids])) > 0.5
    ids = texts(file if have_endings else ENDING.sub("", file) for file in files)
    train = Target(target.name, target.column, texts(labels[:MOST_ITEMS]))
    owned = {name: tuple(rows) for name, rows in names.items()}
    return Items((train,), owned, len(train.values), ids, {})
