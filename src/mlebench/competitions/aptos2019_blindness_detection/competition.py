"""APTOS 2019 blindness detection: how far has diabetic retinopathy damaged the retina?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import aligned, whole_numbers
from mlebench.metrics import quadratic_weighted_kappa

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

competition = Competition(
    id="aptos2019-blindness-detection",
    name="APTOS 2019 Blindness Detection",
    category="Image Classification",
    metric="quadratic weighted kappa",
    group="low",
    gigabytes=10.22,
    known_issues=(
        KnownIssue(
            "The original text names train.zip, test.zip and a hidden test set of 13,000 photographs; here "
            "they lie in folders, and the test set is a tenth of the training set.",
        ),
        KnownIssue(
            "Some photographs occur more than once, exactly or nearly, even with different grades, and the "
            "random split puts copies on both sides.",
            v2="Keeps photographs with the same content together.",
        ),
        KnownIssue(
            "A prediction outside 0 to 4 is scored as one more grade next to the lowest or highest.",
            v2="Refuses it.",
        ),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a tenth of the photographs."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test[["id_code"]])
    public.write_csv("sample_submission.csv", test.assign(diagnosis=0))
    private.write_csv("test.csv", test)
    public.place_each(train["id_code"], raw, "train_images/{}.png")
    public.place_each(test["id_code"], raw, "train_images/{}.png", to="test_images/{}.png")


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Quadratic weighted kappa of predicted and true grades."""
    truth, predicted = aligned(submission, answers, on="id_code", target="diagnosis")
    return quadratic_weighted_kappa(truth, whole_numbers(predicted))
