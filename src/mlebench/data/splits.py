"""Splitting data into a train and a test part, as the published benchmark does: scikit-learn's shuffle, seed 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from mlebench.errors import PreparationError

if TYPE_CHECKING:
    import pandas as pd

_Items = TypeVar("_Items")
SEED = 0


def random_split(
    items: _Items, test_size: float, *, seed: int = SEED, stratify: Sequence[Any] | None = None
) -> tuple[_Items, _Items]:
    """Split a table, an array or a list into (train, test), both in the order of the shuffle.

    `test_size` is a share if it is a float and a number of rows if it is an int.
    """
    from sklearn.model_selection import train_test_split

    try:
        train, test = train_test_split(items, test_size=test_size, random_state=seed, stratify=stratify)
    except ValueError as error:
        raise PreparationError(f"The raw data cannot be split: {error}") from error
    _check_counts(items, train, test)
    return cast(_Items, train), cast(_Items, test)


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
