"""A layout of pairs: the sample asks for each item and label whether they go together, as a list of labels would say.

A text file has a line per item, the item first and then all its labels, with a question mark for items to predict. The
sample has a row per pair, named by a number such as 4217 (item 42, label 17) or a text such as 42_17.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .columns import as_numbers
from .tables import TaskError
from .task import Given, Problem, Task, metric_for

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 64 << 20  # bytes of a text file that is tried
_UNKNOWN = "?"


@dataclass(frozen=True)
class _Lists:
    """A file of lists: the labels of each item, None where they are to be predicted."""

    path: Path
    labels: dict[int, tuple[int, ...] | None]


def read_label_lists(given: Given) -> Task:
    """The task, if a text file lists the labels of items, and the sample asks for pairs of item and label."""
    import pandas as pd

    if given.sample.shape[1] != 2:
        raise TaskError("The sample submission does not ask for pairs.")
    texts = [path for path in sorted(given.folder.rglob("*.txt")) if path.stat().st_size <= LARGEST]
    for lists in filter(None, map(_read_lists, texts)):
        pairs = _pairs(given.sample, lists)
        if pairs is not None:
            break
    else:
        raise TaskError("No text file lists labels for the pairs that the sample submission asks for.")
    id_name, output = (str(name) for name in given.sample.columns)
    known = {item: labels for item, labels in lists.labels.items() if labels is not None}
    all_labels = sorted(set(pairs["label"]) | {label for labels in known.values() for label in labels})
    columns = {label: f"label {label}" for label in all_labels}
    train = pd.DataFrame({"item": list(known)}).assign(
        **{columns[label]: [int(label in labels) for labels in known.values()] for label in all_labels}
    )
    items = pd.DataFrame({"item": pairs["item"].unique()})
    problems = tuple(
        Problem(name, "binary" if train[name].nunique() == 2 else "constant", (name,)) for name in columns.values()
    )
    metric, is_stated = metric_for(problems, given)
    side = _side_tables(given, texts, set(train["item"]) | set(items["item"]), lists.path)

    def as_pairs(filled: pd.DataFrame) -> pd.DataFrame:
        by_item = filled.set_index("item")
        values = [by_item.at[item, columns[label]] for item, label in zip(pairs["item"], pairs["label"], strict=True)]
        return given.sample.assign(**{output: values})[[id_name, output]]

    return Task(
        files=given.files,
        metric=metric,
        metric_is_stated=is_stated,
        ids=("item",),
        sample=items.assign(**dict.fromkeys(columns.values(), 0.0)),
        train=train.merge(side, on="item", how="left"),
        test=items.merge(side, on="item", how="left"),
        train_file=lists.path.relative_to(given.folder).as_posix(),
        test_file=None,
        problems=problems,
        finished=as_pairs,
        notes=(f"The sample submission asks for pairs of {len(items)} items and {len(all_labels)} labels.",),
    )


def _read_lists(path: Path) -> _Lists | None:
    found: dict[int, tuple[int, ...] | None] = {}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines):
        item, *labels = (part.strip() for part in line.split(","))
        try:
            unknown = labels == [_UNKNOWN]
            found[int(item)] = None if unknown else tuple(int(label) for label in labels if label)
        except ValueError:
            if number > 0:  # the first line may be a header
                return None
    return _Lists(path, found) if None in found.values() and any(found.values()) else None


def _pairs(sample: pd.DataFrame, lists: _Lists) -> pd.DataFrame | None:
    """The item and the label of each row of the sample, if its ids can be taken apart so."""
    import pandas as pd

    ids = sample.iloc[:, 0]
    wanted = {item for item, labels in lists.labels.items() if labels is None}
    known = {label for labels in lists.labels.values() if labels for label in labels}
    if ids.dtype.kind in "iu":
        split = [(ids // size, ids % size) for size in (10, 100, 1_000, 10_000)]
    else:
        parts = ids.astype(str).str.extract(r"^(\d+)[_\-: ](\d+)$")
        split = [] if bool(parts.isna().any(axis=None)) else [(parts[0].astype(np.int64), parts[1].astype(np.int64))]
    for items, labels in split:
        if set(items) <= wanted and known <= set(labels) | known and len(set(labels)) < 10 * max(1, len(known)):
            return pd.DataFrame({"item": items, "label": labels})
    return None


def _side_tables(given: Given, texts: list[Path], items: set[int], lists: Path) -> pd.DataFrame:
    """What other text files tell about the items, those that have a line for (nearly) each and the same columns."""
    import pandas as pd

    joined = pd.DataFrame({"item": sorted(items)})
    for path in texts:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[1:]
        rows = [line.split(",") for line in lines if line.strip()]
        if path == lists or not rows or len({len(row) for row in rows}) != 1 or not rows[0][0].strip().isdecimal():
            continue
        table = pd.DataFrame(rows)
        for name in table:
            numbers = as_numbers(table[name])
            table[name] = table[name] if numbers.isna().all() else numbers
        if table[0].is_unique and len(items & set(table[0])) >= 0.95 * len(items):
            names = {name: "item" if name == 0 else f"{path.stem} {name}" for name in table}
            joined = joined.merge(table.rename(columns=names), on="item", how="left")
    return joined
