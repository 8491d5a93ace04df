"""RANZCR CLiP: which tubes and lines does a chest X-ray show, and do they lie where they should?"""

from mlebench.kit import Competition, Output, Raw, Table, aligned, mean_column_auc, probabilities, random_split

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
    "ranzcr-clip-catheter-line-classification",
    "RANZCR CLiP - Catheter and Line Position Challenge",
    category="Image Classification",
    metric="mean column-wise area under the ROC curve",
    group="low",
    gigabytes=13.13,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the X-rays; drawn lines are kept for the train part only."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    annotations = raw.read_csv("train_annotations.csv")
    public.write_csv("train.csv", train)
    public.write_csv("train_annotations.csv", annotations[annotations[ID].isin(train[ID])])
    public.write_csv("sample_submission.csv", test[[ID]].assign(**dict.fromkeys(GRADED, 0)))
    private.write_csv("test.csv", test)
    public.place_split(train[ID], test[ID], raw, "train/{}.jpg")


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of each graded label, averaged over the nine."""
    truth, predicted = aligned(submission, answers, on=ID, target=GRADED)
    return mean_column_auc(truth, probabilities(predicted))
