"""Splitting data into a train and a test part, as the published benchmark does: scikit-learn's shuffle, seed 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence, Sized
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from mlebench.base import progress
from mlebench.errors import PreparationError

if TYPE_CHECKING:
    import pandas as pd

_Items = TypeVar("_Items")
# What splits a table, or a list, into (train, test): called with it and the share or number of the test part.
Split: TypeAlias = Callable[..., tuple[Any, Any]]
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
    in_test = group_mask(frame, by, test_size, seed=seed)
    if consume:
        train, test = _consumed(frame, np.flatnonzero(~in_test), np.flatnonzero(in_test))
        return train, test
    train, test = frame[~in_test], frame[in_test]
    _check_counts(frame, train, test)
    return train, test


def group_mask(frame: pd.DataFrame, by: str, test_size: float, *, seed: int = SEED) -> NDArray[np.bool_]:
    """Which rows of a table `group_split` puts into the test part.

    For a table so large that its parts should not be in memory beside it, read with `in_pieces`: `write_csv` writes the
    rows of one part with `rows=`, and `rows_where` picks those of a small one.
    """
    _, drawn = random_split(frame[by].unique(), test_size, seed=seed)
    in_test: NDArray[np.bool_] = frame[by].isin(drawn).to_numpy(dtype=np.bool_)
    return in_test


def grouped_by(column: str) -> Split:
    """A split in the form of `random_split` that keeps rows with the same value in a column together."""

    def split(frame: pd.DataFrame, test_size: float, **options: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
        return group_split(frame, column, test_size, **options)

    return split


def stratified_by(column: str) -> Split:
    """A split in the form of `random_split` in which both parts have the same shares of the values of a column.

    Every value may be as rare as it is: what its share leaves over goes to the values with the largest remainders.
    """

    def split(frame: pd.DataFrame, test_size: float, *, seed: int = SEED) -> tuple[pd.DataFrame, pd.DataFrame]:
        shuffled = np.random.RandomState(seed).permutation(len(frame))
        values, codes = np.unique(frame[column].to_numpy()[shuffled], return_inverse=True)
        wanted = np.bincount(codes, minlength=len(values)) * test_size
        counts = np.floor(wanted).astype(int)
        missing = math.ceil(test_size * len(frame)) - int(counts.sum())
        counts[np.argsort(counts - wanted, kind="stable")[:missing]] += 1
        # The first rows of each value, in the order of the shuffle, are for the test part.
        order = np.argsort(codes, kind="stable")
        place = np.empty(len(frame), dtype=np.int64)
        place[order] = np.arange(len(frame)) - np.searchsorted(codes[order], codes[order])
        in_test = place < counts[codes]
        train, test = frame.iloc[shuffled[~in_test]], frame.iloc[shuffled[in_test]]
        _check_counts(frame, train, test)
        return train, test

    return split


def known_from_train(column: str) -> Split:
    """A split in the form of `random_split` that leaves at least one row of each value of a column in train."""

    def split(frame: pd.DataFrame, test_size: float, **options: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
        train_rows, test_rows = random_split(np.arange(len(frame)), test_size, **options)
        values = frame[column].to_numpy()
        unknown = ~np.isin(values[test_rows], values[train_rows])
        firsts = test_rows[unknown][np.sort(np.unique(values[test_rows][unknown], return_index=True)[1])]
        moved = np.isin(test_rows, firsts)
        train_rows, test_rows = np.concatenate([train_rows, test_rows[moved]]), test_rows[~moved]
        return frame.iloc[train_rows], frame.iloc[test_rows]

    return split


def split_together(
    items: _Items, keys: Sequence[Hashable], test_size: float, *, seed: int = SEED
) -> tuple[_Items, _Items]:
    """Split a table, an array or a list so that items with equal keys stay together; both parts are shuffled.

    `test_size` is a share of the distinct keys, or a number of them.

    >>> split_together([1, 2, 3, 4], ["a", "b", "a", "c"], test_size=1)
    ([3, 2, 1], [4])
    """
    _, drawn = random_split(list(dict.fromkeys(keys)), test_size, seed=seed)
    chosen = set(drawn)
    in_test = np.array([key in chosen for key in keys], dtype=np.bool_)
    # Their order could tell something where items are numbered anew, so that none is kept.
    shuffled = np.random.RandomState(seed).permutation(len(in_test))
    train, test = _taken(items, shuffled[~in_test[shuffled]]), _taken(items, shuffled[in_test[shuffled]])
    _check_counts(items, train, test)
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
