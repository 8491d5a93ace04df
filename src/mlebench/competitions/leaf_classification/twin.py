"""Twin of leaf-classification: ellipses as leaves, and features that scatter around a centre per species."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.competitions.leaf_classification.species import SPECIES
from mlebench.twins.kit.archives import zip_csv, zip_members
from mlebench.twins.kit.classes import distributions, leaning
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Cell, Submissions, Usual

FEATURES = [f"{group}{number}" for group in ("margin", "shape", "texture") for number in range(1, 65)]
CENTRES = np.random.default_rng(12345).integers(0, 60, (len(SPECIES), len(FEATURES)))


def _leaf(rng: np.random.Generator, species: int) -> bytes:
    height, width = rng.integers(8, 14, 2)
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    inside = y**2 * (1 + species % 5) + x**2 * (1 + species // 5 % 4) < 1.2
    return jpeg((inside * 255).astype(np.uint8))


def make(raw: Path, seed: int, scale: int) -> None:
    """Write pictures and features of all leaves; Kaggle's own test leaves are among them but unused."""
    rng = np.random.default_rng(seed)
    n, m = 198 * scale, 12 * scale
    numbers = rng.permutation(np.arange(n + m) % len(SPECIES))
    size = (n + m, len(FEATURES))
    counts = CENTRES[numbers] * (rng.random(size) < 0.25) + rng.integers(0, 4, size) * (rng.random(size) < 0.2)
    values = np.round(counts / 512, 6)
    slope = np.arange(64) * 1e-7 + CENTRES[numbers, 64][:, None] * 1e-5
    values[:, 64:128] = slope + rng.integers(0, 5, (n + m, 64)) * 1e-8
    values[0, 64], values[1, 65], values[2, 66] = 1 / 3, 2e-5, 0.1 + 0.2  # many digits, a small exponent
    leaves = pd.DataFrame(values, columns=FEATURES)
    leaves.insert(0, "species", [SPECIES[number] for number in numbers])
    leaves.insert(0, "id", np.arange(1, n + m + 1))
    train = leaves.iloc[np.sort(rng.permutation(n + m)[:n])]
    test = leaves.drop(index=train.index)
    zip_csv(raw / "train.csv.zip", train)
    zip_csv(raw / "test.csv.zip", test.drop(columns="species"))
    zip_csv(raw / "sample_submission.csv.zip", test.reindex(columns=["id", *SPECIES], fill_value=1 / 99))
    pictures = [(f"images/{leaf}.jpg", _leaf(rng, number)) for leaf, number in zip(leaves["id"], numbers, strict=True)]
    zip_members(raw / "images.zip", [("images/", b""), *pictures])


submissions = Submissions(
    guess=leaning,
    usual=Usual("noisy", unknown=10**6, wrong_column=("Acer_Mono", "acer_mono"), no_id=None, extra={"Other": 0.0}),
    cells={"text": Cell("high", column="Acer_Mono"), "nan": Cell(None, column=SPECIES[4])},
    variants=["float_ids", "header_only"],
    special=lambda case: {
        **distributions(case),
        "reordered_columns": case.noisy[[*case.rng.permutation(SPECIES), "id"]],
    },
)
