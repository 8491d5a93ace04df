"""Plant Pathology 2020: is this apple leaf healthy, rusty, scabby, or sick in several ways?"""

from mlebench.kit import Competition, Output, Raw, Table, aligned, mean_column_auc, numbers, random_split

CLASSES = ["healthy", "multiple_diseases", "rust", "scab"]

competition = Competition(
    "plant-pathology-2020-fgvc7",
    "Plant Pathology 2020 - FGVC7",
    category="Image Classification",
    metric="mean column-wise area under the ROC curve",
    group="low",
    gigabytes=0.8,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, stratify: bool = False) -> None:
    """Hold out a tenth of the leaves and number both parts afresh, each from 0."""
    leaves = raw.read_csv("train.csv")
    classes = leaves[CLASSES].idxmax(axis=1).tolist() if stratify else None
    train, test = random_split(leaves, test_size=0.1, stratify=classes)
    new_ids = {
        old: f"{name}_{number}"
        for name, part in (("Train", train), ("Test", test))
        for number, old in enumerate(part["image_id"])
    }
    public.place({f"images/{new}.jpg": raw[f"images/{old}.jpg"] for old, new in new_ids.items()})
    train, test = (part.assign(image_id=part["image_id"].map(new_ids)) for part in (train, test))
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test[["image_id"]])
    public.write_csv("sample_submission.csv", test[["image_id"]].assign(**dict.fromkeys(CLASSES, 0.25)))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of each class, averaged over the four."""
    truth, predicted = aligned(submission, answers, on="image_id", target=CLASSES, exactly=True)
    return mean_column_auc(truth, numbers(predicted))


competition.v2(stratify=True)
