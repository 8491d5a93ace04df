"""Plant seedlings classification: which of twelve crops and weeds is this seedling?"""

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
    "plant-seedlings-classification",
    "Plant Seedlings Classification",
    category="Image Classification",
    metric="micro F1",
    group="dev",
    answers="answers.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
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
def grade(submission: Table, answers: Table) -> float:
    """Micro-averaged F1, which is accuracy where every picture has one label."""
    from pandas.api.types import infer_dtype

    truth, predicted = aligned(submission, answers, on="file", target="species")
    if infer_dtype(predicted) != "string":
        raise InvalidSubmissionError(
            "The column species holds no names; write the name of a species, such as 'Fat Hen', in each row.",
            code=RefusalCode.NOT_TEXT,
        )
    return accuracy(truth, predicted)
