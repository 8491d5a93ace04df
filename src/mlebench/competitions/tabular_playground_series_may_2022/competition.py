"""Tabular Playground May 2022: which of two states is the machine in?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import aligned, probabilities
from mlebench.metrics import roc_auc

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

TEST_ROWS = 100_000

competition = Competition(
    id="tabular-playground-series-may-2022",
    name="Tabular Playground Series - May 2022",
    category="Tabular",
    metric="area under the ROC curve",
    group="low",
    gigabytes=0.57,
    known_issues=(
        KnownIssue("The best and the median of the leaderboard lie so close together that a medal says little."),
        KnownIssue("One row in nine is held out, where the original competition withheld 44 % of all rows."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out 100000 rows, whatever the size of the table, and number all rows anew."""
    train, test = random_split(raw.read_lean_csv("train.csv"), test_size=TEST_ROWS, consume=True)
    train = train.assign(id=range(len(train)))
    test = test.assign(id=range(len(train), len(train) + len(test)))
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="target"))
    public.write_csv("sample_submission.csv", test[["id"]].assign(target=0.5))
    private.write_csv("test.csv", test)
    private.write_csv("gold_submission.csv", test[["id", "target"]])


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="id", target="target")
    return roc_auc(truth, probabilities(predicted))
