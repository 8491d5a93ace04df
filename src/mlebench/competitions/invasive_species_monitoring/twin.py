"""Twin of invasive-species-monitoring: green pictures, most of them with a purple blossom."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.archives import seven_zip, zip_csv
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Submissions, Usual

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


submissions = Submissions(
    sample="private/sample_submission.csv",
    guess=lambda case: 1 / (1 + np.exp(-(case.truth * 1.5 - 0.7 + case.rng.normal(0, 1, case.n)))),
    usual=Usual(twice="first_row", unknown="x", wrong_column="target", no_id="id", extra={"note": "x, y"}),
    cells={"above_one": 1.0001, "negative": -0.01, "text": "yes", "inf": np.inf},
    variants=["ties", "inverted", "float_ids", "all_nan", "booleans"],
    special=lambda case: {"jpg_names": case.answers.assign(name=case.ids.map("{}.jpg".format))},
)
