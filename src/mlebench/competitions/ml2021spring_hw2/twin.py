"""Twin of ml2021spring-hw2: each phoneme is a point in the space of features, its frames are around it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.submissions import Submissions, Usual

PHONEMES = FEATURES = 39
FRAMES = 11


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled windows, and Kaggle's own test windows, of which preparation uses only the number."""
    rng = np.random.default_rng(seed)
    folder = raw / "timit_11" / "timit_11"
    folder.mkdir(parents=True)
    n, m = 246 * scale, 90 * scale
    labels = rng.integers(0, PHONEMES, n)
    labels[:PHONEMES] = np.arange(PHONEMES)
    centres = rng.integers(-4, 5, (PHONEMES, FEATURES)) / 2  # few distinct values: small once compressed
    frames = centres[labels] + rng.integers(-1, 2, (n, FEATURES)) / 4
    train = np.tile(frames, (1, FRAMES)).astype(np.float32)
    train[:, ::17] = (train[:, ::17] + rng.normal(0, 1, train[:, ::17].shape)).astype(np.float32)
    test = np.tile(centres[rng.integers(0, PHONEMES, m)], (1, FRAMES)).astype(np.float32)
    np.save(folder / "train_11.npy", train)
    np.save(folder / "train_label_11.npy", labels.astype("<U2"))  # the real labels are texts, too
    np.save(folder / "test_11.npy", test)
    pd.DataFrame({"Id": range(m), "Class": 0}).to_csv(raw / "sampleSubmission.csv", index=False)


submissions = Submissions(
    guess=lambda case: case.replaced(PHONEMES, 0.4),
    usual=Usual(twice="first_row", unknown="x", wrong_column="Class", no_id=None, extra={"note": "a,b"}),
    cells={"words": "aa"},  # all wrong
    variants=["float_labels", "float_ids"],
    special=lambda case: {
        "leading_zero": case.guess.map("{:02d}".format),
        "fractional": case.guess.astype(float).mask(case.guess.index == 3, case.guess + 0.5),
        "out_of_range": [99, -1, *case.guess[2:]],  # just wrong
        "one_based": case.answers.assign(Id=case.ids + 1),
    },
)
