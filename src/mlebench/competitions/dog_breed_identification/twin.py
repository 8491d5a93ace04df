"""Twin of dog-breed-identification: blurred squares, each breed in a colour of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.competitions.dog_breed_identification.breeds import BREEDS
from mlebench.twins.kit.classes import distributions, leaning
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Cell, Submissions, Usual


def _photo(rng: np.random.Generator, breed: int) -> bytes:
    colour = breed * np.array([53, 101, 197]) % 256
    pixels = colour + rng.integers(-25, 26, (8, 8, 3))
    return jpeg(pixels.clip(0, 255).astype(np.uint8), quality=70)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled photographs, and Kaggle's own test photographs, which preparation does not use."""
    rng = np.random.default_rng(seed)
    n, m = 245 * scale, 6 * scale
    ids = rng.permutation(sorted({rng.bytes(16).hex() for _ in range(n + m)}))
    numbers = rng.permutation(np.arange(n + m) % len(BREEDS))
    dogs = pd.DataFrame({"id": ids, "breed": [BREEDS[number] for number in numbers], "number": numbers})
    train, test = dogs[:n].sort_values("id"), dogs[n:].sort_values("id")
    train[["id", "breed"]].to_csv(raw / "labels.csv", index=False)
    sample = test.reindex(columns=["id", *BREEDS], fill_value=1 / 120)
    sample.to_csv(raw / "sample_submission.csv", index=False)
    for folder, part in (("train", train), ("test", test)):
        (raw / folder).mkdir()
        for image, number in zip(part["id"], part["number"], strict=True):
            (raw / folder / f"{image}.jpg").write_bytes(_photo(rng, number))


submissions = Submissions(
    guess=leaning,
    usual=Usual("noisy", wrong_column=("pug", "Pug"), no_id=None, extra={"mongrel": 0.5}),
    cells={"text": Cell("high", column="pug"), "nan": Cell(None, column=BREEDS[4])},
    variants=["header_only"],
    special=lambda case: {
        **distributions(case),
        "reordered_columns": case.noisy[["id", *case.rng.permutation(BREEDS)]],
        "rounded": case.guess.round(4),  # some rows are too far from 1
    },
)
