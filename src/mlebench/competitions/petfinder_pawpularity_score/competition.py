"""Pawpularity: how popular is a pet's profile, by its photo?"""

import numpy as np

from mlebench.kit import Competition, Output, Raw, Table, aligned, numbers, random_split, rmse

competition = Competition(
    "petfinder-pawpularity-score",
    "PetFinder.my - Pawpularity Contest",
    category="Image Regression",
    metric="root mean squared error",
    group="medium",
    gigabytes=1,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the photos; the sample submission has random scores."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    scores = np.random.default_rng(0).uniform(1, 100, len(test)).round(2)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="Pawpularity"))
    public.write_csv("sample_submission.csv", test[["Id"]].assign(Pawpularity=scores))
    private.write_csv("test.csv", test)
    public.place_split(train["Id"], test["Id"], raw, "train/{}.jpg")


@competition.grade
def grade(submission: Table, answers: Table, clip: bool = False) -> float:
    """Root mean squared error; as published, a single prediction outside of 1 to 100 is refused."""
    truth, predicted = aligned(submission, answers, on="Id", target="Pawpularity")
    if clip:
        return rmse(truth, np.clip(numbers(predicted), 1, 100))
    return rmse(truth, numbers(predicted, low=1, high=100))


competition.v2(clip=True)
