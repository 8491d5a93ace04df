"""Invasive species monitoring: is there hydrangea in a photograph of a Brazilian forest?"""

from mlebench.kit import Competition, Output, Raw, Table, aligned, probabilities, random_split, roc_auc

competition = Competition(
    "invasive-species-monitoring",
    "Invasive Species Monitoring",
    category="Image Classification",
    metric="area under the ROC curve",
    group="dev",
    answers="answers.csv",
    private_sample="sample_submission.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, with_pictures: bool = False) -> None:
    """Hold out a fifth of the pictures."""
    train, test = random_split(raw.read_csv("train_labels.csv.zip"), test_size=0.2)
    sample = test.assign(invasive=0.5)
    public.write_csv("train_labels.csv.zip", train)
    public.write_csv("sample_submission.csv.zip", sample)
    private.write_csv("sample_submission.csv", sample)
    private.write_csv("answers.csv", test)
    for part, rows in (("train", train), ("test", test)):
        names = rows["name"] if with_pictures else ()  # as published: the pictures are missing
        shown = {f"{part}/{name}.jpg": raw.archive("train.7z")[f"train/{name}.jpg"] for name in names}
        public.write_7z(f"{part}.7z", shown)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="name", target="invasive")
    return roc_auc(truth, probabilities(predicted))


competition.v2(with_pictures=True)
