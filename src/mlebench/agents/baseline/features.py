"""Features of all rows, from whatever the task has: columns, pictures, sounds, arrays."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .columns import Block, Matrix, column_blocks
from .files import DataFile, Medium
from .pictures import picture_features, with_one_copy
from .resources import Budget, spread
from .sounds import sound_features
from .tables import TaskError
from .task import Task

if TYPE_CHECKING:
    import pandas as pd

READERS: dict[Medium, Callable[[bytes], NDArray[np.float32]]] = {"picture": picture_features, "sound": sound_features}
SHARE_FOR_FILES = 0.5  # of the time limit, by whose end pictures and sounds must have been read
BATCH = 64  # files per piece of work


@dataclass(frozen=True)
class Features:
    """One row per row of the training and the test table, and sentences on how they came about.

    `words` are the same rows as sparse counts of words, where there are texts. `from_columns` says of each feature
    whether it is from a column of the tables and not from a file, `small_pictures` whether it is from the small copy of
    a picture. `rows` are the rows of the training table that have features: all, unless there was no time to read the
    files of all.
    """

    train: Matrix
    test: Matrix
    notes: tuple[str, ...]
    has_pixels: bool
    rows: NDArray[np.int64]
    from_columns: NDArray[np.bool_]
    small_pictures: NDArray[np.bool_]
    words: tuple[Any, Any] | None = None


def build_features(task: Task, seed: int, budget: Budget) -> Features:
    """Turn the columns that both tables share, the files that rows name, and given arrays into features."""
    import pandas as pd

    targets = {problem.target for problem in task.problems}
    columns = [name for name in task.train if name in task.test and name not in targets]
    both = pd.concat([task.train[columns], task.test[columns]], ignore_index=True)
    count = len(task.train)
    blocks, notes, naming, has_pixels = [], [], set(), False
    rows = np.arange(count)
    if task.arrays is not None:
        blocks.append(Block("given arrays", np.vstack(task.arrays)))
    for name in columns:
        for medium in task.files.media_named_by(both[name]):
            naming.add(name)
            try:
                values, problems = _read_files(task, both[name], medium, seed, budget)
            except TaskError as error:
                notes.append(str(error).rstrip("."))
                continue
            has_pixels |= medium == "picture"
            notes += problems
            rows = rows[~np.isnan(values[rows]).all(axis=1)]
            small = 0
            if medium == "picture":
                values, small = with_one_copy(values)
            blocks.append(Block(f"{medium}s", values, small_copy=small))
    for name in columns:
        if name not in {*task.ids, *naming}:
            blocks += column_blocks(both[name], count, seed)
    if not blocks:  # text that identifies a row, as a comment may, is better than nothing
        texts = [name for name in task.ids if name in columns and both[name].dtype.kind not in "iufb"]
        blocks = [block for name in texts for block in column_blocks(both[name], count, seed)]
    if not blocks:
        opened = "".join(f" {problem}." for problem in [*task.files.problems, *notes])
        raise TaskError(
            f"No features can be built: the tables share no column but the ids, and name no pictures or sounds.{opened}"
        )
    if len(rows) == 0:
        raise TaskError("None of the files that the training rows name could be read in time.")
    return _assembled(blocks, notes, rows, count, has_pixels)


def _assembled(blocks: list[Block], notes: list[str], rows: NDArray[np.int64], count: int, pixels: bool) -> Features:
    from scipy import sparse

    counts: dict[str, int] = {}
    for block in blocks:
        counts[block.kind] = counts.get(block.kind, 0) + block.values.shape[1]
    values = np.hstack([block.values for block in blocks]) if len(blocks) > 1 else blocks[0].values
    values[~np.isfinite(values)] = np.nan
    train, test = values[rows], values[count:]
    # A feature that never varies, or is never known, tells nothing and trips some models.
    useful = np.array([_varies(column) for column in train.T])
    if not useful.any():
        raise TaskError("No feature varies within the training table.")
    made = tuple(f"{number} from {kind}" for kind, number in counts.items())
    texts = [block.words for block in blocks if block.words is not None]
    words = None
    if texts:
        together = sparse.hstack(texts).tocsr()
        words = (together[rows], together[count:])
    media = {f"{medium}s" for medium in READERS}
    from_columns = np.concatenate([np.full(block.values.shape[1], block.kind not in media) for block in blocks])
    small = np.concatenate([np.arange(block.values.shape[1]) < block.small_copy for block in blocks])
    return Features(
        train[:, useful], test[:, useful], (*made, *notes), pixels, rows, from_columns[useful], small[useful], words
    )


def _varies(column: NDArray[np.float32]) -> bool:
    known = column[~np.isnan(column)]
    return known.size > 1 and bool((known != known[0]).any())


def _read_files(
    task: Task, names: pd.Series[Any], medium: Medium, seed: int, budget: Budget
) -> tuple[Matrix, list[str]]:
    """The features of the files that a column names, in all processes; rows whose files were not read are missing.

    The files of the test rows are read first, then those of training rows in random order, as many as time allows.
    """
    count = len(task.train)
    files = [task.files.named(medium, name, "train" if row < count else "test") for row, name in enumerate(names)]
    order = [row for row in range(count) if files[row] is not None]
    random.Random(seed).shuffle(order)
    order = [row for row in range(count, len(files)) if files[row] is not None] + order
    batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    reader = READERS[medium]

    def read(batch: list[int]) -> list[NDArray[np.float32] | None]:
        return [_features_of(files[row], reader) for row in batch]

    import scipy.signal  # noqa: F401  # loaded once, before the processes are made

    found: dict[int, NDArray[np.float32]] = {}
    unreadable, deadline = 0, max(budget.at(SHARE_FOR_FILES), time.monotonic() + 1)
    for done in spread(read, batches, budget.cores, deadline):
        for row, values in zip(done.item, done.result or (), strict=False):
            if values is None:
                unreadable += 1
            else:
                found[row] = values
    if not found:
        raise TaskError(f"None of the {len(order)} {medium}s that rows name could be read in time.")
    width = len(next(iter(found.values())))
    matrix = np.full((len(files), width), np.nan, dtype=np.float32)
    for row, values in found.items():
        matrix[row] = values
    notes = []
    if unreadable:
        notes.append(f"{unreadable} {medium}s could not be read, and count as missing")
    late = len(order) - unreadable - len(found)
    if late:
        notes.append(f"{late} {medium}s were not read, as the time for reading them had passed")
    return matrix, notes


def _features_of(file: DataFile | None, reader: Callable[[bytes], NDArray[np.float32]]) -> NDArray[np.float32] | None:
    try:
        return None if file is None else reader(file.read())
    except Exception:  # whatever a library raises on a broken file
        return None
