"""RANZCR CLiP: which tubes and lines does a chest X-ray show, and are they where they should be?"""

from collections.abc import Sequence

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Split,
    Table,
    aligned,
    grouped_by,
    mean_column_auc,
    probabilities,
    random_split,
)

ID = "StudyInstanceUID"
LABELS = [
    "ETT - Abnormal",
    "ETT - Borderline",
    "ETT - Normal",
    "NGT - Abnormal",
    "NGT - Borderline",
    "NGT - Incompletely Imaged",
    "NGT - Normal",
    "CVC - Abnormal",
    "CVC - Borderline",
    "CVC - Normal",
    "Swan Ganz Catheter Present",
]
GRADED = LABELS[:9]  # as published: the last two are not graded

competition = Competition(
    "ranzcr-clip-catheter-line-classification",
    "RANZCR CLiP - Catheter and Line Position Challenge",
    category="Image Classification",
    metric="mean column-wise area under the ROC curve",
    group="low",
    gigabytes=13.13,
)


@competition.prepare
def prepare(
    raw: Raw, public: Output, private: Output, split: Split = random_split, graded: Sequence[str] = GRADED
) -> None:
    """Hold out a tenth of the X-rays; drawn lines are kept for the train part only."""
    train, test = split(raw.read_csv("train.csv"), test_size=0.1)
    annotations = raw.read_csv("train_annotations.csv")
    public.write_csv("train.csv", train)
    public.write_csv("train_annotations.csv", annotations[annotations[ID].isin(train[ID])])
    public.write_csv("sample_submission.csv", test[[ID]].assign(**dict.fromkeys(graded, 0)))
    private.write_csv("test.csv", test)
    public.place_split(train[ID], test[ID], raw, "train/{}.jpg")


@competition.grade
def grade(submission: Table, answers: Table, graded: Sequence[str] = GRADED) -> float:
    """Area under the ROC curve of each graded label, averaged over them."""
    truth, predicted = aligned(submission, answers, on=ID, target=graded)
    values = probabilities(predicted)
    if graded == LABELS:  # then one that all X-rays of the test set have, or none, is left out
        varied = truth.nunique().to_numpy() == 2
        return mean_column_auc(truth.to_numpy()[:, varied], values[:, varied])
    return mean_column_auc(truth, values)


competition.v2(split=grouped_by("PatientID"), graded=LABELS)
