"""Dog breed identification: which of 120 breeds is in the photograph?"""

from mlebench.competitions.dog_breed_identification.breeds import BREEDS
from mlebench.kit import Competition, Output, Raw, Table, aligned, distributions, log_loss, one_hot, random_split

competition = Competition(
    "dog-breed-identification",
    "Dog Breed Identification",
    category="Image Classification",
    metric="multi-class log loss",
    group="low",
    gigabytes=0.75,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the labelled photographs."""
    train, test = random_split(raw.read_csv("labels.csv"), test_size=0.1)
    public.write_csv("labels.csv", train)
    public.write_csv("sample_submission.csv", test.reindex(columns=["id", *BREEDS], fill_value=1 / 120))
    private.write_csv("test.csv", test[["id"]].join(one_hot(test["breed"], BREEDS)))
    public.place_split(train["id"], test["id"], raw, "train/{}.jpg")


@competition.grade
def grade(submission: Table, answers: Table, rescale: bool = False) -> float:
    """Log loss of the probabilities of the breeds."""
    truth, predicted = aligned(submission, answers, on="id", target=BREEDS)
    return log_loss(truth, distributions(predicted, rescale=rescale))


competition.v2(rescale=True)
