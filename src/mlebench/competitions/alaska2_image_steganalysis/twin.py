"""Twin of alaska2-image-steganalysis: smooth gradients, over which each hiding algorithm lays a pattern of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Case, Submissions, Usual

ROWS, COLUMNS = np.mgrid[0:8, 0:8]
# What is added to a cover: a chequerboard, upright stripes, level stripes.
PATTERNS = {
    "JMiPOD": (COLUMNS + ROWS) % 2 * 24 - 12,
    "JUNIWARD": COLUMNS % 2 * 24 - 12,
    "UERD": ROWS % 2 * 24 - 12,
}
KAGGLE_TEST = 3


def make(raw: Path, seed: int, scale: int) -> None:
    """Write covers, their three altered versions, and Kaggle's own test images, which are not used."""
    rng = np.random.default_rng(seed)
    for folder in ("Cover", "Test", *PATTERNS):
        (raw / folder).mkdir()
    for i in range(110 * scale):
        colour = rng.integers(30, 220, 3)
        slope = COLUMNS * rng.integers(-6, 7) + ROWS * rng.integers(-6, 7)
        quality = int(rng.choice([95, 90, 75]))
        gradient = colour + slope[..., None]
        versions = {"Cover": gradient} | {name: gradient + mark[..., None] for name, mark in PATTERNS.items()}
        pictures = {
            name: jpeg(np.clip(pixels, 0, 255).astype(np.uint8), quality=quality) for name, pixels in versions.items()
        }
        for name, picture in pictures.items():
            (raw / name / f"{i * 7 + 1:05d}.jpg").write_bytes(picture)
        if i < KAGGLE_TEST:
            (raw / f"Test/{i + 1:04d}.jpg").write_bytes(pictures["Cover"])
    sample = pd.DataFrame({"Id": [f"{i + 1:04d}.jpg" for i in range(KAGGLE_TEST)], "Label": 0})
    sample.to_csv(raw / "sample_submission.csv", index=False)


def _corner(case: Case) -> Any:
    """Three levels: a corner of the curve at a true positive rate of 0.4 or just below."""
    altered, untouched = np.flatnonzero(case.truth == 1), np.flatnonzero(case.truth == 0)
    levels = case.truth.to_numpy(float)
    levels[untouched[: len(untouched) // 2]] = 1
    levels[[untouched[0], *altered[: len(altered) * 2 // 5]]] = 2
    return levels


submissions = Submissions(
    guess=lambda case: 0.8 * case.truth + case.rng.normal(0, 1, case.n),
    usual=Usual(cells="perfect", unknown="x.jpg", wrong_column="label", no_id_column="id", extra_first={"note": "x"}),
    cells={"text": "high", "infinite": "inf"},
    each={"inverted": lambda label: 1 - label},
    special=lambda case: {
        "ties": case.guess.round(0),
        "vertex_at_40": _corner(case),
        "random": case.rng.random(case.n),
        "huge": case.guess * 1e300,
        "booleans": case.guess > 0.4,
    },
)
