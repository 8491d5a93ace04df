"""RANZCR CLiP: which tubes and lines does a chest X-ray show, and are they where they should be?"""

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Table,
    aligned,
    group_split,
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
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the X-rays."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    _write_parts(train, test, GRADED, raw, public, private)


@competition.prepare(edition="v2")
def prepare_v2(raw: Raw, public: Output, private: Output) -> None:
    """Hold out the X-rays of a tenth of the patients, and ask for all eleven labels."""
    train, test = group_split(raw.read_csv("train.csv"), by="PatientID", test_size=0.1)
    _write_parts(train, test, LABELS, raw, public, private)


def _write_parts(train: Table, test: Table, graded: list[str], raw: Raw, public: Output, private: Output) -> None:
    """Publish both parts; drawn lines are kept for the train part only."""
    annotations = raw.read_csv("train_annotations.csv")
    public.write_csv("train.csv", train)
    public.write_csv("train_annotations.csv", annotations[annotations[ID].isin(train[ID])])
    public.write_csv("sample_submission.csv", test[[ID]].assign(**dict.fromkeys(graded, 0)))
    private.write_csv("test.csv", test)
    public.place_split(train[ID], test[ID], raw, "train/{}.jpg")


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of each graded label, averaged over the nine."""
    truth, predicted = aligned(submission, answers, on=ID, target=GRADED)
    return mean_column_auc(truth, probabilities(predicted))


@competition.grade(edition="v2")
def grade_v2(submission: Table, answers: Table) -> float:
    """The same over all eleven labels; one that all X-rays of the test set have, or none, is left out."""
    truth, predicted = aligned(submission, answers, on=ID, target=LABELS)
    varied = truth.nunique().to_numpy() == 2
    return mean_column_auc(truth.to_numpy()[:, varied], probabilities(predicted)[:, varied])
