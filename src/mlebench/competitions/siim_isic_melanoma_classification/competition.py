"""SIIM-ISIC melanoma classification: is the lesion in a skin photograph malignant?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data.tfrecords import text_features
from mlebench.grade import aligned, probabilities
from mlebench.metrics import roc_auc

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

# The images in these two record files are the test set.
TEST_RECORDS = ["train00-2071.tfrec", "train06-2071.tfrec"]
KNOWN_OF_TEST = ["image_name", "patient_id", "sex", "age_approx", "anatom_site_general_challenge"]

competition = Competition(
    id="siim-isic-melanoma-classification",
    name="SIIM-ISIC Melanoma Classification",
    category="Image Classification",
    metric="area under the ROC curve",
    group="low",
    gigabytes=116.16,
    known_issues=(
        KnownIssue(
            "The test TFRecord files are training files under another name, whose records carry target and "
            "diagnosis: the answers are in the public data.",
            v2="Leaves out the test TFRecord files.",
        ),
        KnownIssue(
            "The split follows record files, so patients are on both sides; Kaggle's test patients were new.",
            v2="Splits by patient.",
        ),
        KnownIssue("Some hundred images occur twice and may be on both sides of the split."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out the images of two of the record files; all tables keep the raw order."""
    images, records = raw.read_csv("train.csv"), raw.folder("tfrecords")
    held_out = [name for file in TEST_RECORDS for name in text_features(raw.path(f"tfrecords/{file}"), "image_name")]
    in_test = images["image_name"].isin(held_out)
    train, test = images[~in_test], images[in_test]
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test[KNOWN_OF_TEST])
    public.write_csv("sample_submission.csv", test[["image_name"]].assign(target=0))
    private.write_csv("test.csv", test[["image_name", "target"]])
    public.place_each(train["image_name"], raw, "train/{}.dcm")
    public.place_each(train["image_name"], raw, "jpeg/train/{}.jpg")
    public.place_each(test["image_name"], raw, "train/{}.dcm", to="test/{}.dcm")
    public.place_each(test["image_name"], raw, "jpeg/train/{}.jpg", to="jpeg/test/{}.jpg")
    others = [file for file in records.names("train*.tfrec") if file not in TEST_RECORDS]
    for part, files in (("train", others), ("test", TEST_RECORDS)):
        public.place({_record_name(part, number, file): records[file] for number, file in enumerate(files)})


def _record_name(part: str, number: int, old: str) -> str:
    """Where a record file goes: its number is new, what follows the hyphen stays."""
    return f"tfrecords/{part}{number:02d}-{old.rsplit('-', 1)[1]}"


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="image_name", target="target")
    return roc_auc(truth, probabilities(predicted))
