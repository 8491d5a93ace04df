"""The kinds of data that a run can be on, which decide what its score means."""

from __future__ import annotations

from enum import StrEnum

_TWIN, _BUILT_IN = "twin", "built-in"


class DataKind(StrEnum):
    """What the data of a run or report was."""

    REAL = "real"  # the competition's own: medals and percentiles are against people
    TWIN = "twin"  # synthetic: scores mean nothing, and there are no medals and no percentiles
    PRACTICE = "practice"  # public data that ships with mlebench: medals are against pipelines


def kind_of_data(data: str | None, group: str | None = None) -> DataKind:
    """The kind of what a report or record calls its data, such as `twin (seed 0, scale 1)`, `built-in` or `kaggle`.

    `group` is that of the competition, where it is known: a practice competition has practice data, whoever graded it.
    Reports of the published package do not name their data, which is real.

    >>> kind_of_data("twin (seed 0, scale 1)"), kind_of_data("built-in"), kind_of_data(None)
    (<DataKind.TWIN: 'twin'>, <DataKind.PRACTICE: 'practice'>, <DataKind.REAL: 'real'>)
    """
    word = (data or "").partition(" ")[0]
    if word == _TWIN:
        return DataKind.TWIN
    return DataKind.PRACTICE if word == _BUILT_IN or group == DataKind.PRACTICE else DataKind.REAL
