"""iWildCam 2019: which animal, if any, did a camera trap at an unseen place photograph?"""

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    cut_to_whole,
    group_split,
    in_cell,
    macro_f1,
    numbers,
    paired_by_position,
    require_columns,
    require_rows,
    same_ids,
)

competition = Competition(
    "iwildcam-2019-fgvc6",
    "iWildCam 2019 - FGVC6",
    category="Image Classification",
    metric="macro F1",
    group="high",
    answers="answers.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out all pictures of a tenth of the places, with a seed that makes them 44 % of the pictures."""
    train, test = group_split(raw.read_csv("train.csv"), by="location", test_size=0.1, seed=8)
    answers = test[["id", "category_id"]].rename(columns={"id": "Id", "category_id": "Category"})
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="category_id"))
    # As published: with the row numbers of the raw table in front.
    public.write_csv("sample_submission.csv", answers.assign(Category=0), index=True)
    private.write_csv("test.csv", test)
    private.write_csv("answers.csv", answers)
    pictures = raw.archive("train_images.zip")
    for name, part in (("train_images.zip", train), ("test_images.zip", test)):
        public.write_zip(name, {f"{image_id}.jpg": pictures[f"{image_id}.jpg"] for image_id in part["id"]})


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Mean over classes of the F1 score."""
    require_columns(submission, ["Id", "Category"])
    require_rows(submission, answers)
    same_ids(submission["Id"], answers["Id"], "Id")
    # As published: a picture with several species has several rows, which are paired in the order of the sort.
    truth, predicted = paired_by_position(submission, answers, on="Id")
    if not truth["Id"].equals(predicted["Id"]):
        surplus = submission["Id"].value_counts() - answers["Id"].value_counts()
        raise InvalidSubmissionError(
            f"The column Id has {surplus.idxmax()} more often than test.csv; give one row for each of its rows.",
            code=RefusalCode.DUPLICATE_IDS,
            where=in_cell(surplus.idxmax()),
        )
    numbers(predicted["Category"])  # as published, text has no score, not even where Python reads a number in it
    return macro_f1(truth["Category"], cut_to_whole(predicted["Category"]))
