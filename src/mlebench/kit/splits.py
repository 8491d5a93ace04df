"""Splitting data into a train and a test part, as the published benchmark does: scikit-learn's shuffle, seed 0."""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from mlebench.base import progress
from mlebench.errors import PreparationError

if TYPE_CHECKING:
    import pandas as pd

_Items = TypeVar("_Items")
SEED = 0


def random_split(
    items: _Items,
    test_size: float,
    *,
    seed: int = SEED,
    stratify: Sequence[Any] | None = None,
    consume: bool = False,
) -> tuple[_Items, _Items]:
    """Split a table, an array or a list into (train, test), both in the order of the shuffle.

    `test_size` is a share if it is a float and a number of rows if it is an int. With `consume` a table is emptied
    column by column while its parts are built, so that large data is never in memory twice.
    """
    count = len(cast("Sized", items))
    with progress.stage("split", f"{count:,} rows"):
        train_rows, test_rows = _shuffled_rows(count, test_size, seed, stratify)
        if consume:
            return cast("tuple[_Items, _Items]", _consumed(items, train_rows, test_rows))
        train, test = _taken(items, train_rows), _taken(items, test_rows)
    _check_counts(items, train, test)
    return train, test


def _shuffled_rows(
    count: int, test_size: float, seed: int, stratify: Sequence[Any] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(train, test): the positions that scikit-learn's train_test_split draws, which loads slowly."""
    if stratify is not None:
        from sklearn.model_selection import train_test_split

        try:
            train, test = train_test_split(np.arange(count), test_size=test_size, random_state=seed, stratify=stratify)
        except ValueError as error:
            raise PreparationError(f"The raw data cannot be split: {error}") from error
        return train, test
    size = math.ceil(test_size * count) if isinstance(test_size, float) else test_size
    if not 0 < size < count:
        raise PreparationError(f"The raw data cannot be split: {size} of its {count} rows would be the test part.")
    shuffled = np.random.RandomState(seed).permutation(count)
    return shuffled[size:], shuffled[:size]


def _taken(items: Any, rows: NDArray[np.int64]) -> Any:
    if hasattr(items, "iloc"):
        return items.iloc[rows]
    if isinstance(items, list):
        return [items[row] for row in rows]
    return items[rows]


def _consumed(frame: Any, *parts: NDArray[np.int64]) -> tuple[Any, ...]:
    import pandas as pd

    from mlebench.files.csv_reader import release_memory

    columns: list[dict[str, Any]] = [{} for _ in parts]
    for name in list(frame.columns):
        column = frame.pop(name).array
        for part, rows in zip(columns, parts, strict=True):
            part[name] = column.take(rows)
        del column
        release_memory()
    return tuple(pd.DataFrame(part, copy=False) for part in columns)


def group_split(
    frame: pd.DataFrame,
    by: str,
    test_size: float,
    *,
    seed: int = SEED,
    consume: bool = False,
    regroup: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split a table so that rows with the same value in a column stay together; both parts keep the row order.

    The distinct values, in order of first appearance, go through `random_split`; `consume` is as there. With `regroup`
    the values go through it in ascending order, and both parts have one group after the other in the order of the
    shuffle: what joining the groups of a `groupby` gives. No value may be missing then.
    """
    if regroup:
        rows = _regrouped_rows(frame[by], test_size, seed)
        first, second = _consumed(frame, *rows) if consume else (frame.iloc[positions] for positions in rows)
        return first, second
    _, drawn = random_split(frame[by].unique(), test_size, seed=seed)
    in_test = frame[by].isin(drawn)
    if consume:
        train, test = _consumed(frame, np.flatnonzero(~in_test), np.flatnonzero(in_test))
        return train, test
    train, test = frame[~in_test], frame[in_test]
    _check_counts(frame, train, test)
    return train, test


def _regrouped_rows(column: pd.Series[Any], test_size: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(train, test): row positions, group after group."""
    import pandas as pd

    codes, groups = pd.factorize(column, sort=True)
    if (codes < 0).any():
        raise PreparationError(f"The raw data cannot be split: some rows have no {column.name}.")
    train, test = random_split(np.arange(len(groups)), test_size, seed=seed)
    place = np.empty(len(groups), dtype=np.int64)
    place[np.concatenate([train, test])] = np.arange(len(groups))
    places = place[codes]
    rows = np.argsort(places, kind="stable")
    in_train = int(np.count_nonzero(places < len(train)))
    return rows[:in_train], rows[in_train:]


def _check_counts(items: Any, train: Any, test: Any) -> None:
    if len(train) + len(test) != len(items):
        raise PreparationError(f"A split of {len(items)} rows gave {len(train)} + {len(test)}: rows were lost.")


def one_hot(labels: pd.Series[Any], classes: Sequence[str]) -> pd.DataFrame:
    """A table with one column per class: 1 where a row has that label, 0 elsewhere."""
    import pandas as pd

    if not labels.isin(classes).all():
        unknown = labels[~labels.isin(classes)].iloc[0]
        raise PreparationError(f"The raw data has the {labels.name} {unknown!r}, which is no known class.")
    cells = labels.to_numpy()[:, None] == np.array(classes, dtype=object)
    return pd.DataFrame(cells.astype(np.int64), index=labels.index, columns=list(classes))
