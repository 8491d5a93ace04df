"""Invasive species monitoring: is there hydrangea in a photograph of a Brazilian forest?"""

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
    id="invasive-species-monitoring",
    name="Invasive Species Monitoring",
    category="Image Classification",
    metric="area under the ROC curve",
    group="dev",
    answers="answers.csv",
    sample="private/sample_submission.csv",
    known_issues=(
        KnownIssue(
            "The archives train.7z and test.7z hold no pictures, so the task cannot be solved as prepared.",
            v2="Archives the pictures as train/<name>.jpg and test/<name>.jpg.",
        ),
        KnownIssue("Successive shots of one place may be on both sides of the random split."),
        KnownIssue("A fifth of the pictures is held out, where Kaggle held out two fifths."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a fifth of the pictures."""
    train, test = random_split(raw.read_csv("train_labels.csv.zip"), test_size=0.2)
    sample = test.assign(invasive=0.5)
    public.write_csv("train_labels.csv.zip", train)
    public.write_csv("sample_submission.csv.zip", sample)
    private.write_csv("sample_submission.csv", sample)
    private.write_csv("answers.csv", test)
    for name in ("train.7z", "test.7z"):
        public.write_7z(name, {})  # as published: the pictures are missing


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="name", target="invasive")
    return roc_auc(truth, probabilities(predicted))
