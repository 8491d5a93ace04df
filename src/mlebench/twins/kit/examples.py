"""Example submissions: good ones, and the usual set of broken ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from mlebench.files.tables import plain_strings, read_csv

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Example:
    """A submission to try: a table or a text, and a note on what is special about it."""

    name: str
    content: pd.DataFrame | str
    note: str = ""

    def write(self, path: Path) -> None:
        """Write the submission to a file."""
        if isinstance(self.content, str):
            path.write_bytes(self.content.encode("utf-8"))
        else:
            self.content.to_csv(path, index=False)


def table(prepared: Path, name: str, **options: Any) -> pd.DataFrame:
    """A prepared table, e.g. `table(prepared, "private/test.csv")`."""
    return read_csv(prepared / name, **options)


def shuffled(frame: pd.DataFrame, seed: int) -> Example:
    """The rows of a submission in another order."""
    return Example("shuffled", frame.sample(frac=1, random_state=seed), "as noisy, rows in another order")


def missing_row(frame: pd.DataFrame) -> Example:
    """The first row is left out."""
    return Example("missing_row", frame.iloc[1:], "one row short")


def extra_row(frame: pd.DataFrame) -> Example:
    """The first row stands once more at the end."""
    return Example("extra_row", pd.concat([frame, frame.head(1)]), "one row twice")


def with_first(frame: pd.DataFrame, column: str, value: Any) -> pd.DataFrame:
    """The table with another value in the first row of a column, whose kind changes with the value if need be."""
    with plain_strings():
        return frame.assign(**{column: [value, *frame[column].tolist()[1:]]})


def unknown_id(frame: pd.DataFrame, column: str, value: Any) -> Example:
    """The first id is one that the test set does not have."""
    return Example("unknown_id", with_first(frame, column, value), "an id that is not in the test set")


def duplicate_id(frame: pd.DataFrame, column: str, name: str = "duplicate_id") -> Example:
    """The first id is the second one again, so one is absent; the number of rows is right."""
    repeated = with_first(frame, column, frame[column].iloc[1])
    return Example(name, repeated, "right number of rows, one id twice and one absent")


def first_for_last(frame: pd.DataFrame, name: str = "duplicate_id") -> Example:
    """The first row stands once more in place of the last one; the number of rows is right."""
    repeated = pd.concat([frame.iloc[:-1], frame.head(1)])
    return Example(name, repeated, "right number of rows, one id twice and one absent")


def last_for_first(frame: pd.DataFrame, name: str = "duplicate_id") -> Example:
    """The last row is there once more and the first one is not; the number of rows is right."""
    repeated = pd.concat([frame.iloc[1:], frame.tail(1)])
    return Example(name, repeated, "right number of rows, one id twice and one absent")


def renamed(frame: pd.DataFrame, column: str, new: str, name: str = "wrong_column") -> Example:
    """A needed column has another name."""
    return Example(name, frame.rename(columns={column: new}), f"the column {column} is called {new}")


def guessed(
    frame: pd.DataFrame, column: str, classes: int | Sequence[Any], share: float, rng: np.random.Generator
) -> pd.DataFrame:
    """The table with about this share of a column's cells replaced by random classes (5 stands for 0 to 4)."""
    replaced = rng.random(len(frame)) < share
    values = frame[column].copy()
    values[replaced] = rng.choice(classes, int(replaced.sum()))
    return frame.assign(**{column: values})


def with_cell(frame: pd.DataFrame, column: str, value: Any, row: int = 0) -> pd.DataFrame:
    """The table with another value in one cell; the column turns into plain objects if it must."""
    values = frame[column].astype(object)
    values.iloc[row] = value
    return frame.assign(**{column: values})


def empty() -> Example:
    """A file without a single byte."""
    return Example("empty", "", "an empty file")


def header_only(frame: pd.DataFrame) -> Example:
    """The right columns and no row."""
    return Example("header_only", ",".join(frame.columns) + "\n", "a header without rows")


def usual_mistakes(
    frame: pd.DataFrame, *, on: str, target: str, unknown: Any, new_target: str, new_id: str | None = None
) -> Iterator[Example]:
    """The usual set: rows missing or extra, ids unknown, columns renamed, an empty prediction, an empty file."""
    yield missing_row(frame)
    yield extra_row(frame)
    yield unknown_id(frame, on, unknown)
    yield renamed(frame, target, new_target)
    if new_id is not None:
        yield renamed(frame, on, new_id, "no_id")
    yield Example("nan", with_cell(frame, target, None), "an empty prediction")
    yield empty()
