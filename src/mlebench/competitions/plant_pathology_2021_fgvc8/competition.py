"""Plant pathology 2021: which diseases does an apple leaf have?"""

from mlebench.kit import Competition, Output, Raw, Table, aligned, label_sets, micro_f1_of_sets, random_split

competition = Competition(
    "plant-pathology-2021-fgvc8",
    "Plant Pathology 2021 - FGVC8",
    category="Image Classification",
    metric="micro F1",
    group="medium",
    answers="answers.csv",
    gigabytes=15,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a fifth of the photos."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.2)
    public.write_csv("train.csv", train)
    public.write_csv("sample_submission.csv", test.assign(labels="healthy"))
    private.write_csv("answers.csv", test)
    public.place_split(train["image"], test["image"], raw, "train_images/{}")


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """F1 over all pairs of photo and label; an empty cell predicts no label."""
    truth, predicted = aligned(submission, answers, on="image", target="labels")
    true_labels = label_sets(truth)
    known = set().union(*true_labels)
    # As published: a label that no photo has is dropped and does not count as wrong.
    return micro_f1_of_sets(true_labels, [labels & known for labels in label_sets(predicted)])
