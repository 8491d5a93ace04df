"""Practice, images: which digit was written by hand?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.competition import Competition
from mlebench.competitions.families.practice import PRACTICE_ISSUES, hold_out, write_shuffled
from mlebench.grade import aligned, one_of
from mlebench.metrics import accuracy

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

STRONGEST = 16  # the value of a pixel that is all ink

competition = Competition(
    id="practice-digits",
    name="Practice: Handwritten Digits",
    category="Image Classification",
    metric="accuracy",
    group="practice",
    known_issues=PRACTICE_ISSUES,
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
    table = write_shuffled(raw, pd.DataFrame({"digit": digits.target}))
    (raw / "images").mkdir()
    for row, number in table["id"].items():
        Image.fromarray(pixels[row]).save(raw / "images" / f"{number}.png")


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out 30 % of the pictures, digit by digit."""
    train, test = hold_out(raw, public, target="digit", stratify=True)
    public.place_each(train["id"], raw, "images/{}.png", to="train/{}.png")
    public.place_each(test["id"], raw, "images/{}.png", to="test/{}.png")
    public.write_csv("sample_submission.csv", test[["id"]].assign(digit=0))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Share of pictures whose digit is named right."""
    truth, predicted = aligned(submission, answers, on="id", target="digit")
    return accuracy(truth, one_of(predicted, range(10)))
