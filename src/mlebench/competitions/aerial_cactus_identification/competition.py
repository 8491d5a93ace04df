"""Aerial cactus identification: is there a columnar cactus in the thumbnail?"""

from mlebench.kit import Competition, Output, Raw, Table, aligned, probabilities, random_split, roc_auc

competition = Competition(
    "aerial-cactus-identification",
    "Aerial Cactus Identification",
    category="Image Classification",
    metric="area under the ROC curve",
    group="low",
    gigabytes=0.0254,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out 19 % of the images, which is Kaggle's own share."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.19)
    public.write_csv("train.csv", train)
    public.write_csv("sample_submission.csv", test.assign(has_cactus=0.5))
    private.write_csv("test.csv", test)
    images = raw.archive("train.zip")
    for name, part in (("train.zip", train), ("test.zip", test)):
        public.write_zip(name, {image: images[f"train/{image}"] for image in part["id"]})


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="id", target="has_cactus")
    return roc_auc(truth, probabilities(predicted))
