"""Histopathologic cancer detection: is there tumour tissue in the middle of a lymph node patch?"""

from mlebench.kit import Competition, Output, Raw, Table, aligned, group_split, probabilities, roc_auc

competition = Competition(
    "histopathologic-cancer-detection",
    "Histopathologic Cancer Detection",
    category="Image Regression",
    metric="area under the ROC curve",
    group="low",
    answers="answers.csv",
    gigabytes=7.76,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out the share of patches that Kaggle held out of all it had; tables keep the raw order."""
    labels = raw.read_csv("train_labels.csv")
    unlabelled = len(raw.folder("test").names("*.tif"))
    train, test = group_split(labels, by="id", test_size=unlabelled / (len(labels) + unlabelled))
    public.write_csv("train_labels.csv", train)
    public.write_csv("sample_submission.csv", test.assign(label=0))
    private.write_csv("answers.csv", test)
    public.place_split(train["id"], test["id"], raw, "train/{}.tif")


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="id", target="label")
    return roc_auc(truth, probabilities(predicted))
