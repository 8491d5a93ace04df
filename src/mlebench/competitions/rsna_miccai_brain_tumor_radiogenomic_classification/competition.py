"""RSNA-MICCAI brain tumours: is the MGMT promoter of a glioblastoma methylated, by its MRI scans?"""

from collections.abc import Sequence

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Split,
    Table,
    aligned,
    probabilities,
    random_split,
    roc_auc,
    stratified_by,
)

FAULTY = ["00109", "00123", "00709"]  # blank or unusable series, as the organisers say

competition = Competition(
    "rsna-miccai-brain-tumor-radiogenomic-classification",
    "RSNA-MICCAI Brain Tumor Radiogenomic Classification",
    category="Image Classification",
    metric="area under the ROC curve",
    group="high",
    gigabytes=137,
)


@competition.prepare
def prepare(
    raw: Raw, public: Output, private: Output, split: Split = random_split, left_out: Sequence[str] = ()
) -> None:
    """Hold out a tenth of the patients, whose ids keep their leading zeros."""
    cases = raw.read_csv("train_labels.csv", dtype={"BraTS21ID": str})
    train, test = split(cases[~cases["BraTS21ID"].isin(left_out)], test_size=0.1)
    public.write_csv("train_labels.csv", train)
    public.write_csv("sample_submission.csv", test.assign(MGMT_value=0.5))
    private.write_csv("test.csv", test)
    public.split_folders(train["BraTS21ID"], test["BraTS21ID"], raw, "train/{}")


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve; ids are numbers here, so that 00003 and 3 are the same patient."""
    truth, predicted = aligned(submission, answers, on="BraTS21ID", target="MGMT_value")
    return roc_auc(truth, probabilities(predicted))


competition.v2(split=stratified_by("MGMT_value"), left_out=FAULTY)
