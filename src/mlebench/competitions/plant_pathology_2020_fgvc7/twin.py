"""Twin of plant-pathology-2020-fgvc7: leaves that are nothing but the colour of their disease."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.data import random_split
from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg

CLASSES = ["healthy", "multiple_diseases", "rust", "scab"]
COLOURS = [(40, 160, 40), (120, 120, 60), (190, 110, 30), (60, 80, 40)]
KAGGLE_TEST = 5


def _leaf(rng: np.random.Generator, kind: int) -> bytes:
    pixels = np.array(COLOURS[kind]) + rng.normal(0, 25, (16, 20, 3))
    return jpeg(np.clip(pixels, 0, 255).astype(np.uint8), optimize=False)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled leaves, and Kaggle's own test images, which preparation does not use."""
    rng = np.random.default_rng(seed)
    n = 95 * scale
    kinds = rng.choice(4, n, p=[0.3, 0.1, 0.3, 0.3])
    # Every class must be in the test part, or its AUC is undefined.
    _, drawn = random_split(np.arange(n), test_size=0.1)
    kinds[drawn[:4]] = np.arange(4)
    train = pd.DataFrame({"image_id": [f"Train_{i}" for i in range(n)]})
    test = pd.DataFrame({"image_id": [f"Test_{i}" for i in range(KAGGLE_TEST)]})
    (raw / "images").mkdir()
    for part, shown in ((train, kinds), (test, np.arange(KAGGLE_TEST) % 4)):
        for image, kind in zip(part["image_id"], shown, strict=True):
            (raw / f"images/{image}.jpg").write_bytes(_leaf(rng, kind))
    labels = {name: (kinds == kind).astype(int) for kind, name in enumerate(CLASSES)}
    train.assign(**labels).to_csv(raw / "train.csv", index=False)
    test.to_csv(raw / "test.csv", index=False)
    test.assign(**dict.fromkeys(CLASSES, 0.25)).to_csv(raw / "sample_submission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Scores of all sorts for the four classes, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    ids, truth = answers[["image_id"]], answers[CLASSES]
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: every class equally likely")
    guess = (0.5 * truth + rng.random(truth.shape)) / 2
    noisy = ids.join(guess)
    yield Example("noisy", noisy, "labels mixed with noise; rows do not sum to 1")
    yield examples.shuffled(noisy, seed)
    reordered = noisy[["scab", "image_id", "rust", "healthy", "multiple_diseases"]]
    yield Example("column_order", reordered, "as noisy, columns in another order")
    yield Example("ties", ids.join(guess.round(1)), "rounded to one decimal, many ties")
    yield Example("out_of_range", ids.join(guess * 40 - 13), "any numbers, ranked as noisy: the same score")
    yield Example("inverted", ids.join(1 - truth), "every label turned round: the worst there is")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(noisy, "image_id", "repeated_id")
    yield examples.renamed(answers, "rust", "Rust")
    yield Example("extra_column", noisy.assign(note=1), "one column more: refused")
    yield examples.unknown_id(answers, "image_id", "Test_999999")
    yield Example("nan", examples.with_cell(noisy, "scab", None), "an empty prediction")
    yield Example("text", examples.with_cell(noisy, "scab", "yes"), "a prediction that is not a number")
    yield Example("infinite", examples.with_cell(noisy, "scab", np.inf), "an infinite prediction")
    yield examples.empty()
