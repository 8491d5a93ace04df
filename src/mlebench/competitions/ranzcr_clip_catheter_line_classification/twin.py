"""Twin of ranzcr-clip-catheter-line-classification: X-rays with one bright column per label."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.data import random_split
from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities for nine and for eleven labels, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    ids, truth = answers[[ID]], answers[LABELS]
    yield Example("perfect", answers[[ID, *GRADED]], "the nine graded labels")
    yield Example("perfect_all", answers[[ID, *LABELS]], "all eleven labels; two of them are passed over")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: 0 everywhere")
    guess = 0.3 * truth + 0.7 * rng.random(truth.shape)
    noisy = ids.join(guess)
    yield Example("noisy", noisy, "labels mixed with noise, eleven labels")
    reordered = noisy.sample(frac=1, random_state=seed)[[*LABELS[::-1], ID]]
    yield Example("shuffled", reordered, "as noisy, rows and columns in another order")
    yield Example("ties", ids.join(guess.round(1)), "rounded to one decimal, many ties")
    junk = noisy.assign(**{"CVC - Normal": "a", "Swan Ganz Catheter Present": -5})
    yield Example("ungraded_junk", junk, "nonsense in the two labels that do not count: the score of noisy")
    yield Example("inverted", ids.join(1 - truth), "every label turned round: the worst there is")
    yield examples.missing_row(noisy)
    yield examples.extra_row(noisy)
    yield examples.duplicate_id(noisy, ID, "repeated_id")
    yield examples.renamed(noisy, "CVC - Borderline", "CVC-Borderline")
    yield examples.renamed(noisy, ID, "id", "no_id")
    yield examples.unknown_id(noisy, ID, "1.2.3")

    def put(value: object, label: str = "NGT - Normal") -> pd.DataFrame:
        return examples.with_cell(noisy, label, value)

    yield Example("below_zero", put(-0.01, "ETT - Abnormal"), "a prediction below 0 in the first label")
    yield Example("above_one", put(1.01, "CVC - Borderline"), "a prediction above 1 in the last label")
    yield Example("nan", put(None), "an empty prediction")
    yield Example("text", put("yes"), "a prediction that is not a number")
    yield examples.empty()
