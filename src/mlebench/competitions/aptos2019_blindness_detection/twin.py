"""Twin of aptos2019-blindness-detection: orange discs with more bright spots the higher the grade."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.images import png
from mlebench.twins.kit.submissions import Submissions, Usual

RETINA, SPOT = [150, 70, 20], [230, 220, 120]
GRADES = np.array([0, 0, 0, 0, 2, 2, 2, 1, 4, 3])  # as often as they occur


def _fundus(rng: np.random.Generator, grade: int) -> bytes:
    pixels = np.zeros((8, 8, 3), np.int64)
    pixels[1:7, 1:7] = RETINA
    pixels[1:7, 1:7] += rng.integers(-8, 9, (6, 6, 3))
    for _ in range(3 * grade):
        row, column = rng.integers(1, 7, 2)
        pixels[row, column] = SPOT
    return png(np.clip(pixels, 0, 255).astype(np.uint8))


def make(raw: Path, seed: int, scale: int) -> None:
    """Write graded photographs, and Kaggle's own test set, which preparation does not use."""
    rng = np.random.default_rng(seed)
    n, m = 205 * scale, 8 * scale
    ids = rng.permutation(sorted({rng.bytes(6).hex() for _ in range(n + m)}))
    grades = GRADES[rng.integers(0, 10, n + m)]
    grades[:5] = range(5)
    table = pd.DataFrame({"id_code": ids, "diagnosis": grades})
    train, test = table[:n].sort_values("id_code"), table[n:].sort_values("id_code")
    train.to_csv(raw / "train.csv", index=False)
    test[["id_code"]].to_csv(raw / "test.csv", index=False)
    test.assign(diagnosis=0).to_csv(raw / "sample_submission.csv", index=False)
    for folder, part in (("train_images", train), ("test_images", test)):
        (raw / folder).mkdir()
        for name, grade in zip(part["id_code"], part["diagnosis"], strict=True):
            (raw / folder / f"{name}.png").write_bytes(_fundus(rng, grade))


submissions = Submissions(
    guess=lambda case: np.clip(case.truth + case.rng.integers(-1, 2, case.n) * (case.rng.random(case.n) < 0.6), 0, 4),
    usual=Usual("noisy", unknown="zzz", wrong_column="grade", no_id="id", extra_first={"comment": "x"}),
    cells={"text": "severe"},
    constants={"constant": 2},
    each={"reversed": lambda x: 4 - x, "two_grades": lambda x: 4 if x > 1 else 0, "boolean": lambda x: x > 1},
    variants=["header_only"],
    special=lambda case: {
        "float_grades": case.guess.astype(float),
        "far_label": [90] * 3 + case.guess.tolist()[3:],  # counts as the grade after 4
        "negative_label": [-7] * 2 + case.guess.tolist()[2:],
        "continuous": case.guess + 0.25,
    },
)
