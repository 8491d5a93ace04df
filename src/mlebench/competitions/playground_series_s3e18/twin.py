"""Twin of playground-series-s3e18: molecules described by their size, which decides on the labels too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.submissions import Submissions, Usual

DESCRIPTORS = [
    "BertzCT", "Chi1", "Chi1n", "Chi1v", "Chi2n", "Chi2v", "Chi3v", "Chi4n", "EState_VSA1", "EState_VSA2",
    "ExactMolWt", "FpDensityMorgan1", "FpDensityMorgan2", "FpDensityMorgan3", "HallKierAlpha",
    "HeavyAtomMolWt", "Kappa3", "MaxAbsEStateIndex", "MinEStateIndex", "NumHeteroatoms", "PEOE_VSA10",
    "PEOE_VSA14", "PEOE_VSA6", "PEOE_VSA7", "PEOE_VSA8", "SMR_VSA10", "SMR_VSA5", "SlogP_VSA3",
    "VSA_EState9", "fr_COO", "fr_COO2",
]  # fmt: skip
THRESHOLDS = {"EC1": 0, "EC2": -0.6, "EC3": 0.5, "EC4": 1, "EC5": 0.8, "EC6": 1.2}
SHIFTED = ("HallKierAlpha", "MinEStateIndex")  # these are often negative


def _molecules(rng: np.random.Generator, n: int, first: int) -> pd.DataFrame:
    size = rng.gamma(2, 1, n)
    columns: dict[str, NDArray[Any]] = {"id": np.arange(first, first + n)}
    for position, name in enumerate(DESCRIPTORS):
        if name == "NumHeteroatoms":
            columns[name] = rng.poisson(3 + 2 * size)
        elif name == "fr_COO":
            columns[name] = rng.integers(0, 3, n)
        elif name == "fr_COO2":
            columns[name] = columns["fr_COO"]
        else:
            values = size * (10 + 7 * position) + rng.normal(0, 3 + position, n)
            values[rng.random(n) < 0.1] = 0.0
            columns[name] = values - 20 if name in SHIFTED else values
    signals: list[Any] = [(size - 2) * 1.2, (columns["fr_COO"] - 1) * 1.5, *[0] * 4]
    for (label, threshold), signal in zip(THRESHOLDS.items(), signals, strict=True):
        columns[label] = (signal + rng.normal(0, 1, n) > threshold).astype(int)
    return pd.DataFrame(columns)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled molecules, and Kaggle's own test and sample files, which preparation does not use."""
    rng = np.random.default_rng(seed)
    n = 400 * scale
    train = _molecules(rng, n, 0)
    test = _molecules(rng, n // 10, n).drop(columns=list(THRESHOLDS))
    train.to_csv(raw / "train.csv", index=False)
    test.to_csv(raw / "test.csv", index=False)
    test[["id"]].assign(EC1=0.485, EC2=0.799).to_csv(raw / "sample_submission.csv", index=False)


submissions = Submissions(
    guess=lambda case: 1 / (1 + np.exp(-(case.truth * [1.5, 0.8] + case.rng.normal(0, 1, (2, case.n)).T))),
    usual=Usual(twice="first_row", unknown="x", wrong_column=("EC2", "EC7"), no_id=None),
    cells={"text": "high", "inf": np.inf},
    variants=["ties", "float_ids", "header_only"],
    special=lambda case: {
        "reversed_columns": case.noisy[["EC2", "EC1", "id"]],
        "inverted": 1 - case.truth,
        "extra_column": case.noisy.assign(EC3=0.1, comment='a, "quoted"'),
        "half_right": {"EC2": 0.5},  # the mean of 1 and 0.5
        "out_of_range": case.noisy.assign(EC1=case.noisy["EC1"] * 100 - 50),  # accepted
    },
)
