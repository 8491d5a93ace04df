"""Tabular Playground December 2021: which of seven kinds of forest covers a patch of land?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import aligned, class_numbers
from mlebench.metrics import accuracy

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

competition = Competition(
    id="tabular-playground-series-dec-2021",
    name="Tabular Playground Series - Dec 2021",
    category="Tabular",
    metric="accuracy",
    group="low",
    gigabytes=0.7,
    known_issues=(
        KnownIssue("The best and the median of the leaderboard lie so close together that a medal says little."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a tenth of the patches."""
    train, test = random_split(raw.read_lean_csv("train.csv"), test_size=0.1, consume=True)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="Cover_Type"))
    public.write_csv("sample_submission.csv", test[["Id"]].assign(Cover_Type=2))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Share of patches whose cover type is predicted right."""
    truth, predicted = aligned(submission, answers, on="Id", target="Cover_Type")
    return accuracy(truth, class_numbers(predicted))
