"""RSNA breast cancer: does a breast have cancer, by its screening mammograms?"""

import numpy as np

from mlebench.kit import (
    Column,
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    group_split,
    numbers,
    probabilistic_f1,
)

KNOWN_OF_TEST = ["site_id", "patient_id", "image_id", "laterality", "view", "age", "implant", "machine_id"]

competition = Competition(
    "rsna-breast-cancer-detection",
    "RSNA Screening Mammography Breast Cancer Detection",
    category="Image Classification",
    metric="probabilistic F1",
    group="high",
    answers="answers.csv",
    gigabytes=300,
    breaks=["wrong_values_refused"],  # as published, an empty prediction makes the score 0
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the patients; the answers have a row per breast, not per picture."""
    train, test = group_split(raw.read_csv("train.csv"), by="patient_id", test_size=0.1, seed=42)
    test = test.assign(prediction_id=test["patient_id"].astype(str) + "_" + test["laterality"])
    answers = test.groupby("prediction_id", as_index=False)["cancer"].first()
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test[[*KNOWN_OF_TEST, "prediction_id"]])
    public.write_csv("sample_submission.csv", answers.assign(cancer=train["cancer"].mean()))
    private.write_csv("answers.csv", answers)
    public.place_split(_pictures(train), _pictures(test), raw, "train_images/{}.dcm")


def _pictures(rows: Table) -> Column:
    return rows["patient_id"].astype(str) + "/" + rows["image_id"].astype(str)


@competition.grade
def grade(submission: Table, answers: Table, strict: bool = False) -> float:
    """Probabilistic F1 of the predictions, clipped to 0 to 1."""
    truth, predicted = aligned(submission, answers, on="prediction_id", target="cancer")
    if strict:
        clipped = np.clip(numbers(predicted), 0, 1)
        return probabilistic_f1(truth, clipped) if clipped.any() else 0.0
    # As published: a single empty prediction makes the score 0.
    values = numbers(predicted, missing=True, infinite=True)
    if (values < 0).all():
        raise InvalidSubmissionError(
            "All values of the column cancer are below 0; predict probabilities from 0 to 1.",
            code=RefusalCode.NOT_A_PROBABILITY,
        )
    return probabilistic_f1(truth, values)


competition.v2(strict=True, breaks=[])
