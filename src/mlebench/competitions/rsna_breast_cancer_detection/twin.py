"""Twin of rsna-breast-cancer-detection: tiny mammograms with a bright patch where there is cancer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.dicom import dicom, grey_pixels
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities of all sorts, among them some outside of 0 to 1, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv")
    ids, truth = answers["prediction_id"], answers["cancer"]
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: the share of cancer among the training pictures")
    guess = np.clip(0.1 + 0.6 * truth + rng.normal(0, 0.25, len(answers)), 0, 1)
    noisy = answers.assign(cancer=guess)
    yield Example("noisy", noisy, "labels mixed with noise")
    yield examples.shuffled(noisy, seed)
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.last_for_first(answers)
    yield examples.unknown_id(answers, "prediction_id", "x")
    dashes = answers.assign(prediction_id=ids.str.replace("_", "-"))
    yield Example("dash_ids", dashes, "ids with a dash, as the original page writes them: refused")
    yield examples.renamed(answers, "cancer", "prob")
    yield examples.renamed(answers, "prediction_id", "id", "wrong_id_column")
    ill, healthy = int(np.argmax(truth == 1)), int(np.argmax(truth == 0))
    gap = examples.with_cell(noisy, "cancer", None, healthy)
    yield Example("nan", gap, "an empty prediction for a healthy breast: accepted, with a score of 0")
    gap = examples.with_cell(noisy, "cancer", None, ill)
    yield Example("nan_positive", gap, "an empty prediction for a breast with cancer: accepted, with a score of 0")
    yield examples.empty()
    yield Example("binary", noisy.assign(cancer=(guess > 0.55).astype(int)), "0 and 1 only: the ordinary F1")
    yield Example("all_zero", answers.assign(cancer=0.0), "0 everywhere: a score of 0")
    yield Example("all_zero_int", answers.assign(cancer=0), "0 everywhere, as whole numbers")
    yield Example("all_one", answers.assign(cancer=1), "1 everywhere")
    yield Example("all_negative", answers.assign(cancer=-1.0), "all below 0: the published grader divides by zero")
    clipped = answers.assign(cancer=np.where(truth == 1, 7.5, -3.0))
    yield Example("clipped", clipped, "all outside of 0 to 1, clipped: as perfect")
    some = examples.with_cell(examples.with_cell(noisy, "cancer", -0.5, healthy), "cancer", 3.0, ill)
    yield Example("some_clipped", some, "one value below 0 and one above 1")
    yield Example("inverted", answers.assign(cancer=1 - truth), "all wrong: a score of 0")
    yield Example("tiny", noisy.assign(cancer=guess * 0.1), "a tenth of noisy: not only the order counts")
    yield Example("booleans", answers.assign(cancer=truth == 1), "True and False instead of numbers: accepted")
    yield Example("infinite", examples.with_cell(noisy, "cancer", np.inf), "an infinite prediction counts as 1")
    yield Example("text", examples.with_cell(noisy, "cancer", "high"), "a prediction that is not a number")
    yield Example("extra_column", noisy.assign(note="x"), "as noisy, one more column")
