"""Practice, images: which digit was written by hand?"""

from pathlib import Path

from mlebench.competitions.families import practice
from mlebench.kit import Competition, Output, Raw, Table, accuracy, aligned, one_of

STRONGEST = 16  # the value of a pixel that is all ink

competition = Competition(
    "practice-digits",
    "Practice: Handwritten Digits",
    category="Image Classification",
    metric="accuracy",
    group="practice",
)


@competition.raw_data
def write_raw(raw: Path) -> None:
    """Write one greyscale picture per digit, and the table of what they show."""
    import numpy as np
    import pandas as pd
    from PIL import Image
    from sklearn.datasets import load_digits

    digits = load_digits()
    pixels = np.round(digits.images * (255 / STRONGEST)).astype(np.uint8)
    table = practice.write_shuffled(raw, pd.DataFrame({"digit": digits.target}))
    (raw / "images").mkdir()
    for row, number in table["id"].items():
        Image.fromarray(pixels[row]).save(raw / "images" / f"{number}.png")


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out 30 % of the pictures, digit by digit."""
    train, test = practice.hold_out(raw, public, target="digit", stratify=True)
    public.place_split(train["id"], test["id"], raw, "images/{}.png", to=("train/{}.png", "test/{}.png"))
    public.write_csv("sample_submission.csv", test[["id"]].assign(digit=0))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Share of pictures whose digit is named right."""
    truth, predicted = aligned(submission, answers, on="id", target="digit")
    return accuracy(truth, one_of(predicted, range(10)))
