"""Leaf classification: which of 99 plant species has this leaf?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.competitions.leaf_classification.species import SPECIES
from mlebench.data import one_hot, random_split
from mlebench.grade import aligned, distributions, require_columns
from mlebench.metrics import log_loss

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

competition = Competition(
    id="leaf-classification",
    name="Leaf Classification",
    category="Image Classification",
    metric="multi-class log loss",
    better="lower",
    group="low",
    gigabytes=0.036,
    known_issues=(
        KnownIssue(
            "Rows that do not sum to 1 are refused and probabilities are clipped at the machine epsilon, "
            "where the original text promises to rescale rows and to clip at 1e-15.",
            v2="Rescales rows and clips as the original text says.",
        ),
        KnownIssue("The original text writes margin_1, shape_1, texture_1 for margin1, shape1, texture1."),
        KnownIssue("Features and labels of all leaves are in a public dataset of the UCI repository."),
        KnownIssue(
            "The split is not stratified: with ten leaves per species, some species have no test leaf and "
            "others several."
        ),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a tenth of the leaves; the pictures of both parts stay in one folder."""
    leaves = raw.read_csv("train.csv.zip")
    train, test = random_split(leaves, test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="species"))
    public.write_csv("sample_submission.csv", test.reindex(columns=["id", *SPECIES], fill_value=1 / 99))
    private.write_csv("test.csv", test[["id"]].join(one_hot(test["species"], SPECIES)))
    public.place_each(leaves["id"], raw.archive("images.zip"), "images/{}.jpg")


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Log loss of the probabilities of the species."""
    require_columns(submission, ["id", *SPECIES], exactly=True)
    truth, predicted = aligned(submission, answers, on="id", target=SPECIES)
    return log_loss(truth, distributions(predicted))
