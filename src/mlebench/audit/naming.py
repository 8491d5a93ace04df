"""Further names by which public files may call the items, and further orders in which they may list them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.encodings import names_in_other_forms
from mlebench.audit.item_files import ItemFile, side_of
from mlebench.audit.matching import with_names
from mlebench.audit.table import Table, Texts
from mlebench.audit.targets import MOST_ITEMS, Items, plain_key

if TYPE_CHECKING:
    from mlebench.audit.survey import Survey

_FEW_COLUMNS = 6
_FEW_ITEMS = 5000  # so few items are known by all forms of their names
_FEWEST_NAMED, _NAMED = 8, 0.1  # items that a table calls by another name, in all and as a share
_SHORTEST = 4  # characters of another form of a name: fewer are any number
_DATE = re.compile(r"^(19|20)\d\d[-/.]?[01]\d[-/.]?[0-3]\d$")


def names_of_copies(copies: Sequence[ItemFile], found: Survey) -> dict[str, tuple[int, ...]]:
    """What copies of the files of items are called: a list that says more of the copies says it of the items."""
    of_train = found.train.names if found.train is not None else {}
    named = {plain_key(file.entry.base): found.test.names[file.key] for file in copies}
    return {name: rows for name, rows in named.items() if name not in of_train}


def add_names(found: Survey, beyond: Container[str]) -> None:
    """Names by which tables with ids call the same items: of pictures, of recordings; and hashed ids.

    `beyond` are the names of items that are not looked at.
    """
    task = found.task
    if not task.key_columns:
        return
    key = task.key_columns[0]
    of_test, of_train = found.test.names, found.train.names if found.train is not None else {}
    for items, set_items, others in ((found.test, "test", of_train), (found.train, "train", of_test)):
        if items is None:
            continue
        further: dict[str, list[int]] = {}
        for row, name in enumerate(items.ids):
            for form in names_in_other_forms(name or "", all_forms=items.size <= _FEW_ITEMS):
                if len(plain_key(form)) < _SHORTEST or plain_key(form) in others or plain_key(form) in beyond:
                    continue  # 1000 written backwards is 1, and 1010 is 101, which is an item of the other side
                further.setdefault(plain_key(form), []).append(row)
        for table in found.tables:
            if table.is_artifact or len(table.columns) < 2 or len(table) > 5 * MOST_ITEMS:
                continue
            column = key if key in table.columns else column_of_ids(table, items)
            if column is None or side_of(table.where) not in (set_items, None):
                continue
            owners = [items.names.get(plain_key(value), ()) if value else () for value in table.columns[column]]
            if sum(bool(rows) for rows in owners) < max(_FEWEST_NAMED, _NAMED * items.size):
                continue
            for _name, values in _naming(table, column, least=0.2 if column == key else 0.95):
                for value, rows in zip(values, owners, strict=True):
                    if rows and value and len(value) >= 4:
                        further.setdefault(plain_key(value), []).extend(rows)
        if further:
            extended = with_names(
                items, {name: tuple(dict.fromkeys(rows)) for name, rows in further.items() if len(rows) <= 200}
            )
            if set_items == "test":
                found.test = extended
            else:
                found.train = extended


def column_of_ids(table: Table, items: Items) -> str | None:
    """A column of a small table that has ids, whatever it is called."""
    if len(table.columns) > _FEW_COLUMNS or table.keys is not None:
        return None
    for name, values in table.columns.items():
        some = values[:50]
        if sum(bool(value) and plain_key(value) in items.names for value in some) > 0.8 * len(some):
            return name
    return None


def _naming(table: Table, key: str, least: float) -> Iterable[tuple[str, Texts]]:
    """The columns whose values can be names: short texts without blanks that rarely repeat."""
    for name, values in table.columns.items():
        if name == key:
            continue
        some = [value for value in values[:2000] if value]
        of_dates = bool(some) and all(_DATE.match(value) for value in some[:50])  # many items have the same one
        if len(some) < 5 or len(set(some)) < (1.0 if of_dates else least) * len(some):
            continue
        if all(4 <= len(value) <= 80 and " " not in value for value in some) and not all(
            _is_float(value) for value in some
        ):
            yield name, values


def _is_float(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return not value.isdecimal() or len(value) < 6


def add_orders(found: Survey) -> None:
    """Orders in which a list without ids may have the items: sorted, as in a table of them, and backwards."""
    ids = found.test.ids
    if not found.task.key_columns:
        return
    orders = dict(found.test.orders)
    places = np.argsort(np.argsort(ids.astype(str), kind="stable"), kind="stable")
    orders["the sorted ids"] = places
    if all(str(name).isdecimal() for name in ids[:1000]):
        numbers = np.array([int(name) if str(name).isdecimal() else 0 for name in ids])
        orders["the ids as numbers"] = np.argsort(np.argsort(numbers, kind="stable"), kind="stable")
    key = found.task.key_columns[0] if len(found.task.key_columns) == 1 else None
    for table in found.tables:
        if key is None or len(table) != found.test.size or len(orders) >= 6:
            continue
        column = key if key in table.columns else column_of_ids(table, found.test)
        if column is not None:
            rows = {plain_key(value): row for row, value in enumerate(table.columns[column]) if value}
            if all(plain_key(name) in rows for name in ids):
                orders[f"the rows of {table.where}"] = np.array([rows[plain_key(name)] for name in ids])
    for label, order in list(orders.items())[:4]:
        orders[f"{label}, backwards"] = len(order) - 1 - order
    distinct: dict[bytes, tuple[str, NDArray[np.int64]]] = {}
    for label, order in orders.items():
        distinct.setdefault(np.asarray(order, dtype=np.int64).tobytes(), (label, np.asarray(order, dtype=np.int64)))
    found.test = Items(found.test.targets, found.test.names, found.test.size, ids, dict(list(distinct.values())[:8]))
