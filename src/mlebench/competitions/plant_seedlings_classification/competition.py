"""Plant seedlings classification: which of twelve crops and weeds is this seedling?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import InvalidSubmissionError, aligned
from mlebench.metrics import accuracy

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

competition = Competition(
    id="plant-seedlings-classification",
    name="Plant Seedlings Classification",
    category="Image Classification",
    metric="micro-averaged F1",
    group="dev",
    answers="answers.csv",
    known_issues=(
        KnownIssue(
            "Each of about 960 plants was photographed several times and may be on both sides of the split, "
            "as it was on Kaggle; there are no plant ids to repair it.",
        ),
        KnownIssue("The original data set, with the labels of the test pictures, is public."),
        KnownIssue(
            "The original text speaks of train.csv, test.csv and probabilities; there are no such tables, "
            "and a name is to be predicted.",
        ),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out 14 % of the pictures, which is Kaggle's own share; the folder of a picture is its label."""
    import pandas as pd

    pictures = raw.folder("train")
    rows = sorted(name.split("/") for name in pictures.names("*.png"))
    table = pd.DataFrame(rows, columns=["species", "file"])[["file", "species"]]
    train, test = random_split(table, test_size=0.14)
    public.write_csv("sample_submission.csv", test.assign(species="Sugar beet"))
    private.write_csv("answers.csv", test)
    public.place_each(train["species"] + "/" + train["file"], pictures, "{}", to="train/{}")
    flat = zip(test["file"], test["species"], strict=True)
    public.place({f"test/{file}": pictures[f"{species}/{file}"] for file, species in flat})


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Micro-averaged F1, which is accuracy where every picture has one label."""
    from pandas.api.types import infer_dtype

    truth, predicted = aligned(submission, answers, on="file", target="species")
    if infer_dtype(predicted) != "string":
        raise InvalidSubmissionError(
            "The column species holds no names; write the name of a species, such as 'Fat Hen', in each row."
        )
    return accuracy(truth, predicted)
