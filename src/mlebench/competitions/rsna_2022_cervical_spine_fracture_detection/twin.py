"""Twin of rsna-2022-cervical-spine-fracture-detection: tiny CT slices with a bright pixel per broken vertebra."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.dicom import dicom, grey_pixels
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities of all sorts, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    full = examples.table(prepared, "private/answers.csv")
    kinds = full["prediction_type"]
    answers = full[["row_id", "fractured"]]
    truth = answers["fractured"]
    yield Example("perfect", answers, "the answers themselves, which are clipped")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: 0.5 everywhere, a loss of ln 2")
    guess = np.clip(0.15 + 0.5 * truth + rng.normal(0, 0.12, len(answers)), 0.01, 0.99)
    noisy = answers.assign(fractured=guess)
    yield Example("noisy", noisy, "labels mixed with noise")
    yield examples.shuffled(noisy, seed)
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield Example("single_row", answers.head(1), "a single row")
    yield examples.last_for_first(answers)
    yield examples.unknown_id(answers, "row_id", "x")
    yield examples.renamed(answers, "fractured", "prob")
    yield examples.renamed(answers, "row_id", "id", "wrong_id_column")
    gap = examples.with_cell(answers.astype({"fractured": float}), "fractured", None)
    yield Example("nan", gap, "an empty prediction")
    yield examples.empty()
    yield examples.header_only(answers)
    for name, value in (("negative", -0.01), ("above_one", 1.0001), ("infinite", np.inf)):
        yield Example(name, examples.with_cell(noisy, "fractured", value), f"a prediction of {value}")
    yield Example("all_wrong", answers.assign(fractured=1 - truth), "certain and wrong everywhere: clipped")
    yield Example("all_zero", answers.assign(fractured=0), "no fracture anywhere, as whole numbers")
    yield Example("all_one", answers.assign(fractured=1.0), "fractures everywhere")
    yield Example("booleans", answers.assign(fractured=truth == 1), "True and False instead of numbers: accepted")
    overall = kinds == OVERALL
    yield Example("overall_only", answers.assign(fractured=guess.where(overall, 0.5)), "as noisy for the whole patient")
    yield Example("levels_only", answers.assign(fractured=guess.mask(overall, 0.5)), "as noisy for the vertebrae")
    shares = truth.groupby(kinds).transform("mean")
    yield Example("prevalence", answers.assign(fractured=shares), "how common each kind of fracture is")
    yield Example("text", examples.with_cell(noisy, "fractured", "high"), "a prediction that is not a number")
    yield Example("extra_column", noisy.assign(**{STUDY: "x"}), "as noisy, one more column")
