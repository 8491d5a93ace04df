"""Twin of dog-breed-identification: blurred squares, each breed in a colour of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.competitions.dog_breed_identification.breeds import BREEDS
from mlebench.twins.kit.classes import Guess, bad_examples, good_examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg


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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities of all sorts, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    guess = Guess.random(rng, prepared, BREEDS)
    yield from good_examples(guess, prepared, seed)
    yield Example(
        "reordered_columns",
        guess.table[["id", *rng.permutation(BREEDS)]],
        "as noisy, breeds in another order",
    )
    yield Example("extra_column", guess.table.assign(mongrel=0.5), "as noisy, one more column, which is ignored")
    rounded = guess.with_values(guess.probabilities.round(4))
    yield Example("rounded", rounded, "four decimals: some rows are too far from 1")
    yield from bad_examples(guess, unknown="x", column="pug", new_column="Pug")
