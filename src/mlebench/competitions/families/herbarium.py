"""The herbarium competitions: which plant species is pressed on the sheet in a photograph?"""

import json

from mlebench.competitions.families.species import (
    Item,
    labelled,
    split_by_species,
    unlabelled,
    write_metadata,
)
from mlebench.kit import Output, Raw, Table, aligned, cut_to_whole, macro_f1


def prepare(raw: Raw, public: Output, private: Output, *, folder: str = "", encoding: str = "utf-8") -> None:
    """Hold out a fifth of each species and number the test images anew, as in 2020 and 2021."""
    metadata = json.loads(raw.read_bytes(f"{folder}train/metadata.json").decode(encoding))
    train, test = split_by_species(metadata, test_size=0.2)
    renamed = [
        {**image, "id": str(number), "file_name": f"images/{number // 1000:03d}/{number}.jpg"}
        for number, (image, _) in enumerate(test)
    ]
    write_metadata(public, f"{folder}train/metadata.json", labelled(metadata, train))
    write_metadata(public, f"{folder}test/metadata.json", unlabelled(metadata, renamed))
    write_tables(test, public, private, predicted=0)
    sheets = f"{folder}train/{{}}".format
    public.place({sheets(image["file_name"]): raw[sheets(image["file_name"])] for image, _ in train})
    public.place(
        {
            f"{folder}test/{new['file_name']}": raw[sheets(image["file_name"])]
            for new, (image, _) in zip(renamed, test, strict=True)
        }
    )


def write_tables(test: list[Item], public: Output, private: Output, *, predicted: int) -> None:
    """Write the answers and a sample submission that predicts the same species everywhere."""
    import pandas as pd

    species = [annotation["category_id"] for _, annotation in test]
    answers = pd.DataFrame({"Id": range(len(test)), "Predicted": species})
    public.write_csv("sample_submission.csv", answers.assign(Predicted=predicted))
    private.write_csv("answers.csv", answers)


def grade(submission: Table, answers: Table) -> float:
    """Mean over species of the F1 score."""
    truth, predicted = aligned(submission, answers, on="Id", target="Predicted")
    return macro_f1(cut_to_whole(truth), cut_to_whole(predicted))
