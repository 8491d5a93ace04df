"""A layout without tables: NumPy arrays, a row of numbers each, and one array with the labels of one of them."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .tables import TaskError
from .task import MOST_ROWS, Given, Problem, Task, kind_of, metric_for, plain_numbers

Array = NDArray[Any]


def read_arrays(given: Given) -> Task:
    """The task, if there are arrays for training and test, and labels for the training rows.

    They are told apart by their shapes: the test array has as many rows as the sample submission, the training array
    has the same columns, and the labels are as many as its rows. Names decide where shapes do not. Arrays stay on disk,
    and only the rows that are trained on are read.
    """
    import pandas as pd

    arrays = {path: array for path in sorted(given.folder.rglob("*.npy")) if (array := _opened(path)) is not None}
    if not arrays:
        raise TaskError("There are no NumPy arrays.")
    train_path, label_path, test_path = _roles(arrays, len(given.sample))
    id_name, output = (str(name) for name in given.sample.columns[:2])
    labels = plain_numbers(np.asarray(arrays[label_path]))
    rows = np.arange(len(labels))
    if len(rows) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(given.seed).choice(len(rows), MOST_ROWS, replace=False))
    train = pd.DataFrame({output: labels[rows]})
    problem = Problem(output, kind_of(train[output], given.sample[output], given.metric), (output,))
    metric, is_stated = metric_for((problem,), given)
    places = given.sample[id_name].to_numpy()
    counts_rows = places.dtype.kind in "iu" and sorted(places) == list(range(len(places)))
    test_rows = places if counts_rows else np.arange(len(places))
    return Task(
        files=given.files,
        metric=metric,
        metric_is_stated=is_stated,
        ids=(id_name,),
        sample=given.sample,
        train=train,
        test=given.sample[[id_name]],
        train_file=train_path.relative_to(given.folder).as_posix(),
        test_file=test_path.relative_to(given.folder).as_posix(),
        problems=(problem,),
        arrays=(_flat(arrays[train_path], rows), _flat(arrays[test_path], test_rows)),
        notes=(f"{len(rows)} rows were drawn from the {len(labels)} of the array.",) if len(rows) < len(labels) else (),
    )


def _opened(path: Path) -> Array | None:
    try:
        array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError):
        return None
    return array


def _roles(arrays: dict[Path, Array], rows: int) -> tuple[Path, Path, Path]:
    fitting = [
        (train, labels, test)
        for train, labels, test in permutations(arrays, 3)
        if arrays[test].ndim > 1
        and len(arrays[test]) == rows
        and arrays[train].shape[1:] == arrays[test].shape[1:]
        and arrays[train].dtype.kind in "iufb"
        and arrays[labels].shape in ((len(arrays[train]),), (len(arrays[train]), 1))
    ]
    if not fitting:
        raise TaskError("The NumPy arrays are not training rows, their labels, and test rows of the same shape.")

    def named_right(roles: tuple[Path, Path, Path]) -> int:
        train, labels, test = (path.name.lower() for path in roles)
        return ("train" in train) + ("test" in test) + ("label" in labels) - ("label" in train)

    return max(fitting, key=named_right)


def _flat(array: Array, rows: Array) -> NDArray[np.float32]:
    return np.asarray(array[rows], dtype=np.float32).reshape(len(rows), -1)
