"""iNaturalist 2019: which of 1,010 similar species does a photograph show?"""

import numpy as np
from numpy.typing import NDArray

from mlebench.competitions.families.species import labelled, split_by_species, unlabelled, write_metadata
from mlebench.kit import (
    Column,
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    accuracy,
    aligned,
    complete,
    cut_to_whole,
    in_cell,
)

LARGEST = 1 << 63  # what no number of a category reaches

competition = Competition(
    "inaturalist-2019-fgvc6",
    "iNaturalist 2019 at FGVC6",
    category="Image Classification",
    metric="top-1 classification error",
    group="medium",
    answers="answers.csv",
    sample="kaggle_sample_submission.csv",
)


@competition.prepare
def prepare(
    raw: Raw,
    public: Output,
    private: Output,
    validation_pictures: bool = False,
    leading_folder: bool = False,
    compress: bool = False,
    test_is_anonymous: bool = False,
) -> None:
    """Hold out 12 % of each species; the validation images play no part, and only their list is public."""
    import pandas as pd

    metadata = raw.read_json("train2019.json")
    train, test = split_by_species(metadata, test_size=0.12)
    names = {f"test2019/{image['file_name'].rsplit('/', 1)[-1]}": image["file_name"] for image, _ in test}
    images = [{**image, "file_name": name} for name, (image, _) in zip(names, test, strict=True)]
    if test_is_anonymous:
        images = [
            {key: value for key, value in image.items() if key != "rights_holder"} | {"id": number}
            for number, image in enumerate(images)
        ]
    write_metadata(public, "train2019.json", labelled(metadata, train))
    write_metadata(public, "test2019.json", unlabelled(metadata, images))
    public.place({"val2019.json": raw["val2019.json"]})
    # As published: plain tar in spite of the names, and without the leading folder that the metadata has.
    member = str if leading_folder else _below_top
    shown = [image["file_name"] for image, _ in train]
    if validation_pictures:
        shown += [image["file_name"] for image in raw.read_json("val2019.json")["images"]]
    public.repack_tar(
        raw["train_val2019.tar.gz"],
        {
            "train_val2019.tar.gz": {member(name): name for name in shown},
            "test2019.tar.gz": {member(new): old for new, old in names.items()},
        },
        compress=compress,
    )
    labels = [annotation["category_id"] for _, annotation in test]
    answers = pd.DataFrame({"id": [image["id"] for image in images], "predicted": labels})
    # As published: what was meant to be random is the same number everywhere.
    public.write_csv("kaggle_sample_submission.csv", answers.assign(predicted=654))
    private.write_csv("answers.csv", answers)


def _below_top(name: str) -> str:
    return name.partition("/")[2]


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Share of images whose first predicted category is wrong."""
    truth, predicted = aligned(submission, answers, on="id", target="predicted")
    return 1 - accuracy(truth, _first_labels(predicted))


def _first_labels(predicted: Column) -> NDArray[np.int64]:
    """The first label of every cell: whole numbers, or texts that list several separated by white space."""
    if predicted.dtype.kind in "iu":
        return cut_to_whole(predicted)
    cells = complete(predicted).tolist()
    if not all(isinstance(cell, str) for cell in cells):
        raise InvalidSubmissionError(
            "The column predicted must hold whole numbers: write 12, not 12.0 or True.", code=RefusalCode.NOT_WHOLE
        )
    return np.array([_first_label(cell) for cell in cells], dtype=np.int64)


def _first_label(cell: str) -> int:
    try:
        label = int(cell.split()[0])
    except (ValueError, IndexError):
        label = LARGEST
    if abs(label) >= LARGEST:
        raise InvalidSubmissionError(
            f"The column predicted must hold whole numbers of at most 18 digits, not {cell[:60]!r}.",
            code=RefusalCode.NOT_WHOLE,
            where=in_cell(cell),
        )
    return label


competition.v2(validation_pictures=True, leading_folder=True, compress=True, test_is_anonymous=True)
