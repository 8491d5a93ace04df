"""IceCube: from which direction did a neutrino come into the ice?"""

from collections.abc import Iterator

import numpy as np

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    mean_angular_error,
    numbers,
    random_split,
)

META = "train_meta.parquet"
ANGLES = ["azimuth", "zenith"]

competition = Competition(
    "icecube-neutrinos-in-deep-ice",
    "IceCube - Neutrinos in Deep Ice",
    category="Tabular",
    metric="mean angular error",
    group="medium",
    gigabytes=100,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the batches; tables keep the raw order."""
    import pandas as pd

    ids = [rows["batch_id"].unique() for rows in raw.parquet_batches(META, columns=["batch_id"])]
    train_batches, test_batches = random_split(pd.unique(np.concatenate(ids)), test_size=0.1)
    held_out = []

    def train_rows() -> Iterator[Table]:
        """The rows of the train part as they are read; only those of the test part stay in memory."""
        for rows in raw.parquet_batches(META):
            in_test = rows["batch_id"].isin(test_batches)
            held_out.append(rows[in_test])
            yield rows[~in_test]

    public.write_parquet("train_meta.parquet", train_rows())
    test = pd.concat(held_out)
    public.write_parquet("test_meta.parquet", test.drop(columns=ANGLES))
    public.write_csv("sample_submission.csv", test[["event_id"]].assign(azimuth=1, zenith=1))
    private.write_csv("test.csv", test[["event_id", *ANGLES]])
    public.place({"sensor_geometry.csv": raw["sensor_geometry.csv"]})
    public.place_split(train_batches, test_batches, raw, "train/batch_{}.parquet")


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Mean angle between predicted and true directions, in radians."""
    truth, predicted = aligned(submission, answers, on="event_id", target=ANGLES, exactly=True)
    if any(kind.kind == "b" for kind in predicted.dtypes):
        raise InvalidSubmissionError(
            "The angles must be numbers in radians, not True and False.", code=RefusalCode.NOT_A_NUMBER
        )
    return mean_angular_error(truth, numbers(predicted))
