"""Twin of paddy-disease-classification: leaves with a colour and a spot of their own for each disease."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Cell, Submissions, Usual

LABELS = [
    "bacterial_leaf_blight", "bacterial_leaf_streak", "bacterial_panicle_blight", "blast", "brown_spot",
    "dead_heart", "downy_mildew", "hispa", "normal", "tungro",
]  # fmt: skip
SHARES = [0.05, 0.04, 0.03, 0.17, 0.09, 0.14, 0.06, 0.15, 0.17, 0.10]
VARIETIES = [
    "ADT45", "IR20", "KarnatakaPonni", "Onthanel", "Ponni", "Surya", "Zonal", "AndraPonni", "AtchayaPonni",
    "RR",
]  # fmt: skip
AGES = [45, 50, 55, 60, 65, 70, 75, 82]


def _leaf(rng: np.random.Generator, kind: int, quality: int) -> bytes:
    pixels = np.zeros((16, 12, 3)) + np.array([40 + 18 * kind, 140 - 9 * kind, 30 + 20 * (kind % 5)])
    pixels += rng.normal(0, 12, pixels.shape)
    pixels[: 2 + kind, : 2 + kind % 4] += 60
    return jpeg(pixels.clip(0, 255).astype(np.uint8), quality=quality, optimize=False)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write photographs in a folder per class, and Kaggle's own test set, which preparation does not use."""
    rng = np.random.default_rng(seed)
    n = 80 * scale
    kinds = np.concatenate([np.arange(10), rng.choice(10, n - 10, p=SHARES)])
    rng.shuffle(kinds)
    numbers = rng.permutation(np.arange(100001, 100001 + 4 * n))[:n]
    table = pd.DataFrame(
        {
            "image_id": [f"{number}.jpg" for number in numbers],
            "label": [LABELS[kind] for kind in kinds],
            "variety": rng.choice(VARIETIES, n),
            "age": rng.choice(AGES, n),
        }
    ).sort_values(["label", "image_id"])
    for label in LABELS:
        (raw / "train_images" / label).mkdir(parents=True)
    for image, label in zip(table["image_id"], table["label"], strict=True):
        (raw / "train_images" / label / image).write_bytes(_leaf(rng, LABELS.index(label), quality=85))
    table.to_csv(raw / "train.csv", index=False)
    (raw / "test_images").mkdir()
    others = [f"{200001 + i}.jpg" for i in range(max(4, n // 20))]
    for image in others:
        (raw / "test_images" / image).write_bytes(_leaf(rng, int(rng.integers(0, 10)), quality=75))
    pd.DataFrame({"image_id": others, "label": ""}).to_csv(raw / "sample_submission.csv", index=False)


submissions = Submissions(
    guess=lambda case: case.replaced(LABELS, 0.35),
    usual=Usual(twice="first_row", wrong_column="Label"),
    cells={"unknown_label": "rust", "null_word": "None"},  # only wrong
    constants={"majority": "normal"},
    special=lambda case: {
        "full_answers": case.full,
        "upper_case": case.guess.str.upper(),
        "blanks": Cell(f" {case.guess[0]}"),
        "class_numbers": case.guess.map(LABELS.index),
        "class_floats": case.guess.map(LABELS.index) + 0.5,
        "no_suffix": case.answers.assign(image_id=case.ids.str.replace(".jpg", "")),
    },
)
