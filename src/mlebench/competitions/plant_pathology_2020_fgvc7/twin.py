"""Twin of plant-pathology-2020-fgvc7: leaves that are nothing but the colour of their disease."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.data import random_split
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Submissions, Usual, at

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


submissions = Submissions(
    guess=lambda case: (0.5 * case.truth + case.rng.random(case.truth.shape)) / 2,
    usual=Usual(twice=None, unknown="Test_999999", wrong_column=("rust", "Rust"), extra={"note": 1}),
    cells=at(column="scab", nan=None, text="yes", infinite=np.inf),
    variants=["ties", "repeated_id"],
    special=lambda case: {
        "column_order": case.noisy[["scab", "image_id", "rust", "healthy", "multiple_diseases"]],
        "out_of_range": case.guess * 40 - 13,  # ranked as noisy: the same score
        "inverted": 1 - case.truth,
    },
)
