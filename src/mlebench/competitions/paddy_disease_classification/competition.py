"""Paddy Doctor: which disease, if any, does the rice plant in a photograph have?"""

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    accuracy,
    aligned,
    random_split,
)

competition = Competition(
    "paddy-disease-classification",
    "Paddy Doctor: Paddy Disease Classification",
    category="Image Classification",
    metric="accuracy",
    group="dev",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a quarter of the photographs."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.25)
    public.write_csv("train.csv", train)
    public.write_csv("sample_submission.csv", test[["image_id"]].assign(label=""))
    private.write_csv("test.csv", test)
    public.place_each(train["label"] + "/" + train["image_id"], raw, "train_images/{}")
    flat = zip(test["image_id"], test["label"], strict=True)
    public.place({f"test_images/{image}": raw[f"train_images/{label}/{image}"] for image, label in flat})


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Share of photographs whose label is predicted right."""
    from pandas.api.types import infer_dtype

    truth, predicted = aligned(submission, answers, on="image_id", target="label")
    numeric = infer_dtype(predicted) != "string" and predicted.notna().any()
    # as published: empty cells are only wrong, and so are whole numbers, unless there are gaps among them
    if numeric and (predicted % 1 != 0).any():
        raise InvalidSubmissionError(
            "The column label holds numbers, with fractions or gaps; write the name of a class, such as "
            "'brown_spot', in each row.",
            code=RefusalCode.NOT_TEXT,
        )
    return accuracy(truth, predicted)
