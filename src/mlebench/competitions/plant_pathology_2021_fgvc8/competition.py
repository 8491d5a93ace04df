"""Plant pathology 2021: which diseases does an apple leaf have?"""

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Table,
    aligned,
    label_sets,
    mean_f1_of_sets,
    micro_f1_of_sets,
    random_split,
    split_together,
)

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
def prepare(raw: Raw, public: Output, private: Output, copies_together: bool = False) -> None:
    """Hold out a fifth of the photos."""
    photos = raw.read_csv("train.csv")
    if copies_together:
        content = raw.digests(f"train_images/{name}" for name in photos["image"])
        train, test = split_together(photos, content, test_size=0.2)
    else:
        train, test = random_split(photos, test_size=0.2)
    public.write_csv("train.csv", train)
    public.write_csv("sample_submission.csv", test.assign(labels="healthy"))
    private.write_csv("answers.csv", test)
    public.place_split(train["image"], test["image"], raw, "train_images/{}")


@competition.grade
def grade(submission: Table, answers: Table, per_photo: bool = False) -> float:
    """F1 over all pairs of photo and label; an empty cell predicts no label."""
    truth, predicted = aligned(submission, answers, on="image", target="labels")
    true_labels = label_sets(truth)
    if per_photo:
        return mean_f1_of_sets(true_labels, label_sets(predicted))
    known = set().union(*true_labels)
    # As published: a label that no photo has is dropped and does not count as wrong.
    return micro_f1_of_sets(true_labels, [labels & known for labels in label_sets(predicted)])


competition.v2(copies_together=True, per_photo=True, metric="mean F1 of each row")
