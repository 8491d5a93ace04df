"""iWildCam 2019: which animal, if any, did a camera trap at an unseen place photograph?"""

import numpy as np

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    as_text,
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
def prepare(raw: Raw, public: Output, private: Output, row_per_picture: bool = False) -> None:
    """Hold out all pictures of a tenth of the places, with a seed that makes them 44 % of the pictures."""
    train, test = group_split(raw.read_csv("train.csv"), by="location", test_size=0.1, seed=8)
    answers = test[["id", "category_id"]].rename(columns={"id": "Id", "category_id": "Category"})
    shown = test.drop(columns="category_id")
    if row_per_picture:
        species = answers["Category"].astype(str).groupby(answers["Id"]).agg(" ".join)
        answers = answers.drop_duplicates("Id").assign(Species=lambda rows: rows["Id"].map(species))
        shown = shown.drop_duplicates("id")
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", shown)
    # As published: with the row numbers of the raw table in front.
    sample = answers[["Id", "Category"]].assign(Category=0)
    public.write_csv("sample_submission.csv", sample, index=not row_per_picture)
    private.write_csv("test.csv", test)
    private.write_csv("answers.csv", answers)
    pictures = raw.archive("train_images.zip")
    for name, part in (("train_images.zip", train), ("test_images.zip", test)):
        public.write_zip(name, {f"{image_id}.jpg": pictures[f"{image_id}.jpg"] for image_id in part["id"]})


@competition.grade
def grade(submission: Table, answers: Table, row_per_picture: bool = False) -> float:
    """Mean over classes of the F1 score."""
    if row_per_picture:  # and each of its species is right
        first, given = aligned(submission, answers, on="Id", target="Category")
        guesses = cut_to_whole(given)
        species = [{int(number) for number in cell.split()} for cell in as_text(answers["Species"])]
        right = np.array([guess in shown for guess, shown in zip(guesses.tolist(), species, strict=True)])
        return macro_f1(np.where(right, guesses, first), guesses)
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


competition.v2(row_per_picture=True)
