"""Histopathologic cancer detection: is there tumour tissue in the middle of a lymph node patch?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import group_split
from mlebench.grade import aligned, probabilities
from mlebench.metrics import roc_auc

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

competition = Competition(
    id="histopathologic-cancer-detection",
    name="Histopathologic Cancer Detection",
    category="Image Classification",
    metric="area under the ROC curve",
    group="low",
    answers="answers.csv",
    gigabytes=7.76,
    known_issues=(
        KnownIssue(
            "Patches of one slide, and so of one patient, are on both sides of the random split, which makes "
            "the task easier than the original split by slide; the archive has no slide ids to repair it.",
        ),
        KnownIssue("The labels of all patches are public in the PatchCamelyon data."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out the share of patches that Kaggle held out of all it had; tables keep the raw order."""
    labels = raw.read_csv("train_labels.csv")
    unlabelled = len(raw.folder("test").names("*.tif"))
    train, test = group_split(labels, by="id", test_size=unlabelled / (len(labels) + unlabelled))
    public.write_csv("train_labels.csv", train)
    public.write_csv("sample_submission.csv", test.assign(label=0))
    private.write_csv("answers.csv", test)
    public.place_each(train["id"], raw, "train/{}.tif")
    public.place_each(test["id"], raw, "train/{}.tif", to="test/{}.tif")


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="id", target="label")
    return roc_auc(truth, probabilities(predicted))
