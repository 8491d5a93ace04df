"""Paddy Doctor: which disease, if any, does the rice plant in a photograph have?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import InvalidSubmissionError, aligned
from mlebench.metrics import accuracy

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

competition = Competition(
    id="paddy-disease-classification",
    name="Paddy Doctor: Paddy Disease Classification",
    category="Image Classification",
    metric="accuracy",
    group="dev",
    known_issues=(KnownIssue("Several photographs of one plant may be on both sides of the random split."),),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a quarter of the photographs."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.25)
    public.write_csv("train.csv", train)
    public.write_csv("sample_submission.csv", test[["image_id"]].assign(label=""))
    private.write_csv("test.csv", test)
    public.place_each(train["label"] + "/" + train["image_id"], raw, "train_images/{}")
    flat = zip(test["image_id"], test["label"], strict=True)
    public.place({f"test_images/{image}": raw[f"train_images/{label}/{image}"] for image, label in flat})


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Share of photographs whose label is predicted right."""
    from pandas.api.types import infer_dtype

    truth, predicted = aligned(submission, answers, on="image_id", target="label")
    numeric = infer_dtype(predicted) != "string" and predicted.notna().any()
    # as published: empty cells are only wrong, and so are whole numbers, unless there are gaps among them
    if numeric and (predicted % 1 != 0).any():
        raise InvalidSubmissionError(
            "The column label holds numbers, with fractions or gaps; write the name of a class, such as "
            "'brown_spot', in each row."
        )
    return accuracy(truth, predicted)
