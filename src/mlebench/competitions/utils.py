"""Names of the published benchmark's `mlebench.competitions.utils`, for competitions that were written for it.

This is the one module for such competitions; see also `mlebench.metrics.published`. Competitions of our own import
`mlebench.kit`, which does the work here too. Two things differ: a broken run-length code is an InvalidSubmissionError
with a reason, where the published functions assert, and TFRecord files are read without TensorFlow.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mlebench.base.codes import RefusalCode
from mlebench.base.logs import shown_logger as get_logger
from mlebench.errors import InvalidSubmissionError
from mlebench.files.tfrecord_reader import text_features
from mlebench.kit import numbers, one_hot, paired_by_position, require_columns, require_rows, same_ids
from mlebench.kit.masks import decode_runs, encode_runs, fill_runs

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "df_to_one_hot",
    "get_ids_from_tf_records",
    "get_logger",
    "logger",
    "one_hot_dfs_to_log_loss_inputs",
    "prepare_for_accuracy_metric",
    "prepare_for_auroc_metric",
    "rle_decode",
    "rle_encode",
    "rles_to_masks",
]

logger = logging.getLogger(__name__)


def prepare_for_auroc_metric(
    submission: pd.DataFrame, answers: pd.DataFrame, id_col: str, target_col: str
) -> dict[str, NDArray[Any]]:
    """`y_true` and `y_score`, both in the order of the ids, for an area under the ROC curve.

    Predictions are numbers between 0 and 1; ids may repeat if they do so on both sides.
    """
    require_columns(submission, [id_col, target_col])
    require_rows(submission, answers)
    numbers(submission[target_col], low=0.0, high=1.0, missing=True)
    truth, predicted = _paired(submission, answers, id_col)
    return {
        "y_true": truth[target_col].to_numpy(),
        "y_score": numbers(predicted[target_col], missing=True),
    }


def prepare_for_accuracy_metric(
    submission: pd.DataFrame, answers: pd.DataFrame, target_column: str, id_column: str
) -> dict[str, NDArray[Any]]:
    """`y_true` and `y_pred`, both in the order of the ids, for an accuracy."""
    require_columns(submission, [id_column, target_column])
    require_rows(submission, answers)
    same_ids(submission[id_column], answers[id_column], id_column)
    truth, predicted = paired_by_position(submission, answers, on=id_column)
    return {"y_true": truth[target_column].to_numpy(), "y_pred": predicted[target_column].to_numpy()}


def _paired(submission: pd.DataFrame, answers: pd.DataFrame, on: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(answers, submission), both in the order of the ids, which are the same row by row."""
    truth, predicted = paired_by_position(submission, answers, on=on)
    if not np.array_equal(truth[on].to_numpy(), predicted[on].to_numpy()):
        same_ids(submission[on], answers[on], on)
        raise InvalidSubmissionError(
            f"The column {on} repeats some ids more often than the test set does.", code=RefusalCode.DUPLICATE_IDS
        )
    return truth, predicted


def df_to_one_hot(df: pd.DataFrame, id_column: str, target_column: str, classes: Sequence[str]) -> pd.DataFrame:
    """A table with the ids and one column per class: 1 where a row has that label, 0 elsewhere."""
    cells = one_hot(df[target_column], list(classes))
    cells.insert(0, id_column, df[id_column])
    return cells


def one_hot_dfs_to_log_loss_inputs(
    submission_one_hot: pd.DataFrame, answers_one_hot: pd.DataFrame, id_column: str = "id", apply_softmax: bool = True
) -> dict[str, NDArray[Any]]:
    """`y_true` and `y_pred`, rows in the order of the ids and columns in that of the answers, for a log loss."""
    classes = [name for name in answers_one_hot.columns if name != id_column]
    require_columns(submission_one_hot, [id_column, *classes])
    require_rows(submission_one_hot, answers_one_hot)
    truth, predicted = _paired(submission_one_hot[[id_column, *classes]], answers_one_hot, id_column)
    values = numbers(predicted[classes], missing=True, infinite=True)
    if apply_softmax:
        powers = np.exp(values - values.max(axis=1, keepdims=True))
        values = powers / powers.sum(axis=1, keepdims=True)
    return {"y_true": truth[classes].to_numpy(), "y_pred": values}


def rle_decode(rle_string: str, height: int, width: int) -> NDArray[np.bool_]:
    """The mask of a run-length code, whose pixels are numbered from 1, from top to bottom, then from left to right."""
    if not isinstance(rle_string, str):
        raise InvalidSubmissionError(
            f"{rle_string!r} is not a run-length code; it must be text.", code=RefusalCode.MALFORMED_VALUE
        )
    return fill_runs(decode_runs(rle_string, height * width), height * width).reshape((height, width), order="F")


def rles_to_masks(
    encodings: Iterable[str], image_heights: Iterable[int], image_widths: Iterable[int]
) -> list[NDArray[np.bool_]]:
    """The masks that run-length codes stand for, each for an image of its own size."""
    sizes = zip(encodings, image_heights, image_widths, strict=False)  # as published, the shortest of them counts
    return [rle_decode(code, int(height), int(width)) for code, height, width in sizes]


def rle_encode(mask: NDArray[Any]) -> list[int]:
    """The run-length code of a mask as numbers: start, length, start, length, …"""
    return [int(number) for number in encode_runs(np.asarray(mask, dtype=bool).T.ravel()).split()]


def get_ids_from_tf_records(tf_record_file: Path) -> list[str]:
    """The `image_name` of every record of a TFRecord file."""
    return text_features(Path(tf_record_file), "image_name")
