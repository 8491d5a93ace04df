"""Dogs vs. cats: how likely is it that the photograph shows a dog?"""

from mlebench.kit import EPSILON, Competition, Output, Raw, Table, aligned, binary_log_loss, probabilities, random_split

competition = Competition(
    "dogs-vs-cats-redux-kernels-edition",
    "Dogs vs. Cats Redux: Kernels Edition",
    category="Image Classification",
    metric="log loss",
    group="low",
    answers="answers.csv",
    gigabytes=0.85,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the labelled photographs and number both parts anew, as folders and as archives."""
    import pandas as pd

    photos = raw.archive("train.zip")
    train, test = random_split(photos.names("train/*.jpg"), test_size=0.1)
    cats, dogs = [name for name in train if "cat" in name], [name for name in train if "cat" not in name]
    renamed = {
        "train": photos.numbered(cats, "cat.{}.jpg") | photos.numbered(dogs, "dog.{}.jpg"),
        "test": photos.numbered(test, "{}.jpg", start=1),
    }
    for part, files in renamed.items():
        public.place({f"{part}/{name}": source for name, source in files.items()})
        public.write_zip(f"{part}.zip", files)
    answers = pd.DataFrame({"id": range(1, len(test) + 1), "label": [int("dog" in name) for name in test]})
    public.write_csv("sample_submission.csv", answers.assign(label=0.5))
    private.write_csv("answers.csv", answers)


@competition.grade
def grade(submission: Table, answers: Table, epsilon: float = EPSILON) -> float:
    """Log loss of the probability of a dog."""
    truth, predicted = aligned(submission, answers, on="id", target="label")
    return binary_log_loss(truth, probabilities(predicted), epsilon=epsilon)


competition.v2(leave_out=["train.zip", "test.zip"], epsilon=1e-15)
