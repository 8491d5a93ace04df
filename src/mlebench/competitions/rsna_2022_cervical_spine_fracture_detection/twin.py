"""Twin of rsna-2022-cervical-spine-fracture-detection: tiny CT slices with a bright pixel per broken vertebra."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.dicom import dicom, grey_pixels
from mlebench.twins.kit.submissions import Submissions, Usual

STUDY = "StudyInstanceUID"
OVERALL = "patient_overall"
VERTEBRAE = [f"C{number}" for number in range(1, 8)]
ROOT = "1.2.826.0.1.3680043."  # what all study ids begin with
# Of ten studies in a row, three have boxes and three a segmentation; one has both.
WITH_BOXES = (0, 3, 6)
WITH_SEGMENTATION = (0, 5, 8)
ONE_MORE_WITH_BOXES = 11


def make(raw: Path, seed: int, scale: int) -> None:
    """Write scans, boxes and segmentations, and one test study of Kaggle's own, which is not used."""
    rng = np.random.default_rng(seed)
    n = 85 * scale
    studies = [f"{ROOT}{number}" for number in rng.permutation(30 * n)[:n] + 1]
    broken = (rng.random((n, 7)) < 0.12).astype(int)
    labels = pd.DataFrame(broken, columns=VERTEBRAE).assign(**{STUDY: studies, OVERALL: broken.max(axis=1)})
    labels[[STUDY, OVERALL, *VERTEBRAE]].to_csv(raw / "train.csv", index=False)
    (raw / "segmentations").mkdir()
    boxes: list[tuple[str, float, float, float, float, int]] = []
    for position, study in enumerate(studies):
        pixels = np.full((8, 8), 100 + 5 * position % 50)
        pixels[:7, 2] += 400 * broken[position]
        slices = (1, 2) if position % 4 == 0 else (int(rng.integers(1, 300)),)
        _write_scan(raw / "train_images" / study, slices, pixels)
        if position % 10 in WITH_BOXES or position == ONE_MORE_WITH_BOXES:
            boxes += [(study, *_box(rng)) for _ in range(int(rng.integers(1, 4)))]
        if position % 10 in WITH_SEGMENTATION:
            segmentation = _nifti(rng.integers(0, 20, (3, 4, 5)))
            (raw / f"segmentations/{study}.nii").write_bytes(segmentation)
    table = pd.DataFrame(boxes, columns=[STUDY, "x", "y", "width", "height", "slice_number"])
    table.sample(frac=1, random_state=seed).to_csv(raw / "train_bounding_boxes.csv", index=False)
    _write_unused(raw)


def _box(rng: np.random.Generator) -> tuple[float, float, float, float, int]:
    """A box with x in full precision, some decimals of y and width, and a whole number as height."""
    x, y, width = rng.uniform(100, 300), np.round(rng.uniform(100, 300), 5), np.round(rng.uniform(5, 90), 5)
    return float(x), float(y), float(width), float(rng.integers(5, 90)), int(rng.integers(1, 300))


def _write_scan(folder: Path, slices: tuple[int, ...], pixels: NDArray[np.generic]) -> None:
    folder.mkdir(parents=True)
    for number in slices:
        head = ((0x08, 0x60, "CS", "CT"), (0x20, 0x0D, "UI", folder.name), (0x20, 0x13, "IS", str(number)))
        (folder / f"{number}.dcm").write_bytes(dicom([*head, *grey_pixels(pixels)]))


def _nifti(volume: NDArray[np.int64]) -> bytes:
    """A NIfTI-1 file of bytes: a header of 348 bytes, four for extensions, then the voxels, x fastest."""
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, *volume.shape, 1, 1, 1, 1)
    struct.pack_into("<hh", header, 70, 2, 8)  # unsigned bytes, 8 bits per voxel
    struct.pack_into("<f", header, 108, float(len(header)))  # where the voxels begin
    header[344:348] = b"n+1\0"
    return bytes(header) + volume.astype(np.uint8).tobytes(order="F")


def _write_unused(raw: Path) -> None:
    study = f"{ROOT}99999"
    _write_scan(raw / "test_images" / study, (1,), np.zeros((8, 8)))
    kinds = [*VERTEBRAE, OVERALL]
    rows = pd.DataFrame({"row_id": [f"{study}_{kind}" for kind in kinds], STUDY: study, "prediction_type": kinds})
    rows.to_csv(raw / "test.csv", index=False)
    rows[["row_id"]].assign(fractured=0.5).to_csv(raw / "sample_submission.csv", index=False)


submissions = Submissions(
    guess=lambda case: np.clip(0.15 + 0.5 * case.truth + case.rng.normal(0, 0.12, case.n), 0.01, 0.99),
    usual=Usual(twice="last_row", wrong_column="prob", wrong_id_column="id", extra={STUDY: "x"}),
    cells={"negative": -0.01, "above_one": 1.0001, "infinite": np.inf, "text": "high"},
    constants={"all_zero": 0, "all_one": 1.0},
    each={"booleans": lambda fractured: fractured == 1},
    variants=["all_wrong", "header_only"],
    special=lambda case: {
        "single_row": case.answers.head(1),
        "nan": [None, *case.truth[1:]],
        "overall_only": case.guess.where(case.full["prediction_type"] == OVERALL, 0.5),
        "levels_only": case.guess.mask(case.full["prediction_type"] == OVERALL, 0.5),
        "prevalence": case.truth.groupby(case.full["prediction_type"]).transform("mean"),
    },
)
