"""Leaf classification: which of 99 plant species has this leaf?"""

from mlebench.competitions.leaf_classification.species import SPECIES
from mlebench.kit import Competition, Output, Raw, Table, aligned, distributions, log_loss, one_hot, random_split

competition = Competition(
    "leaf-classification",
    "Leaf Classification",
    category="Image Classification",
    metric="multi-class log loss",
    group="low",
    gigabytes=0.036,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the leaves; the pictures of both parts stay in one folder."""
    leaves = raw.read_csv("train.csv.zip")
    train, test = random_split(leaves, test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="species"))
    public.write_csv("sample_submission.csv", test.reindex(columns=["id", *SPECIES], fill_value=1 / 99))
    private.write_csv("test.csv", test[["id"]].join(one_hot(test["species"], SPECIES)))
    public.place_each(leaves["id"], raw.archive("images.zip"), "images/{}.jpg")


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Log loss of the probabilities of the species."""
    truth, predicted = aligned(submission, answers, on="id", target=SPECIES, exactly=True)
    return log_loss(truth, distributions(predicted))
