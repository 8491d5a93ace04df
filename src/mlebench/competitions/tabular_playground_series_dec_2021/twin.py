"""Twin of tabular-playground-series-dec-2021: patches of land whose cover follows their elevation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

TARGET = "Cover_Type"
RANGES = {
    "Elevation": (1700, 3900),
    "Aspect": (-33, 407),
    "Slope": (-3, 60),
    "Horizontal_Distance_To_Hydrology": (-90, 1600),
    "Vertical_Distance_To_Hydrology": (-300, 700),
    "Horizontal_Distance_To_Roadways": (-280, 7600),
    "Hillshade_9am": (-4, 301),
    "Hillshade_Noon": (49, 279),
    "Hillshade_3pm": (-53, 272),
    "Horizontal_Distance_To_Fire_Points": (-280, 8000),
}


def _patches(rng: np.random.Generator, n: int, first: int) -> pd.DataFrame:
    columns = {"Id": np.arange(first, first + n)}
    columns |= {name: rng.integers(low, high, n) for name, (low, high) in RANGES.items()}
    area, soil = rng.integers(0, 4, n), rng.integers(0, 40, n)
    columns |= {f"Wilderness_Area{k + 1}": (area == k).astype(int) for k in range(4)}
    columns |= {f"Soil_Type{k + 1}": (soil == k).astype(int) for k in range(40)}
    return pd.DataFrame(columns)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled patches, class 5 only once and in the train part, and Kaggle's own unused files."""
    rng = np.random.default_rng(seed)
    n, m = 500 * scale, 15
    train = _patches(rng, n, 0)
    band = (train["Elevation"] + rng.normal(0, 150, n) - 1700) / 2200
    cover = np.select([band < 0.1, band < 0.25, band < 0.35, band < 0.65, band < 0.9], [4, 3, 6, 2, 1], 7)
    shuffled = np.random.RandomState(0).permutation(n)  # as the rows are split: the first tenth is held out
    cover[shuffled[-(-n // 10)]] = 5
    cover[shuffled[:6]] = [1, 2, 3, 4, 6, 7]
    train.assign(**{TARGET: cover}).to_csv(raw / "train.csv", index=False)
    test = _patches(rng, m, n)
    test.to_csv(raw / "test.csv", index=False)
    test[["Id"]].assign(**{TARGET: 2}).to_csv(raw / "sample_submission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Classes written in many ways, some of them graded in odd ways, and the usual mistakes."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")[["Id", TARGET]]
    truth = answers[TARGET]
    yield Example("perfect", answers, "the answers themselves")
    yield Example("sample", examples.table(prepared, "public/sample_submission.csv"), "the sample submission: all 2")
    spoiled = rng.random(len(answers)) < 0.3
    guesses = truth.to_numpy().copy()
    guesses[spoiled] = rng.integers(1, 8, spoiled.sum())
    noisy = answers.assign(**{TARGET: guesses})
    decimal = noisy.astype({TARGET: float})
    yield Example("noisy", noisy, "30% replaced at random")
    yield examples.shuffled(noisy, seed)
    yield Example("floats", decimal, "2.0 instead of 2: accepted, same score")
    yield Example("float_ids", noisy.astype({"Id": float}), "ids as floats: accepted, same score")
    unknown = noisy.assign(**{TARGET: np.where(spoiled, 99, guesses)})
    yield Example("unknown_class", unknown, "classes that do not exist: accepted, wrong")
    yield Example("extra_column", noisy.assign(note="a")[["note", TARGET, "Id"]], "a further column, another order")
    yield Example("fraction", examples.with_cell(decimal, TARGET, 2.5), "one prediction of 2.5")
    yield Example("text", examples.with_cell(noisy, TARGET, "pine"), "a word makes the column text: all wrong")
    words = noisy.assign(**{TARGET: [f"c{guess}" for guess in guesses]})
    yield Example("all_text", words, "every prediction a word: all wrong")
    yield Example("booleans", answers.assign(**{TARGET: truth == 1}), "True/False: graded, True equals class 1")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(noisy, "Id", "repeated_id")
    yield examples.renamed(answers, TARGET, "target")
    yield examples.renamed(answers, "Id", "id", "no_id")
    yield examples.unknown_id(noisy, "Id", 10**9)
    yield Example("text_id", examples.with_first(noisy, "Id", "x"), "a word among the ids makes all of them text")
    yield Example("nan", examples.with_cell(decimal, TARGET, None), "an empty prediction")
    yield examples.empty()
