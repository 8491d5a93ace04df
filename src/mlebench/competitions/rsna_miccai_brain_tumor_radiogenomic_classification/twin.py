"""Twin of rsna-miccai-brain-tumor-radiogenomic-classification: four tiny scans per patient, bright if methylated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.dicom import dicom, grey_pixels
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities of all sorts, ids with and without leading zeros, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv", dtype=IDS_AS_TEXT)
    ids, truth = answers[ID], answers[TARGET]
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv", dtype=IDS_AS_TEXT)
    yield Example("sample", sample, "the sample submission: 0.5 everywhere, an AUC of 0.5")
    guess = np.clip(0.35 + 0.25 * truth + rng.normal(0, 0.25, len(answers)), 0, 1)
    noisy = answers.assign(**{TARGET: guess})
    yield Example("noisy", noisy, "labels mixed with noise")
    yield examples.shuffled(noisy, seed)
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.last_for_first(answers)
    yield examples.unknown_id(answers, ID, "x")
    number = examples.with_first(answers, ID, "98765")
    yield Example("unknown_number", number, "a number that is not in the test set")
    yield examples.renamed(answers, TARGET, "prob")
    yield examples.renamed(answers, ID, "id", "wrong_id_column")
    yield Example("nan", examples.with_cell(noisy, TARGET, None), "an empty prediction")
    yield Example("all_nan", answers.assign(**{TARGET: np.nan}), "all predictions empty")
    yield examples.empty()
    yield Example("no_zeros", noisy.assign(**{ID: ids.astype(int)}), "as noisy, ids without leading zeros")
    yield Example("float_ids", noisy.assign(**{ID: ids.astype(float)}), "as noisy, ids written with .0")

    def predicting(values: object) -> pd.DataFrame:
        return answers.assign(**{TARGET: values})

    yield Example("inverted", predicting(1 - truth), "all wrong: 0")
    yield Example("constant", predicting(1), "the same everywhere: 0.5")
    yield Example("ties", predicting((guess * 3).round() / 3), "rounded to thirds, many ties")
    yield Example("binary", predicting((guess > 0.5).astype(int)), "0 and 1 only")
    yield Example("booleans", predicting(guess > 0.5), "True and False instead of numbers: accepted")
    yield Example("negative", examples.with_cell(noisy, TARGET, -0.01), "a prediction below 0")
    yield Example("above_one", examples.with_cell(noisy, TARGET, 1.01), "a prediction above 1")
    yield Example("tiny_scale", predicting(guess * 1e-9), "as noisy, scaled: only the order counts")
    yield Example("text", examples.with_cell(noisy, TARGET, "high"), "a prediction that is not a number")
    yield Example("extra_column", noisy.assign(note="x"), "as noisy, one more column")
