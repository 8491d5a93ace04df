"""Twin of rsna-breast-cancer-detection: tiny mammograms with a bright patch where there is cancer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.dicom import dicom, grey_pixels
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

COLUMNS = [
    "site_id", "patient_id", "image_id", "laterality", "view", "age", "cancer", "biopsy", "invasive", "BIRADS",
    "implant", "density", "machine_id", "difficult_negative_case",
]  # fmt: skip
KNOWN_OF_TEST = [*COLUMNS[:6], "implant", "machine_id", "prediction_id"]
MACHINES = [21, 29, 48, 49, 93, 190]
RATED_SITE = 1  # the other hospital reports neither BI-RADS nor density


def make(raw: Path, seed: int, scale: int) -> None:
    """Write the mammograms of each patient and their table, and one test picture of Kaggle's own, which is not used."""
    rng = np.random.default_rng(seed)
    n = 85 * scale
    patients = rng.permutation(800 * n)[:n] + 5
    images = iter(rng.permutation(2**20)[: 6 * n] * 2011 + 17)
    rows: list[tuple[Any, ...]] = []
    for position, patient in enumerate(patients):
        site = int(rng.integers(1, 3))
        age = None if position % 17 == 3 else float(rng.integers(30, 90))
        implant, machine = int(rng.random() < 0.05), int(rng.choice(MACHINES))
        for side in ("L",) if position % 19 == 4 else ("L", "R"):
            cancer = int(rng.random() < 0.35)
            biopsy = max(cancer, int(rng.random() < 0.1))
            rating, density = _assessment(rng, site, cancer)
            for view in _views(position):
                image = int(next(images))
                invasive = cancer if rng.random() < 0.7 else 0
                difficult = bool(not cancer and rng.random() < 0.1)
                place = (site, int(patient), image, side, view, age)
                findings = (cancer, biopsy, invasive, rating, implant, density, machine, difficult)
                rows.append((*place, *findings))
                pixels = rng.integers(0, 3, (8, 6)) * 50 + 200
                pixels[3:6, 2:4] += 1500 * cancer
                _write_picture(raw / "train_images", int(patient), image, side, pixels)
    table = pd.DataFrame(rows, columns=COLUMNS)
    # Two rows change places, so that the order of the table is not that of the files.
    order, middle = np.arange(len(table)), len(table) // 2
    order[middle - 1 : middle + 1] = [middle, middle - 1]
    table.iloc[order].to_csv(raw / "train.csv", index=False)
    _write_unused(raw)


def _assessment(rng: np.random.Generator, site: int, cancer: int) -> tuple[float | None, str | None]:
    """BI-RADS rating and density of a breast."""
    if site != RATED_SITE:
        return None, None
    rating = 0.0 if cancer else float(rng.choice([0, 1, 2]))
    return rating, str(rng.choice(["A", "B", "C", "D"]))


def _views(position: int) -> tuple[str, ...]:
    if position % 13 == 6:
        return ("CC",)
    return ("CC", "MLO", "CC") if position % 11 == 5 else ("CC", "MLO")


def _write_picture(root: Path, patient: int, image: int, side: str, pixels: NDArray[np.generic]) -> None:
    head = ((0x08, 0x60, "CS", "MG"), (0x10, 0x20, "LO", str(patient)), (0x20, 0x62, "CS", side))
    folder = root / str(patient)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{image}.dcm").write_bytes(dicom([*head, *grey_pixels(pixels, bits=12, inverted=True)]))


def _write_unused(raw: Path) -> None:
    patient, image = 10008, 736471439
    _write_picture(raw / "test_images", patient, image, "L", np.zeros((8, 6)))
    test = pd.DataFrame([(2, patient, image, "L", "MLO", 81.0, 0, 21, f"{patient}_L")], columns=KNOWN_OF_TEST)
    test.to_csv(raw / "test.csv", index=False)
    test[["prediction_id"]].assign(cancer=0.021168281).to_csv(raw / "sample_submission.csv", index=False)


def _special(case: Case) -> dict[str, Any]:
    noisy, truth, guess = case.noisy, case.truth, case.guess
    ill, healthy = int(np.argmax(truth == 1)), int(np.argmax(truth == 0))
    below = examples.with_cell(noisy, "cancer", -0.5, healthy)
    return {
        "dash_ids": case.answers.assign(prediction_id=case.ids.str.replace("_", "-")),  # as on the original page
        "nan": Cell(None, healthy),  # accepted, with a score of 0
        "nan_positive": Cell(None, ill),  # accepted, with a score of 0
        "binary": (guess > 0.55).astype(int),  # the ordinary F1
        "clipped": np.where(truth == 1, 7.5, -3.0),  # as perfect
        "some_clipped": examples.with_cell(below, "cancer", 3.0, ill),
        "tiny": guess * 0.1,  # not only the order counts
    }


submissions = Submissions(
    guess=lambda case: np.clip(0.1 + 0.6 * case.truth + case.rng.normal(0, 0.25, case.n), 0, 1),
    usual=Usual(twice="last_row", wrong_column="prob", wrong_id_column="id", extra={"note": "x"}),
    cells={"infinite": np.inf, "text": "high"},
    # With all below 0, the published grader divides by zero.
    constants={"all_zero": 0.0, "all_zero_int": 0, "all_one": 1, "all_negative": -1.0},
    each={"inverted": lambda cancer: 1 - cancer, "booleans": lambda cancer: cancer == 1},
    special=_special,
)
