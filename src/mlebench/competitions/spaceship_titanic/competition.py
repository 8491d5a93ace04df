"""Spaceship Titanic: which passengers were transported?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition
from mlebench.data import random_split
from mlebench.grade import aligned, truth_values
from mlebench.metrics import accuracy

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

competition = Competition(
    id="spaceship-titanic",
    name="Spaceship Titanic",
    category="Tabular",
    metric="accuracy",
    group="dev",
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a tenth of the passengers."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="Transported"))
    public.write_csv("sample_submission.csv", test[["PassengerId"]].assign(Transported=False))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Share of passengers whose fate is predicted right."""
    truth, predicted = aligned(submission, answers, on="PassengerId", target="Transported")
    return accuracy(truth, truth_values(predicted))
