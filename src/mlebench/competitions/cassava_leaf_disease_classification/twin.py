"""Twin of cassava-leaf-disease-classification: leaves that are nothing but the colour of their disease."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Case, Submissions, Usual, at
from mlebench.twins.kit.tfrecords import example, tfrecord

DISEASES = [
    "Cassava Bacterial Blight (CBB)",
    "Cassava Brown Streak Disease (CBSD)",
    "Cassava Green Mottle (CGM)",
    "Cassava Mosaic Disease (CMD)",
    "Healthy",
]
HEALTHY = 4
SHARES = [0.1, 0.15, 0.15, 0.45, 0.15]
COLOURS = [(200, 180, 40), (120, 80, 30), (90, 200, 150), (40, 90, 20), (20, 220, 30)]
RECORD_FILES = 16


def _leaf(rng: np.random.Generator, label: int) -> bytes:
    pixels = np.array(COLOURS[label]) + rng.normal(0, 25, (8, 8, 3))
    return jpeg(np.clip(pixels, 0, 255).astype(np.uint8), quality=85)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write each leaf as JPEG and as TFRecord, and one test image of Kaggle's own, which is not used."""
    rng = np.random.default_rng(seed)
    for folder in ("train_images", "test_images", "train_tfrecords", "test_tfrecords"):
        (raw / folder).mkdir()
    numbers = iter(rng.choice(10**9, 6 * RECORD_FILES * scale + 1, replace=False).tolist())
    rows = []
    for file in range(RECORD_FILES):
        count = (4 + file % 3) * scale
        records = []
        for _ in range(count):
            label, name = int(rng.choice(5, p=SHARES)), f"{next(numbers)}.jpg"
            picture = _leaf(rng, label)
            (raw / "train_images" / name).write_bytes(picture)
            records.append(example({"image": picture, "image_name": name.encode(), "target": label}))
            rows.append((name, label))
        tfrecord(raw / f"train_tfrecords/ld_train{file:02d}-{count}.tfrec", records)
    train = pd.DataFrame(rows, columns=["image_id", "label"])
    train.sample(frac=1, random_state=seed).to_csv(raw / "train.csv", index=False)
    name, picture = f"{next(numbers)}.jpg", _leaf(rng, HEALTHY)
    (raw / "test_images" / name).write_bytes(picture)
    unlabelled = example({"image": picture, "image_name": name.encode()})
    tfrecord(raw / "test_tfrecords/ld_test00-1.tfrec", [unlabelled])
    pd.DataFrame({"image_id": [name], "label": [HEALTHY]}).to_csv(raw / "sample_submission.csv", index=False)
    names = {str(label): disease for label, disease in enumerate(DISEASES)}
    (raw / "label_num_to_disease_map.json").write_text(json.dumps(names))


def _guess(case: Case) -> Any:
    """Four labels in ten are random, and at least one is wrong."""
    replaced = case.rng.random(case.n) < 0.4
    guess = np.where(replaced, case.rng.integers(0, len(DISEASES), case.n), case.truth)
    guess[0] = (case.truth[0] + 1) % len(DISEASES)
    return guess


submissions = Submissions(
    guess=_guess,
    usual=Usual(cells="perfect", unknown="x.jpg", wrong_column="Label", no_id_column="id", extra_first={"note": "x"}),
    cells={**at(of="noisy", unknown_label=77, negative_label=-1), "text_label": "Healthy", "fraction": 3.5},
    each={"all_wrong": lambda label: (label + 1) % len(DISEASES), "booleans": lambda label: label > 0},
    variants=["float_labels"],
)
