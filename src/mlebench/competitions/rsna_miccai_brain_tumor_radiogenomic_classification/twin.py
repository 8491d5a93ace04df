"""Twin of rsna-miccai-brain-tumor-radiogenomic-classification: four tiny scans per patient, bright if methylated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.dicom import dicom, grey_pixels
from mlebench.twins.kit.submissions import Submissions, Usual, at

ID, TARGET = "BraTS21ID", "MGMT_value"
SERIES = ["FLAIR", "T1w", "T1wCE", "T2w"]
IDS_AS_TEXT = {ID: str}  # they have leading zeros


def make(raw: Path, seed: int, scale: int) -> None:
    """Write the scans of each patient and the labels, and one test patient of Kaggle's own, who is not used."""
    rng = np.random.default_rng(seed)
    n = 105 * scale
    numbers = np.sort(rng.permutation(max(1010, 2 * n))[: n - 1] + 1)
    patients = [f"{number:05d}" for number in (0, *numbers)]
    methylated = (rng.random(n) < 0.52).astype(int)
    for position, (patient, target) in enumerate(zip(patients, methylated, strict=True)):
        _write_scans(rng, raw / "train" / patient, target, position)
    pd.DataFrame({ID: patients, TARGET: methylated}).to_csv(raw / "train_labels.csv", index=False)
    _write_scans(rng, raw / "test/99001", 0, 1)
    pd.DataFrame({ID: ["99001"], TARGET: 0.5}).to_csv(raw / "sample_submission.csv", index=False)


def _write_scans(rng: np.random.Generator, folder: Path, target: int, position: int) -> None:
    """Write one slice per series, now and then two, numbered from anywhere; some FLAIR series are blank."""
    for series in SERIES:
        (folder / series).mkdir(parents=True)
        first = int(rng.integers(1, 150))
        for number in range(first, first + (2 if position % 9 == 0 and series == "T2w" else 1)):
            pixels = np.full((6, 6), 20)
            if not (position % 23 == 5 and series == "FLAIR"):
                pixels += 300 * target + int(rng.integers(0, 200))
            pixels[0] = 0
            head = (
                (0x08, 0x60, "CS", "MR"),
                (0x08, 0x103E, "LO", series),
                (0x10, 0x20, "LO", folder.name),
                (0x20, 0x13, "IS", str(number)),
            )
            (folder / series / f"Image-{number}.dcm").write_bytes(dicom([*head, *grey_pixels(pixels)]))


submissions = Submissions(
    read={"dtype": IDS_AS_TEXT},
    guess=lambda case: np.clip(0.35 + 0.25 * case.truth + case.rng.normal(0, 0.25, case.n), 0, 1),
    usual=Usual(twice="last_row", wrong_column="prob", wrong_id_column="id", extra={"note": "x"}),
    cells={"negative": -0.01, "above_one": 1.01, "text": "high", **at(0, ID, of="perfect", unknown_number="98765")},
    constants={"constant": 1},
    each={"inverted": lambda value: 1 - value},
    variants=["all_nan", "float_ids", "booleans"],
    special=lambda case: {
        "no_zeros": case.noisy.astype({ID: int}),
        "ties": (case.guess * 3).round() / 3,
        "binary": (case.guess > 0.5).astype(int),
        "tiny_scale": case.guess * 1e-9,
    },
)
