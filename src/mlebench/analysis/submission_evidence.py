"""What a submission tells about the mistake behind it: the sample handed in, labels instead of probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.competition.declaration import Competition
from mlebench.files.regular import read_regular

if TYPE_CHECKING:
    import pandas as pd

_LARGEST = 200 << 20  # bytes of a submission that is compared
_ROUNDING = 1e-4  # of a number: what is lost when it is written with few digits
_PROBABILITIES = ("area under the ROC curve", "AUC", "log loss")


def is_sample(submission: Path, sample: Path) -> bool:
    """Whether a submission is the sample submission, perhaps written again."""
    try:
        if read_regular(submission, _LARGEST) == read_regular(sample, _LARGEST, follow=True):
            return True
        ours, theirs = _read(submission), _read(sample)
    except OSError:
        return False
    if ours is None or theirs is None or ours.shape != theirs.shape or set(ours) != set(theirs):
        return False
    columns = list(theirs)
    # By all columns: the first one may be the prediction, which many rows have in common.
    ours, theirs = (table[columns].sort_values(columns, ignore_index=True) for table in (ours, theirs))
    return all(_same_values(ours[name], theirs[name]) for name in columns)


def _same_values(ours: pd.Series[Any], theirs: pd.Series[Any]) -> bool:
    """Whether two columns are the same, but for how numbers are written."""
    import numpy as np

    if all(column.dtype.kind in "iufb" for column in (ours, theirs)):
        return bool(np.allclose(ours.astype(float), theirs.astype(float), rtol=_ROUNDING, atol=0.0, equal_nan=True))
    return bool(ours.astype(str).equals(theirs.astype(str)))


def misunderstood_form(
    submission: Path, samples: Sequence[Path], competition: Competition, score: float
) -> tuple[str, str] | None:
    """(what was misunderstood, how it shows): an inverted ranking, or labels where probabilities are asked for."""
    if not any(word in competition.metric for word in _PROBABILITIES):
        return None
    if ("AUC" in competition.metric or "ROC" in competition.metric) and score < 0.4:
        return "direction", f"an AUC of {score:g} is far below 0.5: the predictions rank the wrong way round"
    table = _read(submission)
    if table is None:
        return None
    asked = _read(samples[0]) if samples else None
    columns = list(table.columns[1:]) if asked is None else _predicted(table, asked)
    numbers = [table[name] for name in columns if name in table and table[name].dtype.kind in "iufb"]
    if len(numbers) < len(columns) or not numbers:
        return None
    hard = all(bool(column.isin((0, 1)).all()) for column in numbers)
    if hard and any(column.nunique() > 1 for column in numbers):
        return "form", f"all predictions are 0 or 1, but {competition.metric} asks for probabilities"
    return None


def _predicted(table: pd.DataFrame, sample: pd.DataFrame) -> list[str]:
    """The columns of the sample that a submission has filled itself: ids, wherever they are, have the same values."""

    def values(frame: pd.DataFrame, name: str) -> list[str]:
        return sorted(map(str, frame[name]))

    return [name for name in sample if name not in table or values(table, name) != values(sample, name)]


def _read(path: Path) -> pd.DataFrame | None:
    import pandas as pd

    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:  # a pipe would keep us waiting
            return None
        return pd.read_csv(path)
    except (OSError, ValueError):
        return None
