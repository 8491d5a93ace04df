"""Splitting data into a train and a test part, as the published benchmark does: scikit-learn's shuffle, seed 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

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
    from sklearn.model_selection import train_test_split

    if consume and stratify is not None:
        raise ValueError("a consuming split cannot stratify")
    try:
        if consume:
            train, test = _consuming_split(items, test_size, seed)
        else:
            train, test = train_test_split(items, test_size=test_size, random_state=seed, stratify=stratify)
    except ValueError as error:
        raise PreparationError(f"The raw data cannot be split: {error}") from error
    if not consume:
        _check_counts(items, train, test)
    return cast(_Items, train), cast(_Items, test)


def _consuming_split(frame: Any, test_size: float, seed: int) -> tuple[Any, Any]:
    import pandas as pd
    from sklearn.model_selection import train_test_split

    rows = train_test_split(np.arange(len(frame)), test_size=test_size, random_state=seed)
    parts: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for name in list(frame.columns):
        column = frame.pop(name).array
        for part, chosen in zip(parts, rows, strict=True):
            part[name] = column.take(chosen)
    train, test = (pd.DataFrame(part, copy=False) for part in parts)
    return train, test


def group_split(
    frame: pd.DataFrame, by: str, test_size: float, *, seed: int = SEED
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split a table so that rows with the same value in a column stay together; both parts keep the row order.

    The distinct values, in order of first appearance, go through `random_split`.
    """
    _, drawn = random_split(frame[by].unique(), test_size, seed=seed)
    in_test = frame[by].isin(drawn)
    train, test = frame[~in_test], frame[in_test]
    _check_counts(frame, train, test)
    return train, test


def _check_counts(items: Any, train: Any, test: Any) -> None:
    if len(train) + len(test) != len(items):
        raise PreparationError(f"A split of {len(items)} rows gave {len(train)} + {len(test)}: rows were lost.")
