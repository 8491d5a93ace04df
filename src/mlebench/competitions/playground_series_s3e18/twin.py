"""Twin of playground-series-s3e18: molecules described by their size, which decides on the labels too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

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


def _sigmoid(values: pd.Series[float]) -> pd.Series[float]:
    return 1 / (1 + np.exp(-values))


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Scores of all sorts, of which only the ranks count, and the usual mistakes."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")[["id", "EC1", "EC2"]]
    first, second = answers["EC1"], answers["EC2"]
    n = len(answers)
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: constant, so AUC 0.5")
    noisy = answers.assign(
        EC1=_sigmoid(first * 1.5 + rng.normal(0, 1, n)), EC2=_sigmoid(second * 0.8 + rng.normal(0, 1, n))
    )
    yield Example("noisy", noisy, "label plus noise through a sigmoid")
    yield examples.shuffled(noisy, seed)
    yield Example("reversed_columns", noisy[["EC2", "EC1", "id"]], "as noisy, columns in another order")
    yield Example("extra_column", noisy.assign(EC3=0.1, comment='a, "quoted"'), "as noisy, two unused columns more")
    yield Example("inverted", answers.assign(EC1=1 - first, EC2=1 - second), "all wrong: 0")
    yield Example("half_right", answers.assign(EC2=0.5), "EC1 perfect, EC2 constant: mean of 1 and 0.5")
    yield Example("ties", noisy.round({"EC1": 1, "EC2": 1}), "as noisy, one decimal: many ties")
    yield Example("out_of_range", noisy.assign(EC1=noisy["EC1"] * 100 - 50), "scores outside [0, 1]: accepted")
    yield Example("float_ids", noisy.astype({"id": float}), "as noisy, ids written as 12.0")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.first_for_last(answers)
    yield examples.unknown_id(answers, "id", "x")
    yield examples.renamed(answers, "EC2", "EC7")
    yield Example("no_id", answers.drop(columns="id"), "id column missing")
    yield Example("nan", examples.with_cell(noisy, "EC1", None), "an empty prediction")
    yield Example("text", examples.with_cell(noisy, "EC1", "high"), "a prediction that is not a number")
    yield Example("inf", examples.with_cell(noisy, "EC1", np.inf), "an infinite prediction")
    yield examples.empty()
    yield examples.header_only(answers)
