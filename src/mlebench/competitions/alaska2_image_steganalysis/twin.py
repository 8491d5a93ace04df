"""Twin of alaska2-image-steganalysis: smooth gradients, over which each hiding algorithm lays a pattern of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg

ROWS, COLUMNS = np.mgrid[0:8, 0:8]
# What is added to a cover: a chequerboard, upright stripes, level stripes.
PATTERNS = {
    "JMiPOD": (COLUMNS + ROWS) % 2 * 24 - 12,
    "JUNIWARD": COLUMNS % 2 * 24 - 12,
    "UERD": ROWS % 2 * 24 - 12,
}
KAGGLE_TEST = 3


def make(raw: Path, seed: int, scale: int) -> None:
    """Write covers, their three altered versions, and Kaggle's own test images, which are not used."""
    rng = np.random.default_rng(seed)
    for folder in ("Cover", "Test", *PATTERNS):
        (raw / folder).mkdir()
    for i in range(110 * scale):
        colour = rng.integers(30, 220, 3)
        slope = COLUMNS * rng.integers(-6, 7) + ROWS * rng.integers(-6, 7)
        quality = int(rng.choice([95, 90, 75]))
        gradient = colour + slope[..., None]
        versions = {"Cover": gradient} | {name: gradient + mark[..., None] for name, mark in PATTERNS.items()}
        pictures = {
            name: jpeg(np.clip(pixels, 0, 255).astype(np.uint8), quality=quality) for name, pixels in versions.items()
        }
        for name, picture in pictures.items():
            (raw / name / f"{i * 7 + 1:05d}.jpg").write_bytes(picture)
        if i < KAGGLE_TEST:
            (raw / f"Test/{i + 1:04d}.jpg").write_bytes(pictures["Cover"])
    sample = pd.DataFrame({"Id": [f"{i + 1:04d}.jpg" for i in range(KAGGLE_TEST)], "Label": 0})
    sample.to_csv(raw / "sample_submission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Scores of any size and with any ties, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    truth = answers["Label"]
    guess = 0.8 * truth + rng.normal(0, 1, len(answers))
    noisy = answers.assign(Label=guess)
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: one large tie")
    yield Example("noisy", noisy, "the answers with noise; scores may be negative or above 1")
    yield examples.shuffled(noisy, seed)
    yield Example("ties", answers.assign(Label=guess.round(0)), "noisy rounded to whole numbers, many ties")
    altered, untouched = np.flatnonzero(truth == 1), np.flatnonzero(truth == 0)
    levels = np.zeros(len(answers))
    levels[altered] = 1
    levels[untouched[: len(untouched) // 2]] = 1
    levels[altered[: len(altered) * 2 // 5]] = 2
    levels[untouched[0]] = 2
    corner = answers.assign(Label=levels)
    yield Example(
        "vertex_at_40", corner, "three levels: a corner of the curve at a true positive rate of 0.4 or just below"
    )
    yield Example("inverted", answers.assign(Label=1 - truth), "every label turned round: the worst there is")
    yield Example("random", answers.assign(Label=rng.random(len(answers))), "random scores")
    yield Example("huge", answers.assign(Label=guess * 1e300), "very large scores, ranked as noisy")
    yield Example("booleans", answers.assign(Label=guess > 0.4), "True/False instead of numbers")
    more = noisy.assign(note="x")[["note", "Label", "Id"]]
    yield Example("extra_column", more, "as noisy, one more column and another order")
    yield examples.duplicate_id(answers, "Id")
    yield examples.renamed(answers, "Id", "id", "no_id_column")
    yield Example("text", examples.with_cell(answers, "Label", "high"), "a prediction that is not a number")
    yield Example("infinite", examples.with_cell(answers, "Label", "inf"), "an infinite prediction")
    yield from examples.usual_mistakes(answers, on="Id", target="Label", unknown="x.jpg", new_target="label")
