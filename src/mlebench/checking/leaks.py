"""Leaks that can be seen simply: a public table that has, beside the ids to predict, what is to be predicted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.checking.example_submissions import Examples
from mlebench.checking.file_contents import columns
from mlebench.competition.checks import Problem, line_with
from mlebench.files.tables import read_csv

if TYPE_CHECKING:
    import pandas as pd

_TABLES = (".csv", ".csv.zip", ".tsv", ".tsv.zip", ".parquet")
_LARGEST = 1 << 30  # bytes of a table that is looked into
_ENOUGH = 0.5  # the share of the ids to predict that a table must have
_SAME = 0.99  # the share of equal values that is no coincidence


def leak_problems(examples: Examples) -> Iterator[Problem]:
    """The columns of public tables that hold the answers, row by row."""
    competition, answers, sample = examples.competition, examples.answers, examples.sample
    on = str(sample.columns[0])
    if not hasattr(answers, "columns") or on not in answers.columns or not answers[on].is_unique:
        return
    targets = [name for name in sample.columns[1:] if name in answers.columns and answers[name].nunique() > 1]
    truth = answers.set_index(answers[on].astype(str))[targets]
    source = competition.declaration.folder / "competition.py"
    for path in _tables(competition.public_dir):
        for column, target in _revealing(path, on, truth):
            if not examples.asks_for(target):
                continue
            name = path.relative_to(competition.public_dir).as_posix()
            yield Problem(
                f"The column {column} of public/{name} has the answers for {target}.",
                "Leave it out of what contestants get.",
                source if source.is_file() else None,
                line_with(source, rf"public\.\w+\(\s*[\"']{path.name}"),
            )


def _tables(public: Path) -> list[Path]:
    return sorted(
        path
        for path in public.rglob("*")
        if path.is_file() and path.name.endswith(_TABLES) and path.stat().st_size <= _LARGEST
    )


def _revealing(path: Path, on: str, truth: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """(column, target): the columns of a table that equal a target for the ids to predict."""
    if on not in columns(path) or not len(truth.columns):
        return
    table = _read(path)
    table = table.set_index(table[on].astype(str))
    table = table[table.index.isin(truth.index) & ~table.index.duplicated()]
    if len(table) < max(2, _ENOUGH * len(truth)):
        return
    for target in truth.columns:
        wanted = truth[target].loc[table.index].astype(str).to_numpy()
        for column in table.columns.drop(on):
            if (table[column].astype(str).to_numpy() == wanted).mean() >= _SAME:
                yield str(column), str(target)


def _read(path: Path) -> pd.DataFrame:
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        frame: pd.DataFrame = pq.read_table(path).to_pandas(ignore_metadata=True)  # its index is a column too
        return frame
    return read_csv(path, sep="\t" if ".tsv" in path.name else ",")
