"""INGV volcanic eruptions: how long after ten minutes of tremor will the volcano erupt?"""

import math

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    mean_absolute_error,
    numbers,
    random_split,
    require_columns,
    same_ids,
)

competition = Competition(
    "predict-volcanic-eruptions-ingv-oe",
    "INGV - Volcanic Eruption Prediction",
    category="Signal Processing",
    metric="mean absolute error",
    group="high",
    gigabytes=15,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the segments."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("sample_submission.csv", test.assign(time_to_eruption=0))
    private.write_csv("test.csv", test)
    public.place_split(train["segment_id"], test["segment_id"], raw, "train/{}.csv")


@competition.grade
def grade(submission: Table, answers: Table, repeated_segments: bool = True) -> float:
    """Mean absolute error, rounded to a whole number, an exact half to the even one."""
    if not repeated_segments:
        aligned(submission, answers, on="segment_id", target="time_to_eruption")  # only for its checks
    require_columns(submission, ["segment_id", "time_to_eruption"])
    same_ids(submission["segment_id"], answers["segment_id"], "segment_id")
    # As published: a segment may be there several times, and each time counts.
    truth = answers.set_index("segment_id")["time_to_eruption"].reindex(submission["segment_id"])
    error = mean_absolute_error(truth, numbers(submission["time_to_eruption"]))
    if math.isinf(error):
        raise InvalidSubmissionError(
            "The column time_to_eruption has numbers so large that their mean is infinite.",
            code=RefusalCode.OUT_OF_RANGE,
        )
    return round(error)


competition.v2(repeated_segments=False)
