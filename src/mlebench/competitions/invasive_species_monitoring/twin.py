"""Twin of invasive-species-monitoring: green pictures, most of them with a purple blossom."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import seven_zip, zip_csv
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg

LEAVES, BLOSSOM = np.array([40, 110, 50]), (180, 90, 200)


def _picture(rng: np.random.Generator, hydrangea: bool) -> bytes:
    pixels = LEAVES + rng.normal(0, 15, (18, 24, 3))
    if hydrangea:
        left, top = int(rng.integers(0, 16)), int(rng.integers(0, 10))
        pixels[top : top + 6, left : left + 6] = BLOSSOM
    return jpeg(pixels.clip(0, 255).astype(np.uint8), quality=80, optimize=False)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled pictures, and Kaggle's own test pictures, which preparation does not use."""
    rng = np.random.default_rng(seed)
    n, m = 120 * scale, 6 * scale
    labels = (rng.random(n) < 0.63).astype(int)
    for part, shown in (("train", labels), ("test", np.arange(m) % 2)):
        pictures = ((f"{part}/{i + 1}.jpg", _picture(rng, bool(each))) for i, each in enumerate(shown))
        seven_zip(raw / f"{part}.7z", pictures)
    zip_csv(raw / "train_labels.csv.zip", pd.DataFrame({"name": np.arange(1, n + 1), "invasive": labels}))
    zip_csv(raw / "sample_submission.csv.zip", pd.DataFrame({"name": np.arange(1, m + 1), "invasive": 0.5}))


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities of all sorts, names in odd forms, and the usual mistakes."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv")
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "private/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: constant, AUC 0.5")
    logits = answers["invasive"] * 1.5 - 0.7 + rng.normal(0, 1, len(answers))
    noisy = answers.assign(invasive=1 / (1 + np.exp(-logits)))
    guesses = noisy["invasive"]

    def first(value: object) -> pd.DataFrame:
        return examples.with_first(noisy, "invasive", value)

    yield Example("noisy", noisy, "label plus noise through a sigmoid")
    yield examples.shuffled(noisy, seed)
    yield Example("extra_column", noisy.assign(note="x, y"), "as noisy, one more column")
    yield Example("ties", noisy.round({"invasive": 1}), "as noisy, one decimal: ties")
    yield Example("inverted", noisy.assign(invasive=1 - guesses), "1 minus noisy")
    yield Example("float_ids", noisy.astype({"name": float}), "as noisy, names written as 2.0")
    yield Example("above_one", first(1.0001), "a probability above 1")
    yield Example("negative", first(-0.01), "a negative probability")
    yield Example("text", first("yes"), "a prediction that is no number")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.first_for_last(answers)
    yield examples.unknown_id(answers, "name", "x")
    yield Example("jpg_names", answers.assign(name=answers["name"].map("{}.jpg".format)), "names with .jpg")
    yield examples.renamed(answers, "invasive", "target")
    yield examples.renamed(answers, "name", "id", "no_id")
    yield Example("nan", first(None), "an empty prediction")
    yield Example("all_nan", noisy.assign(invasive=np.nan), "all predictions empty")
    yield Example("inf", first(np.inf), "an infinite prediction")
    yield Example("booleans", noisy.assign(invasive=guesses > 0.5), "True/False instead of numbers")
    yield examples.empty()
