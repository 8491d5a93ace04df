"""RANZCR CLiP: which tubes and lines does a chest X-ray show, and do they lie where they should?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import aligned, probabilities
from mlebench.metrics import mean_column_auc

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

ID = "StudyInstanceUID"
# As published: the labels "CVC - Normal" and "Swan Ganz Catheter Present" are not graded.
GRADED = [
    "ETT - Abnormal",
    "ETT - Borderline",
    "ETT - Normal",
    "NGT - Abnormal",
    "NGT - Borderline",
    "NGT - Incompletely Imaged",
    "NGT - Normal",
    "CVC - Abnormal",
    "CVC - Borderline",
]

competition = Competition(
    id="ranzcr-clip-catheter-line-classification",
    name="RANZCR CLiP - Catheter and Line Position Challenge",
    category="Image Classification",
    metric="mean column-wise area under the ROC curve",
    group="low",
    gigabytes=13.13,
    known_issues=(
        KnownIssue(
            "Only nine of the eleven labels are in the sample submission and in the score: CVC - Normal and "
            "Swan Ganz Catheter Present are left out.",
            v2="Asks for all eleven labels and averages over them.",
        ),
        KnownIssue(
            "The split is by image, so X-rays of one patient are on both sides.",
            v2="Splits by patient.",
        ),
        KnownIssue("The X-rays come from a public collection."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a tenth of the X-rays; drawn lines are kept for the train part only."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    annotations = raw.read_csv("train_annotations.csv")
    public.write_csv("train.csv", train)
    public.write_csv("train_annotations.csv", annotations[annotations[ID].isin(train[ID])])
    public.write_csv("sample_submission.csv", test[[ID]].assign(**dict.fromkeys(GRADED, 0)))
    private.write_csv("test.csv", test)
    public.place_each(train[ID], raw, "train/{}.jpg")
    public.place_each(test[ID], raw, "train/{}.jpg", to="test/{}.jpg")


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Area under the ROC curve of each graded label, averaged over the nine."""
    truth, predicted = aligned(submission, answers, on=ID, target=GRADED)
    return mean_column_auc(truth, probabilities(predicted))
