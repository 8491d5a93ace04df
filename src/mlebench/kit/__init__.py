"""The kit: the one module that authors of competitions import.

It has the declaration (`Competition`), the types of handles and tables, splits, the rules for submissions, and every
metric of `mlebench.metrics`. Importing it loads NumPy, but neither pandas nor anything of the stages that download,
grade or run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from mlebench import metrics
from mlebench.base.codes import RefusalCode
from mlebench.competition.declaration import Competition
from mlebench.competition.vocabulary import OwnMetric
from mlebench.errors import InvalidSubmissionError, PreparationError, in_cell
from mlebench.files.output_folder import Output
from mlebench.files.raw_files import Files, Raw
from mlebench.files.source import Source
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
from mlebench.kit.splits import group_split, one_hot, random_split
from mlebench.metrics import *  # noqa: F403

if TYPE_CHECKING:
    import pandas as pd

Table: TypeAlias = "pd.DataFrame"
Column: TypeAlias = "pd.Series[Any]"

__all__ = [
    "Column",
    "Competition",
    "Files",
    "InvalidSubmissionError",
    "Output",
    "OwnMetric",
    "PreparationError",
    "Raw",
    "RefusalCode",
    "Source",
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
    "group_split",
    "in_cell",
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
    "same_ids",
    "texts",
    "truth_values",
    "whole_numbers",
]
__all__ += metrics.__all__
