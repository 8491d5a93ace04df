"""Twin of dogs-vs-cats-redux-kernels-edition: coloured noise, reddish for dogs and bluish for cats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Cell, Submissions, Usual


def _photo(rng: np.random.Generator, dog: bool) -> bytes:
    height, width = rng.integers(7, 12, 2)
    pixels = rng.integers(60, 200, (height, width, 3))
    pixels[..., 0 if dog else 2] += rng.integers(20, 56)
    return jpeg(pixels.clip(0, 255).astype(np.uint8))


def make(raw: Path, seed: int, scale: int) -> None:
    """Write photographs named by animal and number, and Kaggle's own test photographs, which are not used."""
    rng = np.random.default_rng(seed)
    n, m = 112 * scale, 12 * scale  # three digits, so that the order of names is not that of numbers
    train = [(f"train/{animal}.{i}.jpg", _photo(rng, animal == "dog")) for animal in ("cat", "dog") for i in range(n)]
    test = [(f"test/{i}.jpg", _photo(rng, rng.random() < 0.5)) for i in range(1, m + 1)]
    zip_members(raw / "train.zip", [("train/", b""), *train])
    zip_members(raw / "test.zip", [("test/", b""), *test])
    pd.DataFrame({"id": range(1, m + 1), "label": 0.5}).to_csv(raw / "sample_submission.csv", index=False)


submissions = Submissions(
    guess=lambda case: np.clip(case.truth * 0.3 + case.rng.random(case.n) * 0.68 + 0.01, 0, 1),
    usual=Usual("noisy", unknown=10**6, wrong_column="dog", no_id="image"),
    cells={"above_one": 1.0000001, "below_zero": Cell(-0.1, row=-1), "text": "dog"},
    each={"tiny": lambda label: 1e-30 if label else 1 - 1e-17},  # wrong, and closer to certainty than the clipping
    variants=["float_ids", "all_wrong", "boolean", "header_only"],
    special=lambda case: {
        "extra_column": case.noisy.assign(a="x")[["label", "a", "id"]],
        "confident": (case.guess > 0.5).astype(int),  # some wrong: clipped
    },
)
