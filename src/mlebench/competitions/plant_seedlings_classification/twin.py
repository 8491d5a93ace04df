"""Twin of plant-seedlings-classification: a patch of a colour and size of its own for each species."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.images import png
from mlebench.twins.kit.submissions import Submissions, Usual

SPECIES = [
    "Black-grass", "Charlock", "Cleavers", "Common Chickweed", "Common wheat", "Fat Hen", "Loose Silky-bent",
    "Maize", "Scentless Mayweed", "Shepherds Purse", "Small-flowered Cranesbill", "Sugar beet",
]  # fmt: skip
SHARES = np.array([3, 4, 3, 6, 2, 5, 7, 2, 5, 2, 5, 4]) / 48
SOIL = np.array([90, 80, 70])
# Names that a careless reader takes for numbers.
NUMBER_LIKE = ["000123456.png", "12e345678.png", "0021e90e4.png"]


def _picture(rng: np.random.Generator, kind: int) -> bytes:
    side = int(rng.integers(8, 17))
    pixels = np.zeros((side, side, 3)) + SOIL
    pixels[2 : 2 + kind % 6 + 1, 2 : 2 + kind // 3 + 1] = (30 + 15 * kind, 200 - 10 * kind, 40)
    pixels += rng.normal(0, 6, pixels.shape)
    return png(pixels.clip(0, 255).astype(np.uint8), optimize=False)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write pictures in species folders with a stray file, and Kaggle's own test set, which is not used."""
    rng = np.random.default_rng(seed)
    n, m = 96 * scale, 8
    kinds = np.concatenate([np.arange(12), rng.choice(12, n - 12, p=SHARES)])
    drawn: set[str] = set()
    while len(drawn) < n + m:
        drawn.add(f"{int(rng.integers(0, 16**9)):09x}.png")
    names = [*NUMBER_LIKE, *rng.permutation(sorted(drawn))[len(NUMBER_LIKE) :]]
    for species in SPECIES:
        (raw / "train" / species).mkdir(parents=True)
    for kind, name in zip(kinds, names[:n], strict=True):
        (raw / "train" / SPECIES[kind] / name).write_bytes(_picture(rng, int(kind)))
    (raw / "train" / "Maize" / "Thumbs.db").write_bytes(b"not a picture")
    (raw / "test").mkdir()
    for name in names[n:]:
        (raw / "test" / name).write_bytes(_picture(rng, int(rng.integers(0, 12))))
    sample = pd.DataFrame({"file": names[n:], "species": "Sugar beet"})
    sample.to_csv(raw / "sample_submission.csv", index=False)


submissions = Submissions(
    guess=lambda case: case.replaced(SPECIES, 0.4),
    usual=Usual(twice="first_row", unknown="x.png", wrong_column="label", no_id="id", extra={"p": 0.5, "note": "a, b"}),
    cells={"unknown_species": "Kudzu"},
    variants=["all_nan", "header_only"],
    special=lambda case: {
        "upper_case": case.guess.str.upper(),
        "underscores": case.guess.str.replace(" ", "_"),
        "no_suffix": case.answers.assign(file=case.ids.str.replace(".png", "")),
        "class_numbers": case.guess.map(SPECIES.index),
    },
)
