"""Twin of tabular-playground-series-dec-2021: patches of land whose cover follows their elevation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

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


def _special(case: Case) -> dict[str, Any]:
    decimal = case.guess.astype(float)
    spoiled = np.random.default_rng(case.seed + 1).random(case.n) < 0.3  # as in the guess
    return {
        "floats": decimal,
        "unknown_class": np.where(spoiled, 99, case.guess),  # accepted, wrong
        "fraction": [2.5, *decimal[1:]],
        "nan": [None, *decimal[1:]],
        "all_text": "c" + case.guess.astype(str),  # all wrong
        "unknown_id": Cell(10**9, column="Id"),
    }


submissions = Submissions(
    guess=lambda case: case.replaced(range(1, 8), 0.3),
    usual=Usual(twice=None, wrong_column="target", no_id="id", extra_first={"note": "a"}),
    cells={"text": "pine", "text_id": Cell("x", column="Id")},  # a word makes the whole column text
    each={"booleans": lambda cover: cover == 1},
    variants=["float_ids", "repeated_id"],
    special=_special,
)
