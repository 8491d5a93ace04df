"""New York City taxi fares: what does a ride cost?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import numbers, require_columns, require_rows
from mlebench.metrics import rmse

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

TEST_RIDES = 9914
LEAFLET = "GCP-Coupons-Instructions.rtf"

competition = Competition(
    id="new-york-city-taxi-fare-prediction",
    name="New York City Taxi Fare Prediction",
    category="Tabular",
    metric="root mean squared error",
    better="lower",
    group="low",
    gigabytes=5.7,
    known_issues=(
        KnownIssue("The training rides are in labels.csv, a name that does not say so.", v2="Writes train.csv."),
        KnownIssue(
            "Keys are sorted but never compared: a submission with unknown or repeated keys is accepted, and "
            "its rows meet those of other rides.",
            v2="Refuses keys other than those of the test set.",
        ),
        KnownIssue(
            "The test rides come from the uncleaned training data and include a few negative or absurd "
            "fares, so scores need not compare exactly with those on the original test set.",
        ),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out as many rides as Kaggle's own test set has, whatever the size of the table."""
    rides = raw.stored_rows("train.csv")
    train, held_out = random_split(np.arange(len(rides)), test_size=TEST_RIDES)
    public.write_rows("labels.csv", rides, train)
    test = rides.table(held_out)
    public.write_csv("test.csv", test.drop(columns="fare_amount"))
    public.write_csv("sample_submission.csv", test[["key"]].assign(fare_amount=11.35))
    private.write_csv("test.csv", test)
    public.place({LEAFLET: raw[LEAFLET]})


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Root mean squared error of the fares, in dollars."""
    require_columns(submission, ["key", "fare_amount"])
    require_rows(submission, answers)
    guesses = submission.assign(fare_amount=numbers(submission["fare_amount"]))
    # As published: rows are matched by their position after sorting, whatever the keys are.
    truth, predicted = (table.sort_values("key", kind="stable")["fare_amount"] for table in (answers, guesses))
    return rmse(truth, predicted)
