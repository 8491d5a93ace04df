"""Dog breed identification: which of 120 breeds is in the photograph?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.competitions.dog_breed_identification.breeds import BREEDS
from mlebench.data import one_hot, random_split
from mlebench.grade import aligned, distributions
from mlebench.metrics import log_loss

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

competition = Competition(
    id="dog-breed-identification",
    name="Dog Breed Identification",
    category="Image Classification",
    metric="multi-class log loss",
    better="lower",
    group="low",
    gigabytes=0.75,
    known_issues=(
        KnownIssue(
            "The photographs and their breeds are part of Stanford Dogs and ImageNet, so a model that was "
            "pretrained on ImageNet has in effect seen the test images."
        ),
        KnownIssue(
            "Rows that do not sum to 1, for example because they are rounded to four decimals as in the "
            "original example, are refused, where the original rescaled them.",
            v2="Rescales each row to sum to 1.",
        ),
        KnownIssue("The images lie in folders, not in the train.zip and test.zip that the original text mentions."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a tenth of the labelled photographs."""
    train, test = random_split(raw.read_csv("labels.csv"), test_size=0.1)
    public.write_csv("labels.csv", train)
    public.write_csv("sample_submission.csv", test.reindex(columns=["id", *BREEDS], fill_value=1 / 120))
    private.write_csv("test.csv", test[["id"]].join(one_hot(test["breed"], BREEDS)))
    public.place_each(train["id"], raw, "train/{}.jpg")
    public.place_each(test["id"], raw, "train/{}.jpg", to="test/{}.jpg")


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Log loss of the probabilities of the breeds."""
    truth, predicted = aligned(submission, answers, on="id", target=BREEDS)
    return log_loss(truth, distributions(predicted))
