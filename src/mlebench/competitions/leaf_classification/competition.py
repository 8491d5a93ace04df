"""Leaf classification: which of 99 plant species has this leaf?"""

from mlebench.competitions.leaf_classification.species import SPECIES
from mlebench.kit import (
    EPSILON,
    Competition,
    Output,
    Raw,
    Split,
    Table,
    aligned,
    distributions,
    log_loss,
    one_hot,
    random_split,
    stratified_by,
)

competition = Competition(
    "leaf-classification",
    "Leaf Classification",
    category="Image Classification",
    metric="multi-class log loss",
    group="low",
    gigabytes=0.036,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, split: Split = random_split) -> None:
    """Hold out a tenth of the leaves; the pictures of both parts stay in one folder."""
    leaves = raw.read_csv("train.csv.zip")
    train, test = split(leaves, test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="species"))
    public.write_csv("sample_submission.csv", test.reindex(columns=["id", *SPECIES], fill_value=1 / 99))
    private.write_csv("test.csv", test[["id"]].join(one_hot(test["species"], SPECIES)))
    public.place_each(leaves["id"], raw.archive("images.zip"), "images/{}.jpg")


@competition.grade
def grade(submission: Table, answers: Table, rescale: bool = False, epsilon: float = EPSILON) -> float:
    """Log loss of the probabilities of the species."""
    truth, predicted = aligned(submission, answers, on="id", target=SPECIES, exactly=True)
    return log_loss(truth, distributions(predicted, rescale=rescale), epsilon=epsilon)


competition.v2(split=stratified_by("species"), rescale=True, epsilon=1e-15)
