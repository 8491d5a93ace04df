"""Plant Pathology 2020: is this apple leaf healthy, rusty, scabby, or sick in several ways?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import aligned, numbers, require_columns
from mlebench.metrics import mean_column_auc

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

CLASSES = ["healthy", "multiple_diseases", "rust", "scab"]

competition = Competition(
    id="plant-pathology-2020-fgvc7",
    name="Plant Pathology 2020 - FGVC7",
    category="Image Classification",
    metric="mean column-wise area under the ROC curve",
    group="low",
    gigabytes=0.8,
    known_issues=(
        KnownIssue(
            "Leaves with multiple_diseases are rare and the split is not stratified, so a quarter of the "
            "score rests on very few test images.",
            v2="Stratifies the split by class.",
        ),
        KnownIssue("The original text calls the column multiple_diseases `combinations`."),
        KnownIssue("Predictions may lie outside of 0 to 1, which a ranking metric does not mind."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a tenth of the leaves and number both parts afresh, each from 0."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    new_ids = {
        old: f"{name}_{number}"
        for name, part in (("Train", train), ("Test", test))
        for number, old in enumerate(part["image_id"])
    }
    public.place({f"images/{new}.jpg": raw[f"images/{old}.jpg"] for old, new in new_ids.items()})
    train, test = (part.assign(image_id=part["image_id"].map(new_ids)) for part in (train, test))
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test[["image_id"]])
    public.write_csv("sample_submission.csv", test[["image_id"]].assign(**dict.fromkeys(CLASSES, 0.25)))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Area under the ROC curve of each class, averaged over the four."""
    require_columns(submission, ["image_id", *CLASSES], exactly=True)
    truth, predicted = aligned(submission, answers, on="image_id", target=CLASSES)
    return mean_column_auc(truth, numbers(predicted))
