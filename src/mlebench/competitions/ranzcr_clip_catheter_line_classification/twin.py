"""Twin of ranzcr-clip-catheter-line-classification: X-rays with one bright column per label."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.data import random_split
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Cell, Submissions, Usual, at

ID = "StudyInstanceUID"
SHARES = {
    "ETT - Abnormal": 0.1,
    "ETT - Borderline": 0.15,
    "ETT - Normal": 0.3,
    "NGT - Abnormal": 0.1,
    "NGT - Borderline": 0.1,
    "NGT - Incompletely Imaged": 0.15,
    "NGT - Normal": 0.3,
    "CVC - Abnormal": 0.2,
    "CVC - Borderline": 0.3,
    "CVC - Normal": 0.6,
    "Swan Ganz Catheter Present": 0.1,
}
LABELS = list(SHARES)
GRADED = LABELS[:9]
ROOT = "1.2.826.0.1.3680043.8.498."  # what all study ids begin with


def _labels(rng: np.random.Generator, n: int) -> NDArray[np.int64]:
    labels = (rng.random((n, len(LABELS))) < list(SHARES.values())).astype(np.int64)
    # Each label must be both present and absent in the test part, or its AUC is undefined.
    _, drawn = random_split(np.arange(n), test_size=0.1)
    for label in range(len(LABELS)):
        labels[drawn[label % len(drawn)], label] = 1
        labels[drawn[(label + 1) % len(drawn)], label] = 0
    return labels


def _xray(rng: np.random.Generator, labels: NDArray[np.int64]) -> bytes:
    pixels = rng.normal(90, 20, (16, 16))
    pixels[:11, 2:13] += 60 * labels
    return jpeg(np.clip(pixels, 0, 255).astype(np.uint8), quality=70, optimize=False)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled X-rays, lines drawn on half of them, and unused test images of Kaggle's own."""
    rng = np.random.default_rng(seed)
    n = 110 * scale
    lengths = rng.integers(36, 39, n)
    studies = [ROOT + "".join(map(str, rng.integers(0, 10, int(digits)))) for digits in lengths]
    labels = _labels(rng, n)
    # Hexadecimal and decimal ids, so that some have letters and some are digits with leading zeros.
    patients = [f"{value:09x}" if value % 3 else f"{value:09d}" for value in rng.integers(10, n // 2, n)]
    train = pd.DataFrame(labels, columns=LABELS).assign(**{ID: studies, "PatientID": patients})
    train[[ID, *LABELS, "PatientID"]].to_csv(raw / "train.csv", index=False)
    (raw / "train").mkdir()
    (raw / "test").mkdir()
    for study, shown in zip(studies, labels, strict=True):
        (raw / f"train/{study}.jpg").write_bytes(_xray(rng, shown))
    lines = []
    for row in rng.permutation(n)[: n // 2]:
        for label in np.flatnonzero(labels[row]):
            points = rng.integers(0, 3000, (int(rng.integers(2, 6)), 2)).tolist()
            lines.append({ID: studies[row], "label": LABELS[label], "data": str(points)})
    # A line of an image that is not among the X-rays.
    lines.insert(1, {ID: f"{ROOT}999", "label": "CVC - Normal", "data": "[[1, 2]]"})
    pd.DataFrame(lines).to_csv(raw / "train_annotations.csv", index=False)
    others = [f"{ROOT}{number}" for number in (100, 101, 102)]
    for study in others:
        grey = np.full((16, 16), 80, np.uint8)
        (raw / f"test/{study}.jpg").write_bytes(jpeg(grey, quality=75, optimize=False))
    sample = pd.DataFrame({ID: others, **dict.fromkeys(LABELS, 0)})
    sample.to_csv(raw / "sample_submission.csv", index=False)


submissions = Submissions(
    targets=LABELS,
    perfect=lambda case: case.full[[ID, *GRADED]],
    guess=lambda case: case.full[[ID]].join(0.3 * case.full[LABELS] + 0.7 * case.rng.random((case.n, len(LABELS)))),
    usual=Usual("noisy", twice=None, unknown="1.2.3", wrong_column=("CVC - Borderline", "CVC-Borderline"), no_id="id"),
    cells={
        "below_zero": -0.01,
        "above_one": Cell(1.01, column="CVC - Borderline"),
        **at(column="NGT - Normal", nan=None, text="yes"),
    },
    variants=["repeated_id"],
    special=lambda case: {
        "perfect_all": case.full[[ID, *LABELS]],  # two labels are passed over
        "shuffled": case.noisy.sample(frac=1, random_state=case.seed)[[*LABELS[::-1], ID]],
        "ties": case.full[[ID]].join(case.guess.round(1)),
        "ungraded_junk": case.noisy.assign(**{"CVC - Normal": "a", "Swan Ganz Catheter Present": -5}),  # as noisy
        "inverted": case.full[[ID]].join(1 - case.full[LABELS]),
    },
)
