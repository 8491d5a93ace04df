"""The items of train with their labels: in a table that has them, or in folders that are called like classes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.entries import Entry
from mlebench.audit.item_files import side_of
from mlebench.audit.table import Table, Texts, as_numbers, canonical, texts
from mlebench.audit.targets import MOST_ITEMS, Items, Target, Task, plain_key


def find_train(
    task: Task, tables: Sequence[Table], entries: Sequence[Entry]
) -> tuple[Items | None, Table | None, NDArray[np.int64] | None]:
    """The items of train with their labels: from the table that has them, or from the folders that files are in."""
    best: tuple[float, Items, Table, NDArray[np.int64]] | None = None
    for table in tables:
        if table.is_artifact or len(table) < 8:
            continue
        if (labelled := _labelled(table, task)) is not None:
            items, rows = labelled
            rank = items.size * (1.5 if side_of(table.where) == "train" else 1.0)
            if best is None or rank > best[0]:
                best = (rank, items, table, rows)
    if best is not None:
        return best[1], best[2], best[3]
    return _by_folder(task, entries), None, None


def _labelled(table: Table, task: Task) -> tuple[Items, NDArray[np.int64]] | None:
    targets = [target for target in task.test.targets if not target.is_derived]
    if not targets:
        return None
    named = {
        target.name: table.columns[target.column or target.name]
        for target in targets
        if (target.column or target.name) in table.columns
    }
    if not named:
        named = {target.name: values for target in targets[:1] if (values := _class_column(table, target)) is not None}
    if not named:
        named = {
            target.name: values for target in targets[:1] if (values := _class_of_columns(table, target)) is not None
        }
    if not named:
        return None
    key_column = _key_column(table, task)
    if key_column is None:
        return None
    keys = [plain_key(value) if value else "" for value in table.columns[key_column]]
    outside = np.array([bool(key) and key not in task.test.names for key in keys])
    labelled = np.array([value is not None and value != "" for value in next(iter(named.values()))]) & outside
    rows = np.flatnonzero(labelled)
    if len(rows) < 8:
        return None
    if len(rows) > MOST_ITEMS:
        rows = np.sort(np.random.default_rng(1).choice(rows, MOST_ITEMS, replace=False))
    chosen: list[Target] = []
    for target in task.test.targets:
        if target.name in named:
            chosen.append(Target(target.name, target.column, texts(named[target.name][rows])))
        elif target.is_derived and target.column in named:
            base = Target(target.column, target.column, texts(named[target.column][rows]))
            common = next((other.classes[0] for other in targets if other.column == target.column), "")
            chosen.append(Target(target.name, target.column, texts(value == common for value in base.plain), True))
    names: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        names.setdefault(keys[row], []).append(number)
    names.pop("", None)
    ids = table.columns[key_column][rows]
    return Items(tuple(chosen), {name: tuple(places) for name, places in names.items()}, len(rows), ids, {}), rows


def _class_column(table: Table, target: Target) -> Texts | None:
    if target.n_classes == 0 or target.n_classes > 2000 or len(table) < 20:
        return None
    classes = set(target.classes)
    for values in table.columns.values():
        seen = {canonical(value) for value in set(values[:5000])} - {None, ""}
        most = len(classes & seen) >= 0.8 * len(classes) or (seen <= classes and len(seen) >= 0.5 * len(classes))
        if 2 <= len(seen) <= 5 * len(classes) + 5 and most and len(classes) > 2:
            return values
    return None


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


def _key_column(table: Table, task: Task) -> str | None:
    if task.key_columns and task.key_columns[0] in table.columns:
        return task.key_columns[0]
    for name, values in table.columns.items():
        if len(set(values)) == len(values) and name not in ("value", "(value)"):
            return name
    return next(iter(table.columns), None)


def _by_folder(task: Task, entries: Sequence[Entry]) -> Items | None:
    """Files of train in folders that are called like the classes, or whose names begin like them."""
    for target in task.test.targets:
        if target.is_derived or not target.n_classes:
            continue
        classes = set(target.classes)
        keys, labels = [], []
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
                    if first in classes and not str(first).isdigit()
                    else last
                    if last in classes and len(pieces) > 1
                    else None
                )
            if label is not None:
                keys.append(plain_key(parts[-1]))
                labels.append(label)
        if len(keys) >= 8 and len(set(labels)) > 1:
            names: dict[str, list[int]] = {}
            for number, key in enumerate(keys[:MOST_ITEMS]):
                names.setdefault(key, []).append(number)
            train = Target(target.name, target.column, texts(labels[:MOST_ITEMS]))
            return Items(
                (train,),
                {name: tuple(rows) for name, rows in names.items()},
                len(train.values),
                texts(keys[:MOST_ITEMS]),
                {},
            )
    return None
