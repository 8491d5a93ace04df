"""The kit: the one module that authors of competitions import.

It has the declaration (`Competition`), the types of handles and tables, splits, the rules for submissions, and every
metric of `mlebench.metrics`. Importing it loads NumPy, but neither pandas nor anything of the stages that download,
grade or run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from mlebench import metrics
from mlebench.base.codes import NoMedalCode, RefusalCode
from mlebench.competition.declaration import Competition
from mlebench.competition.vocabulary import OwnMetric
from mlebench.errors import InvalidSubmissionError, PreparationError, in_cell
from mlebench.files.output_folder import Output
from mlebench.files.raw_files import Files, Raw
from mlebench.files.source import Source
from mlebench.files.tables import joined_cells, rows_where
from mlebench.kit.masks import decode_runs, encode_runs, fill_runs
from mlebench.kit.rules import (
    aligned,
    as_text,
    class_numbers,
    complete,
    cut_to_whole,
    distributions,
    known_ids,
    label_sets,
    numbers,
    one_of,
    paired_by_position,
    probabilities,
    require_columns,
    require_rows,
    same_ids,
    texts,
    truth_values,
    whole_numbers,
)
from mlebench.kit.splits import (
    Split,
    group_mask,
    group_split,
    grouped_by,
    known_from_train,
    one_hot,
    random_split,
    split_together,
    stratified_by,
)
from mlebench.metrics import *  # noqa: F403
from mlebench.metrics.classification import EPSILON

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from numpy.typing import NDArray

Table: TypeAlias = "pd.DataFrame"
Column: TypeAlias = "pd.Series[Any]"
ReadLabels: TypeAlias = "Callable[[pd.Series[Any]], NDArray[Any]]"  # a rule such as class_numbers

__all__ = [
    "EPSILON",
    "Column",
    "Competition",
    "Files",
    "InvalidSubmissionError",
    "NoMedalCode",
    "Output",
    "OwnMetric",
    "PreparationError",
    "Raw",
    "ReadLabels",
    "RefusalCode",
    "Source",
    "Split",
    "Table",
    "aligned",
    "as_text",
    "class_numbers",
    "complete",
    "cut_to_whole",
    "decode_runs",
    "distributions",
    "encode_runs",
    "fill_runs",
    "group_mask",
    "group_split",
    "grouped_by",
    "in_cell",
    "joined_cells",
    "known_from_train",
    "known_ids",
    "label_sets",
    "numbers",
    "one_hot",
    "one_of",
    "paired_by_position",
    "probabilities",
    "random_split",
    "require_columns",
    "require_rows",
    "rows_where",
    "same_ids",
    "split_together",
    "stratified_by",
    "texts",
    "truth_values",
    "whole_numbers",
]
__all__ += metrics.__all__
