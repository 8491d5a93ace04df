"""The usual layout: a table to learn from, and perhaps one with what is to be predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tables import TaskError, matching, read_some, read_table, table_files
from .task import MOST_ROWS, Given, Problem, Task, metric_for, problems_of_table

if TYPE_CHECKING:
    import pandas as pd

MOST_TABLES_TRIED = 5
SHARE_FOR_READING = 0.2  # of the time limit


def read_tables(given: Given) -> Task:
    """The task, if one of the tables has the targets that the sample submission asks for."""
    import pandas as pd

    sample = given.sample
    files = table_files(given.folder)
    test_file = next(iter(matching(files, r"^test(_|\b)", r"test")), None)
    test = read_table(given.folder / test_file) if test_file else pd.DataFrame()
    ids = tuple(name for name in sample if name in test) or (str(sample.columns[0]),)
    outputs = tuple(str(name) for name in sample if name not in ids)
    if not outputs:
        raise TaskError("The sample submission has no column to predict.")
    train_file, train, notes, problems = _training_table(given, files, test, outputs)
    metric, is_stated = metric_for(problems, given)
    return Task(
        files=given.files,
        metric=metric,
        metric_is_stated=is_stated,
        ids=ids,
        sample=sample,
        train=train,
        test=in_order(test, sample, ids),
        train_file=train_file,
        test_file=test_file,
        problems=problems,
        notes=notes,
    )


def _training_table(
    given: Given, files: list[str], test: pd.DataFrame, outputs: tuple[str, ...]
) -> tuple[str, pd.DataFrame, tuple[str, ...], tuple[Problem, ...]]:
    """The first table that looks like training data and has what the submission asks for."""
    names = matching(files, r"^train(ing)?$", r"^train.*label", r"^train", r"^labels?$", r"train")
    reasons = []
    for name in names[:MOST_TABLES_TRIED]:
        stop = given.budget.at(SHARE_FOR_READING)
        try:
            train, seen, is_whole = read_some(given.folder / name, MOST_ROWS, given.seed, stop)
            problems = tuple(problems_of_table(train, test, given.sample, outputs, given.metric))
        except TaskError as error:
            reasons.append(error)
            continue
        notes: tuple[str, ...] = (
            (f"{len(train)} rows were drawn from the {seen} of {name}.",) if seen > len(train) else ()
        )
        if not is_whole:
            notes += (f"{name} was not read to its end, which would have taken too long.",)
        return name, train, notes, problems
    raise (reasons[0] if reasons else TaskError("There is no training table (a CSV file with train in its name)."))


def in_order(test: pd.DataFrame, sample: pd.DataFrame, ids: tuple[str, ...]) -> pd.DataFrame:
    """The rows of the test table that the sample submission asks for, in its order."""
    keys = list(ids)
    if not all(name in test for name in keys):
        # Without ids to match by, only a table of the same length can be trusted.
        return test.reset_index(drop=True) if len(test) == len(sample) else sample[keys]
    if len(test) == len(sample) and bool((test[keys].to_numpy() == sample[keys].to_numpy()).all()):
        return test.reset_index(drop=True)
    ordered = sample[keys].merge(test.drop_duplicates(keys), on=keys, how="left", indicator="_found")
    if bool((ordered["_found"] != "both").any()):
        raise TaskError("The sample submission has ids that the test table lacks.")
    return ordered.drop(columns="_found")
