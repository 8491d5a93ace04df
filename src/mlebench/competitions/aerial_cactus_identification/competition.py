"""Aerial cactus identification: is there a columnar cactus in the thumbnail?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import aligned, probabilities
from mlebench.metrics import roc_auc

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

competition = Competition(
    id="aerial-cactus-identification",
    name="Aerial Cactus Identification",
    category="Image Classification",
    metric="area under the ROC curve",
    group="low",
    gigabytes=0.0254,
    known_issues=(
        KnownIssue("The images lie in train.zip and test.zip, not in the folders that the original text mentions."),
        KnownIssue("The labels of all images, test images included, are in a public dataset."),
        KnownIssue(
            "Thumbnails come from a few flights and are split at random, so crops of one plant are on both sides.",
        ),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out 19 % of the images, which is Kaggle's own share."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.19)
    public.write_csv("train.csv", train)
    public.write_csv("sample_submission.csv", test.assign(has_cactus=0.5))
    private.write_csv("test.csv", test)
    images = raw.archive("train.zip")
    for name, part in (("train.zip", train), ("test.zip", test)):
        public.write_zip(name, {image: images[f"train/{image}"] for image in part["id"]})


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="id", target="has_cactus")
    return roc_auc(truth, probabilities(predicted))
