"""New York City taxi fares: what does a ride cost?"""

import numpy as np

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Table,
    aligned,
    numbers,
    paired_by_position,
    random_split,
    require_columns,
    require_rows,
    rmse,
)

TEST_RIDES = 9914
LEAFLET = "GCP-Coupons-Instructions.rtf"

competition = Competition(
    "new-york-city-taxi-fare-prediction",
    "New York City Taxi Fare Prediction",
    category="Tabular",
    metric="root mean squared error",
    group="low",
    gigabytes=5.7,
    breaks=["incomplete_refused"],  # as published, keys are never compared
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, train_file: str = "labels.csv") -> None:
    """Hold out as many rides as Kaggle's own test set has, whatever the size of the table."""
    rides = raw.stored_rows("train.csv")
    train, held_out = random_split(np.arange(len(rides)), test_size=TEST_RIDES)
    public.write_rows(train_file, rides, train)
    test = rides.table(held_out)
    public.write_csv("test.csv", test.drop(columns="fare_amount"))
    public.write_csv("sample_submission.csv", test[["key"]].assign(fare_amount=11.35))
    private.write_csv("test.csv", test)
    public.place({LEAFLET: raw[LEAFLET]})


@competition.grade
def grade(submission: Table, answers: Table, match_keys: bool = False) -> float:
    """Root mean squared error of the fares, in dollars."""
    if match_keys:
        fares, given = aligned(submission, answers, on="key", target="fare_amount")
        return rmse(fares, numbers(given))
    require_columns(submission, ["key", "fare_amount"])
    require_rows(submission, answers)
    # As published: rows are matched by their position after sorting, whatever the keys are.
    truth, predicted = paired_by_position(submission, answers, on="key", stable=True)
    return rmse(truth["fare_amount"], numbers(predicted["fare_amount"]))


competition.v2(train_file="train.csv", match_keys=True, breaks=[])
