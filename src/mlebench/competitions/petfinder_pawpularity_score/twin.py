"""Twin of petfinder-pawpularity-score: grey photos, the brighter the more popular."""

from __future__ import annotations

from hashlib import md5
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Submissions, Usual

TARGET = "Pawpularity"
# How often each remark on a photo is true.
REMARKS = {
    "Subject Focus": 0.03,
    "Eyes": 0.77,
    "Face": 0.9,
    "Near": 0.86,
    "Action": 0.01,
    "Accessory": 0.07,
    "Group": 0.13,
    "Collage": 0.05,
    "Human": 0.17,
    "Occlusion": 0.17,
    "Info": 0.06,
    "Blur": 0.07,
}


def _id(text: str) -> str:
    return md5(text.encode()).hexdigest()


def _photo(pixels: NDArray[np.generic]) -> bytes:
    return jpeg(pixels.astype(np.uint8), quality=50, optimize=False)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write photos with remarks and scores, and three random test photos of Kaggle's own."""
    rng = np.random.default_rng(seed)
    n = 120 * scale
    ids = [_id(f"{seed}/{i}") for i in range(n)]
    remarks = {name: (rng.random(n) < share).astype(int) for name, share in REMARKS.items()}
    brightness = rng.uniform(30, 220, n)
    score = np.round(brightness / 3 + 6 * remarks["Eyes"] + rng.normal(0, 12, n))
    score = np.clip(score, 1, 100).astype(int)
    score[:3] = [1, 100, 38]  # both ends of the scale occur
    pd.DataFrame({"Id": ids, **remarks, TARGET: score}).to_csv(raw / "train.csv", index=False)
    (raw / "train").mkdir()
    (raw / "test").mkdir()
    for i, photo in enumerate(ids):
        pixels = np.clip(brightness[i] + rng.normal(0, 10, (12, 10 + i % 3, 3)), 0, 255)
        (raw / f"train/{photo}.jpg").write_bytes(_photo(pixels))
    others = [_id(f"t{i}") for i in range(3)]
    for photo in others:
        (raw / f"test/{photo}.jpg").write_bytes(_photo(rng.integers(0, 255, (8, 8, 3))))
    test = pd.DataFrame({"Id": others, **{name: [0, 1, 0] for name in REMARKS}})
    test.to_csv(raw / "test.csv", index=False)
    test[["Id"]].assign(**{TARGET: [65.75, 71.25, 20.13]}).to_csv(raw / "sample_submission.csv", index=False)


submissions = Submissions(
    guess=lambda case: np.clip(case.truth + case.rng.normal(0, 15, case.n), 1, 100),
    usual=Usual("noisy", unknown="0" * 32, wrong_column="pawpularity", no_id="id", extra={"more": "x"}),
    cells={"below_one": 0.999, "above_hundred": 100.001, "text": "cute", "infinite": np.inf},
    constants={"constant": 38.0},
    variants=["one_row", "header_only"],
    special=lambda case: {"limits": np.where(np.arange(case.n) % 2, 1, 100), "zero_to_one": case.guess / 100},
)
