"""The task: how it is scored, what to learn from, what to predict. Which layout it has is found by trying."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .files import DataFiles
from .metrics import BY_NAME, Metric, stated_metric
from .resources import Budget
from .tables import TaskError, read_table, sample_file

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["regression", "binary", "multiclass", "constant"]

MOST_ROWS = 50_000  # to train on; more would hardly make a baseline better
MOST_CLASSES = 200


@dataclass(frozen=True)
class Problem:
    """One thing to learn: a column of the training table, and the columns of the submission that it fills.

    Several outputs are the probabilities of the classes in `classes`, in the same order. The last of two classes is
    the one whose probability is asked for. A constant has only one value in the training table.
    """

    target: str
    kind: Kind
    outputs: tuple[str, ...]
    classes: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Given:
    """What is known before the layout is: the files, the sample submission, what the description says."""

    files: DataFiles
    sample: pd.DataFrame
    sample_name: str
    description: str
    metric: Metric | None
    seed: int
    budget: Budget

    @property
    def folder(self) -> Path:
        """The folder with the data."""
        return self.files.folder


@dataclass(frozen=True)
class Task:
    """Everything the agent knows.

    `train` is a random sample where the table is large. `test` has a row for each row of `sample`, in its order.
    `arrays` are features that are given ready-made, for the rows of both tables. `finished` turns a filled-in sample
    into the submission, where these differ. `notes` are sentences on how the task was read.
    """

    files: DataFiles
    metric: Metric
    metric_is_stated: bool
    ids: tuple[str, ...]
    sample: pd.DataFrame
    train: pd.DataFrame
    test: pd.DataFrame
    train_file: str
    test_file: str | None
    problems: tuple[Problem, ...]
    arrays: tuple[NDArray[Any], NDArray[Any]] | None = None
    finished: Callable[[pd.DataFrame], pd.DataFrame] = lambda filled: filled
    notes: tuple[str, ...] = field(default=())


def read_given(folder: Path, seed: int, budget: Budget) -> Given:
    """Read the sample submission and the description."""
    name = sample_file(folder)
    path = folder / "description.md"
    description = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    files = DataFiles(folder)
    return Given(files, read_table(folder / name), name, description, stated_metric(description), seed, budget)


def read_task(given: Given) -> Task:
    """The task in the first layout that fits; raises TaskError, with the reason of each, where none does."""
    from .layouts import LAYOUTS

    if given.sample.empty or given.sample.shape[1] < 2:
        raise TaskError("The sample submission has no row or no column to predict.")
    reasons = []
    for layout in LAYOUTS:
        try:
            return layout(given)
        except TaskError as error:
            reasons.append(str(error))
    raise TaskError(" ".join(dict.fromkeys(reasons + [f"{problem}." for problem in given.files.problems])))


def metric_for(problems: tuple[Problem, ...], given: Given) -> tuple[Metric, bool]:
    """The metric, and whether the description states it: one that does not fit the problems is none."""
    learnt = [problem for problem in problems if problem.kind != "constant"]
    if not learnt:
        raise TaskError(f"The column {problems[0].target} has only one value, so there is nothing to learn.")
    stated = given.metric
    if stated and all((problem.kind == "regression") == (stated.wants == "numbers") for problem in learnt):
        return stated, True
    first = learnt[0]
    if first.kind == "regression":
        return BY_NAME["RMSE"], False
    if len(first.outputs) > 1:
        return BY_NAME["log loss"], False
    output = first.outputs[0]
    fractions = output in given.sample and has_fractions(given.sample[output])
    return BY_NAME["ROC AUC" if first.kind == "binary" and fractions else "accuracy"], False


def problems_of_table(
    train: pd.DataFrame, test: pd.DataFrame, sample: pd.DataFrame, outputs: tuple[str, ...], metric: Metric | None
) -> Iterable[Problem]:
    """What to learn: each output is a column of the training table, or all are classes of one column."""
    if all(name in train for name in outputs):
        kinds = {name: kind_of(train[name], sample[name], metric) for name in outputs}
        if "regression" in kinds.values():  # one model for all: whole numbers are numbers, too
            kinds = {name: "constant" if kind == "constant" else "regression" for name, kind in kinds.items()}
        yield from (Problem(name, kind, (name,)) for name, kind in kinds.items())
        return
    only_known = [str(name) for name in train if name not in test]
    if len(outputs) == 1:
        if len(only_known) != 1:
            raise TaskError(f"No column of the training table is the target {outputs[0]}.")
        yield Problem(only_known[0], kind_of(train[only_known[0]], sample[outputs[0]], metric), outputs)
        return
    for name in only_known:
        classes = _classes(train[name].dropna().unique().tolist(), outputs)
        if classes is not None:
            yield Problem(name, "multiclass" if len(classes) > 2 else "binary", outputs, classes)
            return
    raise TaskError("The columns of the sample submission are neither columns nor classes of the training table.")


def _classes(labels: list[Any], outputs: tuple[str, ...]) -> tuple[Any, ...] | None:
    """The label that each output stands for, if all labels have an output: one named like it, or ending in it.

    An output that no label belongs to is a class that the training table lacks; it stands for itself.
    """
    for fits in (str.__eq__, lambda output, name: output.endswith(f"_{name}")):
        found = {label: [output for output in outputs if fits(output, str(label))] for label in labels}
        if len(labels) > 1 and all(len(names) == 1 for names in found.values()):
            by_output = {names[0]: label for label, names in found.items()}
            return tuple(by_output.get(output, output) for output in outputs)
    return None


def kind_of(values: pd.Series[Any], sample: pd.Series[Any], metric: Metric | None) -> Kind:
    """What kind of problem a target is; raises TaskError where it cannot be learnt."""
    known = values.dropna()
    numeric = known.dtype.kind in "iuf"
    distinct = known.nunique()
    if distinct == 0:
        raise TaskError(f"The column {values.name} has no value, so there is nothing to learn.")
    if distinct == 1:
        return "constant"
    if metric is not None and metric.wants == "numbers":
        if not numeric:
            raise TaskError(f"The column {values.name} holds text, but {metric.name} needs numbers.")
        return "regression"
    if numeric and has_fractions(known):
        return "regression"
    if metric is None and numeric and (distinct > 20 or (distinct > 2 and has_fractions(sample))):
        return "regression"
    if distinct > min(MOST_CLASSES, len(known) / 2):
        raise TaskError(f"The column {values.name} has {distinct} different values, too many to learn as classes.")
    return "binary" if distinct == 2 else "multiclass"


def has_fractions(column: pd.Series[Any]) -> bool:
    """Whether a column has numbers that are not whole."""
    return column.dtype.kind == "f" and bool((column.dropna() % 1 != 0).any())


def plain_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Texts that all are whole numbers, as numbers; anything else as it is."""
    try:
        return np.asarray(values).astype(np.int64) if np.asarray(values).dtype.kind in "OUS" else np.asarray(values)
    except (ValueError, OverflowError):
        return np.asarray(values)
